//! Square matrix product by divide and conquer, in two rounds of four products each.

use super::product::Multiply;
use super::Input;
use crate::dense::{add_product_serially, Block, Matrix};
use crate::fork_join::for_each;
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

pub struct Matmul;

impl Multiply for Matmul {
    type Matrix = Matrix;

    fn matrices(input: &Input, _grain: usize) -> [Matrix; 3] {
        [(); 3].map(|()| Matrix::new(input.size, input.size))
    }

    unsafe fn multiply<F: ForkJoin>(scope: &mut F::Scope<'_>, [c, a, b]: [Block; 3], grain: usize) {
        add_product::<F>(scope, c, a, b, grain);
    }
}
