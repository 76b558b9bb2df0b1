#include "interrupt.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tool {

const interrupt_watch* interrupt_watch::outermost_ = nullptr;

interrupt_watch::interrupt_watch() {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGHUP);
  sigaddset(&watched, SIGQUIT);
  sigprocmask(SIG_BLOCK, &watched, &mask_before_);
  descriptor_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) {
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    throw std::system_error(errno, std::generic_category(), "signalfd");
  }
  if (outermost_ == nullptr) outermost_ = this;
}

// A signal that came too late to be noticed acts as usual once unblocked.
interrupt_watch::~interrupt_watch() {
  if (outermost_ == this) outermost_ = nullptr;
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

void interrupt_watch::check() const {
  signalfd_siginfo signal;
  if (read(descriptor_, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    throw interrupted(static_cast<int>(signal.ssi_signo));
  }
}

}  // namespace tool
