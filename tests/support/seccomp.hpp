// System calls that the kernel refuses from some moment on, on every thread and in every program that is started later.
#ifndef NOPAL_TESTS_SUPPORT_SECCOMP_HPP
#define NOPAL_TESTS_SUPPORT_SECCOMP_HPP

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "support/program.hpp"

namespace support {

/// Arguments, other than the first, that tell which of a system call's uses is meant.
struct call_use {
  unsigned second;
  unsigned third;
};

/// From now on the system call fails with `error`; in one of its uses alone if one is given.
inline void refuse_call(unsigned number, unsigned error, const call_use* only = nullptr) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 6),
      BPF_JUMP(BPF_JMP | BPF_JA, only == nullptr ? 4U : 0U, 0, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 8),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, only == nullptr ? 0U : only->second, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 16),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, only == nullptr ? 0U : only->third, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof filter[0], filter};
  NOPAL_CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  NOPAL_CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
}

}  // namespace support

#endif
