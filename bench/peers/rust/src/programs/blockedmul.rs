//! Square matrix product in a blocked layout: eight products at once, four of them into a temporary.

use std::ops::Range;

use super::product::Multiply;
use super::Input;
use crate::blocked_matrix::{Blocked, BlockedMatrix};
use crate::dense::add_product_serially;
use crate::fork_join::{for_each, in_halves};
use crate::ForkJoin;

const ENTRIES_ADDED_SERIALLY: usize = 4096;

/// c += t. Nothing else may use c, or write to t, meanwhile.
unsafe fn add<F: ForkJoin>(scope: &mut F::Scope<'_>, c: Blocked, t: Blocked) {
    let body = |_: &mut F::Scope<'_>, some: Range<usize>| {
        // SAFETY: each call has its own entries.
        let (sums, terms) = unsafe { (c.part_mut(some.clone()), t.part(some)) };
        for (sum, &term) in sums.iter_mut().zip(terms) {
            *sum += term;
        }
    };
    in_halves::<F, _>(scope, 0..c.entries(), ENTRIES_ADDED_SERIALLY, &body);
}

/// c = a b. Nothing else may use c, or write to a and b, meanwhile.
unsafe fn multiply<F: ForkJoin>(scope: &mut F::Scope<'_>, c: Blocked, a: Blocked, b: Blocked, grain: usize) {
    if c.rows <= grain {
        c.first.write_bytes(0, c.entries());
        add_product_serially(c.leaf(), a.leaf(), b.leaf(), 1.0);
        return;
    }
    let mut temporary = Box::<[f64]>::new_uninit_slice(c.entries());
    let t = Blocked { first: temporary.as_mut_ptr().cast(), rows: c.rows };
    for_each::<F, _, _>(scope, &mut [0, 1, 2, 3, 4, 5, 6, 7], &|s: &mut F::Scope<'_>, &mut which| {
        let (to, k) = if which < 4 { (c, 0) } else { (t, 1) };
        let (from_a, from_b) = (a.quadrant((which & 2) + k), b.quadrant(2 * k + (which & 1)));
        // SAFETY: each task has a quadrant of c or of t to itself.
        unsafe { multiply::<F>(s, to.quadrant(which % 4), from_a, from_b, grain) };
    });
    add::<F>(scope, c, t);
}

pub struct Blockedmul;

impl Multiply for Blockedmul {
    type Matrix = BlockedMatrix;

    fn matrices(input: &Input, grain: usize) -> [BlockedMatrix; 3] {
        [(); 3].map(|()| BlockedMatrix::new(input.size, grain))
    }

    unsafe fn multiply<F: ForkJoin>(scope: &mut F::Scope<'_>, [c, a, b]: [Blocked; 3], grain: usize) {
        multiply::<F>(scope, c, a, b, grain);
    }
}
