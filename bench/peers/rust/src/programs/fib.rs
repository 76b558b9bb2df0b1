//! Fibonacci numbers by the double recursion.

use super::{Input, Instance};
use crate::ForkJoin;

fn fib<F: ForkJoin>(scope: &mut F::Scope<'_>, n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (x, y) = F::join(scope, |s| fib::<F>(s, n - 1), |s| fib::<F>(s, n - 2));
    x + y
}

fn fib_by_iteration(n: u32) -> u64 {
    let (mut previous, mut current) = (1, 0);
    for _ in 0..n {
        (previous, current) = (current, previous + current);
    }
    current
}

pub struct Fib {
    n: u32,
    result: u64,
}

impl Instance for Fib {
    const LARGEST_SIZE: usize = 60;

    fn prepare(input: &Input) -> Self {
        Self { n: input.size as u32, result: u64::MAX }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        self.result = fib::<F>(scope, self.n);
    }

    fn verify(&self) -> bool {
        self.result == fib_by_iteration(self.n)
    }
}
