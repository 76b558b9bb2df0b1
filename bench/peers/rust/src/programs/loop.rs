//! A loop with a leaf of about a microsecond per iteration.

use std::arch::asm;

use super::{Input, Instance};
use crate::dense::zeros;
use crate::ForkJoin;

const MULTIPLIER: u64 = 6364136223846793005;
const INCREMENT: u64 = 1442695040888963407;

/// A linear congruential generator stepped a fixed number of times: each step waits for the one before.
fn leaf(mut state: u64, steps: usize) -> u64 {
    for _ in 0..steps {
        state = state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        // SAFETY: no instruction. The compiler is told that `state` may change, so that it folds no steps.
        unsafe { asm!("/* {} */", inout(reg) state, options(nomem, nostack, preserves_flags)) };
    }
    state
}

/// The same by repeated squaring of the affine map x -> a x + c.
fn leaf_by_squaring(mut state: u64, mut steps: usize) -> u64 {
    let (mut a, mut c) = (MULTIPLIER, INCREMENT);
    while steps > 0 {
        if steps % 2 == 1 {
            state = state.wrapping_mul(a).wrapping_add(c);
        }
        c = a.wrapping_mul(c).wrapping_add(c);
        a = a.wrapping_mul(a);
        steps /= 2;
    }
    state
}

pub struct Loop {
    results: Vec<u64>,
    steps: usize,
}

impl Instance for Loop {
    const LARGEST_SIZE: usize = 1_000_000_000;

    fn prepare(input: &Input) -> Self {
        Self { results: zeros(input.size), steps: input.grain }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        let steps = self.steps;
        F::for_each_mut(scope, &mut self.results, &|i, result| *result = leaf(i as u64, steps));
    }

    fn verify(&self) -> bool {
        let mut results = self.results.iter().enumerate();
        results.all(|(i, &result)| result == leaf_by_squaring(i as u64, self.steps))
    }
}
