//! Parallel merge sort, with parallel merges, of random 32-bit values.

use super::{Input, Instance};
use crate::dense::zeros;
use crate::merge_sort::merge_sort;
use crate::random::{fingerprint, random_values};
use crate::ForkJoin;

pub struct Cilksort {
    values: Vec<u32>,
    spare: Vec<u32>,
    grain: usize,
    fingerprint: u64,
}

impl Instance for Cilksort {
    const LARGEST_SIZE: usize = 4_000_000_000;

    fn prepare(input: &Input) -> Self {
        let values = random_values(input.size, input.seed);
        let fingerprint = fingerprint(&values);
        Self { values, spare: zeros(input.size), grain: input.grain.max(4), fingerprint }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        merge_sort::<F, u32>(scope, &mut self.values, &mut self.spare, self.grain);
    }

    fn verify(&self) -> bool {
        self.values.is_sorted() && fingerprint(&self.values) == self.fingerprint
    }
}
