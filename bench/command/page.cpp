#include "page.hpp"

#include <string_view>

// See page/assets.S.
extern "C" {
extern const char nopal_page_html[], nopal_page_html_end[];
extern const char nopal_page_css[], nopal_page_css_end[];
extern const char nopal_page_tables[], nopal_page_tables_end[];
extern const char nopal_page_plots[], nopal_page_plots_end[];
extern const char nopal_page_predictions[], nopal_page_predictions_end[];
extern const char nopal_page_reducers[], nopal_page_reducers_end[];
extern const char nopal_page_promotion[], nopal_page_promotion_end[];
extern const char nopal_page_page[], nopal_page_page_end[];
}

namespace tool {
namespace {

std::string_view text(const char* first, const char* last) {
  return {first, static_cast<std::size_t>(last - first)};
}

// Within a script element nothing may look like its end.
std::string for_script(std::string code) {
  for (std::size_t at = 0; (at = code.find("</", at)) != std::string::npos; at += 3)
    code.insert(at + 1, 1, '\\');
  return code;
}

}  // namespace

std::string page_of(const nlohmann::json& report) {
  std::string_view rest = text(nopal_page_html, nopal_page_html_end);
  std::string page;
  // Each mark stands once, in this order.
  const auto up_to = [&](std::string_view mark, const std::string& put) {
    const std::size_t at = rest.find(mark);
    page.append(rest.substr(0, at)).append(put);
    rest.remove_prefix(at + mark.size());
  };
  up_to("@STYLE@", std::string(text(nopal_page_css, nopal_page_css_end)));
  up_to("@REPORT@", for_script(report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  up_to("@TABLES@", std::string(text(nopal_page_tables, nopal_page_tables_end)));
  up_to("@PLOTS@", std::string(text(nopal_page_plots, nopal_page_plots_end)) +
                       std::string(text(nopal_page_predictions, nopal_page_predictions_end)) +
                       std::string(text(nopal_page_reducers, nopal_page_reducers_end)) +
                       std::string(text(nopal_page_promotion, nopal_page_promotion_end)));
  up_to("@PAGE@", std::string(text(nopal_page_page, nopal_page_page_end)));
  return page.append(rest);
}

}  // namespace tool
