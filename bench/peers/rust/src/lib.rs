//! The benchmark programs in Rust, once for every library that implements [`ForkJoin`]. Each library
//! gets an executable of its own (src/bin), which takes the same orders as those in C++.

pub mod command_line;
mod dense;
pub mod fork_join;
mod programs;
mod random;
mod resources;

pub use fork_join::ForkJoin;
