//! The benchmark programs in Rust, once for every library that implements [`ForkJoin`]. Each library
//! gets an executable of its own (src/bin), which takes the same orders as those in C++.

mod blocked_matrix;
pub mod command_line;
mod dense;
mod fork_join;
mod merge_sort;
mod programs;
mod random;
mod resources;
mod serial_sort;
mod serial_work;
mod sha1;
mod sparse;
mod warm_up;

pub use fork_join::{ForkJoin, STACK_BYTES};
pub use random::{mix, RandomSequence};
pub use warm_up::warm_up;
