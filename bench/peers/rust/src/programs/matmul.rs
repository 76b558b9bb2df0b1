//! Square matrix product by divide and conquer, in two rounds of four products each.

use super::{Input, Instance};
use crate::dense::{add_product_serially, is_product, Block, Matrix};
use crate::fork_join::for_each;
use crate::random::RandomSequence;
use crate::ForkJoin;

/// c += a b. Nothing else may use c, or write to a and b, meanwhile.
unsafe fn add_product<F: ForkJoin>(scope: &mut F::Scope<'_>, c: Block, a: Block, b: Block, grain: usize) {
    if c.rows.max(c.columns).max(a.columns) <= grain {
        add_product_serially(c, a, b, 1.0);
        return;
    }
    for k in 0..2 {
        for_each::<F, _, _>(scope, &mut [0, 1, 2, 3], &|s: &mut F::Scope<'_>, &mut to| {
            let (from_a, from_b) = (a.quadrant((to & 2) + k), b.quadrant(2 * k + (to & 1)));
            // SAFETY: each task has a quadrant of c to itself.
            unsafe { add_product::<F>(s, c.quadrant(to), from_a, from_b, grain) };
        });
    }
}

pub struct Matmul {
    grain: usize,
    seed: u64,
    a: Matrix,
    b: Matrix,
    c: Matrix,
}

impl Instance for Matmul {
    const LARGEST_SIZE: usize = 16384;

    fn prepare(input: &Input) -> Self {
        let mut random = RandomSequence::new(input.seed);
        let [mut a, mut b, c] = [(); 3].map(|()| Matrix::new(input.size, input.size));
        a.fill(&mut random);
        b.fill(&mut random);
        Self { grain: input.grain.max(1), seed: input.seed, a, b, c }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        // SAFETY: three matrices, all of them lent to this function.
        unsafe { add_product::<F>(scope, self.c.whole(), self.a.whole(), self.b.whole(), self.grain) };
    }

    fn verify(&self) -> bool {
        is_product(&self.c, &self.a, &self.b, self.seed)
    }
}
