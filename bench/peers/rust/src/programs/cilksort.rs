//! Parallel merge sort, with parallel merges, of random 32-bit values.

use super::{Input, Instance};
use crate::dense::zeros;
use crate::merge_sort::merge_sort;
use crate::random::RandomValues;
use crate::ForkJoin;

pub struct Cilksort {
    random: RandomValues,
    spare: Vec<u32>,
    grain: usize,
}

impl Instance for Cilksort {
    const LARGEST_SIZE: usize = 4_000_000_000;

    fn prepare(input: &Input) -> Self {
        Self {
            random: RandomValues::new(input.size, input.seed),
            spare: zeros(input.size),
            grain: input.grain.max(4),
        }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        merge_sort::<F, u32>(scope, &mut self.random.values, &mut self.spare, self.grain);
    }

    fn verify(&self) -> bool {
        self.random.are_sorted()
    }
}
