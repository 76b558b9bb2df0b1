//! Square matrices stored block by block, as in bench/programs/blocked_matrix.hpp: the quadrants one after
//! the other, each likewise, down to leaves stored row by row.

use std::{ops::Range, slice};

use crate::dense::{halving_size, small_number, zeros, Block, Factor};
use crate::random::RandomSequence;

/// A block at some level, of so many rows and columns. As with [`Block`], it does not say who may use it.
#[derive(Clone, Copy)]
pub struct Blocked {
    pub first: *mut f64,
    pub rows: usize,
}

// SAFETY: a place and a shape; what is done there is promised where it is done.
unsafe impl Send for Blocked {}
unsafe impl Sync for Blocked {}

impl Blocked {
    pub fn entries(self) -> usize {
        self.rows * self.rows
    }

    /// Some of the entries, which are contiguous.
    ///
    /// # Safety
    /// They are written to, and nothing writes to them meanwhile.
    pub unsafe fn part<'a>(self, some: Range<usize>) -> &'a [f64] {
        slice::from_raw_parts(self.first.add(some.start), some.len())
    }

    /// # Safety
    /// They are written to, and nothing else uses them meanwhile.
    pub unsafe fn part_mut<'a>(self, some: Range<usize>) -> &'a mut [f64] {
        slice::from_raw_parts_mut(self.first.add(some.start), some.len())
    }

    /// Quadrants 0 1 / 2 3, of a block that is no leaf.
    pub fn quadrant(self, which: usize) -> Self {
        Self { first: self.first.wrapping_add(which * self.entries() / 4), rows: self.rows / 2 }
    }

    /// A leaf as what it is.
    pub fn leaf(self) -> Block {
        Block { first: self.first, rows: self.rows, columns: self.rows, stride: self.rows }
    }
}

/// A matrix of zeros, padded with more of them so that its halves end at leaves of at most `grain` rows.
pub struct BlockedMatrix {
    size: usize,
    padded: usize,
    leaf: usize,
    entries: Vec<f64>,
}

impl BlockedMatrix {
    pub fn new(size: usize, grain: usize) -> Self {
        let padded = halving_size(size, grain);
        let mut leaf = padded;
        while leaf > grain {
            leaf /= 2;
        }
        Self { size, padded, leaf, entries: zeros(padded * padded) }
    }

    fn place(&self, mut i: usize, mut j: usize) -> usize {
        let mut at = 0;
        let mut rows = self.padded;
        while rows > self.leaf {
            rows /= 2;
            at += rows * rows * (2 * usize::from(i >= rows) + usize::from(j >= rows));
            i -= if i >= rows { rows } else { 0 };
            j -= if j >= rows { rows } else { 0 };
        }
        at + i * self.leaf + j
    }
}

impl Factor for BlockedMatrix {
    type Block = Blocked;

    fn whole(&mut self) -> Blocked {
        Blocked { first: self.entries.as_mut_ptr(), rows: self.padded }
    }

    fn fill(&mut self, random: &mut RandomSequence) {
        for i in 0..self.size {
            for j in 0..self.size {
                let at = self.place(i, j);
                self.entries[at] = small_number(random);
            }
        }
    }

    fn columns(&self) -> usize {
        self.size
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let row = |i| (0..self.size).map(move |j| self.entries[self.place(i, j)]);
        (0..self.size).map(|i| row(i).zip(vector).fold(0.0, |sum, (x, y)| sum + x * y)).collect()
    }
}
