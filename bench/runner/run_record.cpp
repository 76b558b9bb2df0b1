#include "runner/run_record.hpp"

#include <cmath>
#include <limits>

namespace bench {
namespace {

using nlohmann::json;

// Each member's JSON in `from`, by the member's type; not good if it cannot be that member's, or if one of the first two
// is missing.
class reader {
public:
  explicit reader(const json& from) : from_(from) {}

  void operator()(const char* name, bool& into) {
    if (const json* const value = find(name); value != nullptr && value->is_boolean()) {
      into = value->get<bool>();
    } else {
      good = false;
    }
  }
  void operator()(const char* name, double& into) {
    const json* const value = find(name);
    good = good && value != nullptr && value->is_number();
    if (good) into = value->get<double>();
    good = good && std::isfinite(into) && into >= 0;
  }
  void operator()(const char* name, std::uint64_t& into) {
    const json* const value = find(name);
    if (value == nullptr) return;
    good = good && value->is_number_unsigned();
    if (good) into = value->get<std::uint64_t>();
  }
  void operator()(const char* name, std::int64_t& into) {
    auto value = static_cast<std::uint64_t>(into);
    (*this)(name, value);
    good = good && value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (good) into = static_cast<std::int64_t>(value);
  }

  bool good = true;

private:
  [[nodiscard]] const json* find(const char* name) const {
    const auto found = from_.find(name);
    return found == from_.end() ? nullptr : &*found;
  }

  const json& from_;
};

class writer {
public:
  explicit writer(json& into) : into_(into) {}
  template <class T>
  void operator()(const char* name, const T& value) {
    into_[name] = value;
  }

private:
  json& into_;
};

// Every member with its name.
template <class Record, class Visitor>
void visit(Record& record, Visitor& visitor) {
  visitor("seconds", record.seconds);
  visitor("verified", record.verified);
  visitor("serial_stack_pages", record.serial_stack_pages);
  visitor("stack_pages_most", record.stack_pages_most);
  visitor("fork_depth", record.fork_depth);
#define BENCH_COUNTER(name, which, ...) BENCH_IF_##which(visitor(#name, record.name);)
  NOPAL_DETAIL_WORKER_COUNTERS(BENCH_COUNTER)
  NOPAL_DETAIL_RUNTIME_COUNTERS(BENCH_COUNTER)
#undef BENCH_COUNTER
  visitor("page_faults", record.page_faults);
  visitor("peak_resident_kib", record.peak_resident_kib);
  visitor("resident_growth_kib", record.resident_growth_kib);
}

}  // namespace

void to_json(nlohmann::json& into, const run_record& record) {
  into = json::object();
  writer to(into);
  visit(record, to);
}

std::string text_of(const run_record& record) { return json(record).dump(); }

std::optional<run_record> read_run_record(const std::string& text) {
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  run_record record;
  reader from(parsed);
  visit(record, from);
  return from.good ? std::optional(record) : std::nullopt;
}

}  // namespace bench
