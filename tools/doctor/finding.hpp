// What `nopal doctor` finds out: one finding per line, judged.
#ifndef TOOLS_DOCTOR_FINDING_HPP
#define TOOLS_DOCTOR_FINDING_HPP

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tool::doctor {

enum class verdict {
  ok,
  note,     ///< the runtime works; the advice says what is lost or worth knowing
  problem,  ///< the runtime cannot start; the advice says what to change
};

struct finding {
  std::string name;
  std::string value;            ///< as people read it
  nlohmann::ordered_json data;  ///< the same as programs read it; null where it is not known
  verdict judged = verdict::ok;
  std::string advice;  ///< empty where there is nothing to do or know
};

/// A finding whose text is its value.
inline finding plain_finding(std::string name, std::string value) {
  nlohmann::ordered_json data = value;
  return {std::move(name), std::move(value), std::move(data), verdict::ok, {}};
}

/// Judges `found`, unless it is judged worse already.
inline void judge(finding& found, verdict judged, std::string advice) {
  if (judged < found.judged) return;
  found.judged = judged;
  found.advice = std::move(advice);
}

struct section {
  std::string name;
  std::vector<finding> findings;
};

}  // namespace tool::doctor

#endif
