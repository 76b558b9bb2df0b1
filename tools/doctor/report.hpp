// What `nopal doctor` prints.
#ifndef TOOLS_DOCTOR_REPORT_HPP
#define TOOLS_DOCTOR_REPORT_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "doctor/finding.hpp"

namespace tool::doctor {

[[nodiscard]] std::size_t count(const std::vector<section>& sections, verdict judged);

/// A heading per section and a line per finding, whatever bytes the findings hold.
[[nodiscard]] std::string text_report(const std::vector<section>& sections);

/// One JSON object.
[[nodiscard]] std::string json_report(const std::vector<section>& sections);

}  // namespace tool::doctor

#endif
