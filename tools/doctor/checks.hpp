// The parts of `nopal doctor`. Each looks at this machine and this process as they are now.
#ifndef TOOLS_DOCTOR_CHECKS_HPP
#define TOOLS_DOCTOR_CHECKS_HPP

#include "doctor/finding.hpp"
#include "os/os.hpp"

namespace tool::doctor {

/// What the program and its user chose: version, NOPAL_* variables.
[[nodiscard]] section check_runtime();

/// CPUs that this process may use, the number of workers that follows, and how the CPUs are connected.
[[nodiscard]] section check_cpus();

/// The same of a machine that is given.
[[nodiscard]] section describe_cpus(const nopal::internal::os::cpu_allowance& allowance,
                                    const nopal::internal::os::topology& machine);

/// What making another thread notice costs, measured.
[[nodiscard]] section check_waiting();

/// Pages, and how many stacks of `workers` threads the limits allow; maps some to see.
[[nodiscard]] section check_memory(int workers);

/// Whether `workers` threads can run, started to see, and what of the kernel's settings concerns us.
[[nodiscard]] section check_system(int workers);

/// Whether forks may be latent, where tables of unwinding are found or not, with what NOPAL_FORKS and
/// NOPAL_SIGNAL say; null: they are not set.
[[nodiscard]] finding latent_forks_finding(bool finds_tables, const char* forks, const char* signal);

/// The compiler of this program and those in PATH.
[[nodiscard]] section check_compilers();

/// Worker threads by default or by NOPAL_WORKERS; at least 1, also where the variable makes no sense.
[[nodiscard]] int worker_count();

}  // namespace tool::doctor

#endif
