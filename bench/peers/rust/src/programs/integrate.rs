//! Adaptive quadrature of (x^2 + 1) x by the trapezium rule.

use super::{Input, Instance};
use crate::ForkJoin;

const TOLERANCE: f64 = 1e-9;

fn integrand(x: f64) -> f64 {
    (x * x + 1.0) * x
}

/// From x1 to x2, where the integrand is y1 and y2; `coarse` is the trapezium over the whole.
fn integrate<F: ForkJoin>(scope: &mut F::Scope<'_>, x1: f64, y1: f64, x2: f64, y2: f64, coarse: f64) -> f64 {
    let half = (x2 - x1) / 2.0;
    let middle = x1 + half;
    let y = integrand(middle);
    let left = (y1 + y) / 2.0 * half;
    let right = (y + y2) / 2.0 * half;
    if (left + right - coarse).abs() < TOLERANCE {
        return left + right;
    }
    let (left_area, right_area) = F::join(
        scope,
        |s| integrate::<F>(s, x1, y1, middle, y, left),
        |s| integrate::<F>(s, middle, y, x2, y2, right),
    );
    left_area + right_area
}

pub struct Integrate {
    bound: f64,
    result: f64,
}

impl Instance for Integrate {
    const LARGEST_SIZE: usize = 100_000;

    fn prepare(input: &Input) -> Self {
        Self { bound: input.size as f64, result: -1.0 }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        self.result = integrate::<F>(scope, 0.0, integrand(0.0), self.bound, integrand(self.bound), 0.0);
    }

    fn verify(&self) -> bool {
        let square = self.bound * self.bound;
        let exact = square * square / 4.0 + square / 2.0;
        // Each interval may be off by the tolerance, and about 1000 b^(4/3) of them cover the way to b.
        let intervals = 1000.0 * (1.0 + self.bound.powf(4.0 / 3.0));
        (self.result - exact).abs() <= TOLERANCE * intervals + 1e-13 * exact
    }
}
