// The subcommands of `nopal`. Each gets its arguments with its own name in `argv[0]`, returns the exit
// code, and throws usage_error (command_line.hpp) for bad usage, any other exception for what failed.
#ifndef NOPAL_TOOLS_COMMANDS_HPP
#define NOPAL_TOOLS_COMMANDS_HPP

/// Measures programs and prints a table.
int bench_command(int argc, char** argv);

/// Hidden: one run of one program variant in this process; prints one JSON object.
int bench_one_command(int argc, char** argv);
int bench_steps_command(int argc, char** argv);
int bench_promotion_command(int argc, char** argv);
int bench_reducers_command(int argc, char** argv);

/// Runs a program that was compiled for the race detector.
int check_command(int argc, char** argv);

/// Translates programs written in Cilk, or compiles them translated.
int cilk_command(int argc, char** argv);

/// Predicts speedups on more workers than there are, and prints tables.
int simulate_command(int argc, char** argv);

/// Hidden: records and simulates one program in this process; prints one JSON object.
int simulate_one_command(int argc, char** argv);

/// Hidden: measures what the scheduler's steps cost; prints one JSON object.
int simulate_costs_command(int argc, char** argv);

/// Sorts lines and counts words of real text files, serially and in parallel.
int demo_command(int argc, char** argv);

/// Runs a program and writes what its workers did.
int trace_command(int argc, char** argv);
/// Measures work and span of a program as it was built.
int profile_command(int argc, char** argv);

#endif
