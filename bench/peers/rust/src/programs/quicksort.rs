//! Quicksort in place of random 32-bit values; the leaves are sorted by the standard library.

use super::{Input, Instance};
use crate::random::{fingerprint, random_values};
use crate::ForkJoin;

fn median(a: u32, b: u32, c: u32) -> u32 {
    a.min(b).max(a.max(b).min(c))
}

/// Hoare's partition of at least two values: equal values go to both sides, so many of them do no harm.
/// Returns m with 0 < m < length, nothing before m greater than anything from there on.
fn partition(values: &mut [u32]) -> usize {
    let length = values.len();
    let pivot = median(values[0], values[length / 2], values[length - 1]);
    let (mut low, mut high) = (0, length - 1);
    // SAFETY: the pivot, or what was last put on the other side, stops each scan within the slice.
    unsafe {
        loop {
            while *values.get_unchecked(low) < pivot {
                low += 1;
            }
            while pivot < *values.get_unchecked(high) {
                high -= 1;
            }
            if low >= high {
                break;
            }
            let lower = *values.get_unchecked(low);
            *values.get_unchecked_mut(low) = *values.get_unchecked(high);
            *values.get_unchecked_mut(high) = lower;
            low += 1;
            high -= 1;
        }
    }
    low.max(1)
}

fn quicksort<F: ForkJoin>(scope: &mut F::Scope<'_>, values: &mut [u32], grain: usize) {
    if values.len() <= grain {
        values.sort_unstable();
        return;
    }
    let middle = partition(values);
    let (lower, upper) = values.split_at_mut(middle);
    F::join(scope, |s| quicksort::<F>(s, lower, grain), |s| quicksort::<F>(s, upper, grain));
}

pub struct Quicksort {
    values: Vec<u32>,
    grain: usize,
    fingerprint: u64,
}

impl Instance for Quicksort {
    const LARGEST_SIZE: usize = 4_000_000_000;

    fn prepare(input: &Input) -> Self {
        let values = random_values(input.size, input.seed);
        let fingerprint = fingerprint(&values);
        Self { values, grain: input.grain.max(2), fingerprint }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        quicksort::<F>(scope, &mut self.values, self.grain);
    }

    fn verify(&self) -> bool {
        self.values.is_sorted() && fingerprint(&self.values) == self.fingerprint
    }
}
