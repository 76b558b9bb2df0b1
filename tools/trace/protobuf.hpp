// The wire format of protocol buffers, as far as a trace needs it: numbers, fixed 64-bit numbers, texts and
// messages within messages.
#ifndef NOPAL_TOOLS_TRACE_PROTOBUF_HPP
#define NOPAL_TOOLS_TRACE_PROTOBUF_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "utf8.hpp"

namespace tool::tracing {

class message {
public:
  message& number(int field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  message& fixed64(int field, std::uint64_t value) {
    key(field, 1);
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<char>(value >> 8 * i & 0xff));
    return *this;
  }
  /// Readers refuse a whole trace for one text that is not UTF-8.
  message& text(int field, const std::string& value) { return add(field, valid_utf8(value)); }
  message& part(int field, const message& value) { return add(field, value.bytes_); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
  message& add(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_.append(value);
    return *this;
  }
  void key(int field, std::uint64_t wire_type) { varint(static_cast<std::uint64_t>(field) << 3 | wire_type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace tool::tracing

#endif
