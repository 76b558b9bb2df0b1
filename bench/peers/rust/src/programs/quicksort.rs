//! Quicksort in place of random 32-bit values.

use super::{Input, Instance};
use crate::random::RandomValues;
use crate::serial_sort::{partition, serial_sort};
use crate::ForkJoin;

fn quicksort<F: ForkJoin>(scope: &mut F::Scope<'_>, values: &mut [u32], grain: usize) {
    if values.len() <= grain {
        serial_sort(values);
        return;
    }
    let middle = partition(values);
    let (lower, upper) = values.split_at_mut(middle);
    F::join(scope, |s| quicksort::<F>(s, lower, grain), |s| quicksort::<F>(s, upper, grain));
}

pub struct Quicksort {
    random: RandomValues,
    grain: usize,
}

impl Instance for Quicksort {
    const LARGEST_SIZE: usize = 4_000_000_000;

    fn prepare(input: &Input) -> Self {
        Self { random: RandomValues::new(input.size, input.seed), grain: input.grain.max(2) }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        quicksort::<F>(scope, &mut self.random.values, self.grain);
    }

    fn verify(&self) -> bool {
        self.random.are_sorted()
    }
}
