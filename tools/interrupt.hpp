// SIGINT, SIGTERM, SIGHUP and SIGQUIT as something to wait for and then an exception, so that what they
// interrupt can tidy up first.
#ifndef NOPAL_TOOLS_INTERRUPT_HPP
#define NOPAL_TOOLS_INTERRUPT_HPP

#include <csignal>
#include <exception>

namespace tool {

/// A signal asked the command to end.
class interrupted : public std::exception {
public:
  explicit interrupted(int signal_number) : signal_number_(signal_number) {}
  [[nodiscard]] int signal_number() const { return signal_number_; }
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }

private:
  int signal_number_;
};

/// While it lives, those signals wait in a descriptor instead of ending the process. One within another finds what
/// came before it was made, and leaves what comes later to the outer one.
class interrupt_watch {
public:
  interrupt_watch();
  interrupt_watch(const interrupt_watch&) = delete;
  interrupt_watch& operator=(const interrupt_watch&) = delete;
  ~interrupt_watch();

  /// Becomes readable when a signal waits.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Throws `interrupted` when a signal waits.
  void check() const;
  /// The signals a child process must have unblocked again.
  [[nodiscard]] const sigset_t& mask_before() const { return outermost_->mask_before_; }

private:
  static const interrupt_watch* outermost_;  // of the main thread, which alone has them

  sigset_t mask_before_{};
  int descriptor_ = -1;
};

}  // namespace tool

#endif
