// `nopal doctor`: what this machine gives the runtime.
#ifndef NOPAL_TOOLS_DOCTOR_HPP
#define NOPAL_TOOLS_DOCTOR_HPP

/// Runs the subcommand; `argv[0]` is its name. Returns the exit code.
int doctor_command(int argc, char** argv);

#endif
