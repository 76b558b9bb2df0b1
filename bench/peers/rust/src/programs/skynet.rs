//! The sum over the leaves of a tree whose nodes have ten children each.

use super::{Input, Instance};
use crate::ForkJoin;

const CHILDREN: usize = 10;

/// The sum of as many numbers from `first` on.
fn sum_of<F: ForkJoin>(scope: &mut F::Scope<'_>, first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let below = leaves / CHILDREN as u64;
    F::sum(scope, 0..CHILDREN, &|s: &mut F::Scope<'_>, i| sum_of::<F>(s, first + i as u64 * below, below))
}

pub struct Skynet {
    leaves: u64,
    result: u64,
}

impl Instance for Skynet {
    const LARGEST_SIZE: usize = 9;

    fn prepare(input: &Input) -> Self {
        Self { leaves: (CHILDREN as u64).pow(input.size as u32), result: u64::MAX }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        self.result = sum_of::<F>(scope, 0, self.leaves);
    }

    fn verify(&self) -> bool {
        let (even, odd) = if self.leaves % 2 == 0 {
            (self.leaves, self.leaves - 1)
        } else {
            (self.leaves - 1, self.leaves)
        };
        self.result == even / 2 * odd
    }
}
