// The updates of reducers on one alternative of the library, for `nopal bench --reducers`.
#include <cstdio>
#include <exception>

#include "measure/reducer_run.hpp"

int main(int argc, char** argv) {
  measure::reducer_run run;
  CLI::App app(
      "One run of updates of reducers on an alternative of the library; `nopal bench --reducers` runs this.");
  measure::add_options(app, run);
  try {
    app.parse(argc, argv);
    std::puts(measure::report_of(run).c_str());
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 1;
  }
  return 0;
}
