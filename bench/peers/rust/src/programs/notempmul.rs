//! Square matrix product in a blocked layout, without temporaries.

use super::product::Multiply;
use super::Input;
use crate::blocked_matrix::{Blocked, BlockedMatrix};
use crate::dense::add_product_serially;
use crate::fork_join::for_each;
use crate::ForkJoin;

/// c += a b. Nothing else may use c, or write to a and b, meanwhile.
unsafe fn add_product<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    c: Blocked,
    a: Blocked,
    b: Blocked,
    grain: usize,
) {
    if c.rows <= grain {
        add_product_serially(c.leaf(), a.leaf(), b.leaf(), 1.0);
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

pub struct Notempmul;

impl Multiply for Notempmul {
    type Matrix = BlockedMatrix;

    fn matrices(input: &Input, grain: usize) -> [BlockedMatrix; 3] {
        [(); 3].map(|()| BlockedMatrix::new(input.size, grain))
    }

    unsafe fn multiply<F: ForkJoin>(scope: &mut F::Scope<'_>, [c, a, b]: [Blocked; 3], grain: usize) {
        add_product::<F>(scope, c, a, b, grain);
    }
}
