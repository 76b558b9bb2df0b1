//! A loop with a leaf of about a microsecond per iteration.

use super::{Input, Instance};
use crate::dense::zeros;
use crate::serial_work::{steps_at_once, take_steps};
use crate::ForkJoin;

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
        F::for_each_mut(scope, &mut self.results, &|i, result| *result = take_steps(i as u64, steps));
    }

    fn verify(&self) -> bool {
        let all_steps = steps_at_once(self.steps);
        self.results.iter().enumerate().all(|(i, &result)| result == all_steps.of(i as u64))
    }
}
