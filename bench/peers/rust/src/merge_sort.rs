//! Merge sort whose halves and whose merges are both forked, as in bench/programs/merge_sort.hpp.

use std::mem;

use crate::serial_sort::serial_sort;
use crate::ForkJoin;

/// Merges sorted `a` and `b` to `out`, which is as long as both.
fn merge_serially<T: Copy + Ord>(a: &[T], b: &[T], out: &mut [T]) {
    assert_eq!(out.len(), a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        // SAFETY: i and j are in range, so that i + j is.
        unsafe {
            let (x, y) = (*a.get_unchecked(i), *b.get_unchecked(j));
            let later = y < x;
            *out.get_unchecked_mut(i + j) = if later { y } else { x };
            i += usize::from(!later);
            j += usize::from(later);
        }
    }
    let out = &mut out[i + j..];
    if i < a.len() {
        out.copy_from_slice(&a[i..]);
    } else {
        out.copy_from_slice(&b[j..]);
    }
}

/// Merges sorted `a` and `b` to `out`: what is less than the middle of the longer one apart from the rest.
fn merge_runs<'a, F: ForkJoin, T: Copy + Ord + Send + Sync>(
    scope: &mut F::Scope<'_>,
    mut a: &'a [T],
    mut b: &'a [T],
    out: &mut [T],
    grain: usize,
) {
    if out.len() <= grain {
        merge_serially(a, b, out);
        return;
    }
    if a.len() < b.len() {
        mem::swap(&mut a, &mut b);
    }
    let (a_lower, a_upper) = a.split_at(a.len() / 2);
    let (b_lower, b_upper) = b.split_at(b.partition_point(|value| *value < a_upper[0]));
    let (out_lower, out_upper) = out.split_at_mut(a_lower.len() + b_lower.len());
    F::join(
        scope,
        |s| merge_runs::<F, T>(s, a_lower, b_lower, out_lower, grain),
        |s| merge_runs::<F, T>(s, a_upper, b_upper, out_upper, grain),
    );
}

/// Sorts `values`, where `spare` is as long. The grain is at least 4.
pub fn merge_sort<F: ForkJoin, T: Copy + Ord + Send + Sync>(
    scope: &mut F::Scope<'_>,
    values: &mut [T],
    spare: &mut [T],
    grain: usize,
) {
    let size = values.len();
    if size <= grain {
        serial_sort(values);
        return;
    }
    let half = size / 2;
    let (lower, upper) = values.split_at_mut(half);
    let (a, b) = lower.split_at_mut(half / 2);
    let (c, d) = upper.split_at_mut((size - half) / 2);
    let (spare_lower, spare_upper) = spare.split_at_mut(half);
    {
        let (spare_a, spare_b) = spare_lower.split_at_mut(a.len());
        let (spare_c, spare_d) = spare_upper.split_at_mut(c.len());
        let (a, b, c, d) = (&mut *a, &mut *b, &mut *c, &mut *d);
        let sort = |s: &mut F::Scope<'_>, values, spare| merge_sort::<F, T>(s, values, spare, grain);
        F::join(
            scope,
            |s| F::join(s, |s| sort(s, a, spare_a), |s| sort(s, b, spare_b)),
            |s| F::join(s, |s| sort(s, c, spare_c), |s| sort(s, d, spare_d)),
        );
    }
    F::join(
        scope,
        |s| merge_runs::<F, T>(s, a, b, spare_lower, grain),
        |s| merge_runs::<F, T>(s, c, d, spare_upper, grain),
    );
    merge_runs::<F, T>(scope, spare_lower, spare_upper, values, grain);
}
