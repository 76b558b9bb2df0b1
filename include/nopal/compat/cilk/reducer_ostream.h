/* cilk::reducer<cilk::op_ostream> and cilk::reducer_ostream: output in serial order. */
#ifndef NOPAL_COMPAT_CILK_REDUCER_OSTREAM_H
#define NOPAL_COMPAT_CILK_REDUCER_OSTREAM_H

#include <ostream>
#include <string>

#include <cilk/reducer.h>

namespace cilk {

template <class Char, class Traits = std::char_traits<Char>>
struct op_basic_ostream {
  using value_type = std::basic_ostream<Char, Traits>;
};
using op_ostream = op_basic_ostream<char>;
using op_wostream = op_basic_ostream<wchar_t>;
template <class Char, class Traits>
struct nopal_detail::monoid_of<op_basic_ostream<Char, Traits>> {
  using type = ::nopal::op_basic_ostream<Char, Traits>;
};

/// The names of Cilk++.
template <class Char, class Traits = std::char_traits<Char>>
class basic_reducer_ostream : public reducer<op_basic_ostream<Char, Traits>> {
  using stream = std::basic_ostream<Char, Traits>;

public:
  explicit basic_reducer_ostream(stream& to) : reducer<op_basic_ostream<Char, Traits>>(to) {}
  template <class Other>
  friend stream& operator<<(basic_reducer_ostream& to, const Other& written) {
    return to.view() << written;
  }
  friend stream& operator<<(basic_reducer_ostream& to, stream& (*manipulator)(stream&)) {
    return to.view() << manipulator;
  }
  stream& get_reference() { return this->view(); }
};
using reducer_ostream = basic_reducer_ostream<char>;

}  // namespace cilk

#endif
