//! How the sorting programs sort their leaves: introsort, which C++ has as std::sort. Rust's own unstable
//! sort is another algorithm, faster on such values, which would be compared in place of the libraries.

use std::mem;

const SORTED_BY_INSERTION: usize = 16;

fn median<T: Copy + Ord>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

/// Hoare's partition of at least two values: equal values go to both sides, so many of them do no harm.
/// Returns m with 0 < m < length, nothing before m greater than anything from there on.
pub fn partition<T: Copy + Ord>(values: &mut [T]) -> usize {
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

pub fn serial_sort<T: Copy + Ord>(values: &mut [T]) {
    sort_coarsely(values, 2 * values.len().max(1).ilog2());
    for i in 1..values.len() {
        let value = values[i];
        let mut to = i;
        // SAFETY: from 1 to i.
        unsafe {
            while to > 0 && value < *values.get_unchecked(to - 1) {
                *values.get_unchecked_mut(to) = *values.get_unchecked(to - 1);
                to -= 1;
            }
            *values.get_unchecked_mut(to) = value;
        }
    }
}

/// Leaves to insertion what is that near to its place. Where partitions go badly too often another sort
/// takes over.
fn sort_coarsely<T: Copy + Ord>(mut values: &mut [T], mut partitions_left: u32) {
    while values.len() > SORTED_BY_INSERTION {
        if partitions_left == 0 {
            values.sort_unstable();
            return;
        }
        partitions_left -= 1;
        let middle = partition(values);
        let (lower, upper) = mem::take(&mut values).split_at_mut(middle);
        sort_coarsely(upper, partitions_left);
        values = lower;
    }
}
