//! Dense matrices of the programs, as in bench/programs/dense.hpp.

use std::{hint::black_box, mem::MaybeUninit, slice};

use crate::random::RandomSequence;

/// A vector of zeros, written already as a C++ vector's are: no page of it is first touched while a clock runs.
pub fn zeros<T: Clone + Copy + Default>(length: usize) -> Vec<T> {
    let mut zeros = vec![T::default(); length];
    zeros.fill(black_box(T::default()));
    zeros
}

/// A rectangle within a matrix stored row by row. Of an odd number of rows or columns the larger part
/// is below or to the right.
///
/// A block does not say who may use it: the branches of a join must be given such blocks that none
/// overlaps one that another branch writes to. That is what the unsafe functions' callers promise.
#[derive(Clone, Copy)]
pub struct Block {
    pub first: *mut f64,
    pub rows: usize,
    pub columns: usize,
    pub stride: usize,
}

// SAFETY: a place and a shape; what is done there is promised where it is done.
unsafe impl Send for Block {}
unsafe impl Sync for Block {}

impl Block {
    fn part(self, row: usize, column: usize, rows: usize, columns: usize) -> Self {
        // Stays in or just behind the matrix; nothing is read here.
        let first = self.first.wrapping_add(row * self.stride + column);
        Self { first, rows, columns, stride: self.stride }
    }

    pub fn top(self) -> Self {
        self.part(0, 0, self.rows / 2, self.columns)
    }

    pub fn bottom(self) -> Self {
        self.part(self.rows / 2, 0, self.rows - self.rows / 2, self.columns)
    }

    pub fn left(self) -> Self {
        self.part(0, 0, self.rows, self.columns / 2)
    }

    pub fn right(self) -> Self {
        self.part(0, self.columns / 2, self.rows, self.columns - self.columns / 2)
    }

    /// Quadrants 0 1 / 2 3.
    pub fn quadrant(self, which: usize) -> Self {
        let half = if which >= 2 { self.bottom() } else { self.top() };
        if which % 2 == 1 {
            half.right()
        } else {
            half.left()
        }
    }

    /// # Safety
    /// The row is there and written to, and nothing writes to it meanwhile.
    pub unsafe fn row<'a>(self, i: usize) -> &'a [f64] {
        slice::from_raw_parts(self.first.add(i * self.stride), self.columns)
    }

    /// # Safety
    /// The row is there and written to, and nothing else uses it meanwhile.
    pub unsafe fn row_mut<'a>(self, i: usize) -> &'a mut [f64] {
        slice::from_raw_parts_mut(self.first.add(i * self.stride), self.columns)
    }

    /// # Safety
    /// The row is there, and nothing else uses it meanwhile.
    pub unsafe fn unwritten_row<'a>(self, i: usize) -> &'a mut [MaybeUninit<f64>] {
        slice::from_raw_parts_mut(self.first.add(i * self.stride).cast(), self.columns)
    }
}

/// c += by a b
///
/// # Safety
/// Nothing else uses c, or writes to a and b, meanwhile.
#[inline(never)]
pub unsafe fn add_product_serially(c: Block, a: Block, b: Block, by: f64) {
    for i in 0..c.rows {
        let sums = c.row_mut(i);
        for (k, &entry) in a.row(i).iter().enumerate() {
            let factor = by * entry;
            for (sum, &term) in sums.iter_mut().zip(b.row(k)) {
                *sum += factor * term;
            }
        }
    }
}

/// A small whole number. Products and sums of such are exact in any order.
pub fn small_number(random: &mut RandomSequence) -> f64 {
    (random.draw() % 16) as f64
}

/// A matrix of zeros.
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    stride: usize,
    entries: Vec<f64>,
}

impl Matrix {
    pub fn new(rows: usize, columns: usize) -> Self {
        // An odd number of cache lines, so that the rows of a small block do not all fall on the same
        // sets of a cache.
        let stride = (columns.div_ceil(8) | 1) * 8;
        Self { rows, columns, stride, entries: zeros(rows * stride) }
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.stride..][..self.columns]
    }

    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.stride..][..self.columns]
    }

    /// The first so many rows and columns only.
    pub fn fill_part(&mut self, random: &mut RandomSequence, rows: usize, columns: usize) {
        for i in 0..rows {
            for entry in &mut self.row_mut(i)[..columns] {
                *entry = small_number(random);
            }
        }
    }
}

impl Factor for Matrix {
    type Block = Block;

    fn whole(&mut self) -> Block {
        let first = self.entries.as_mut_ptr();
        Block { first, rows: self.rows, columns: self.columns, stride: self.stride }
    }

    fn fill(&mut self, random: &mut RandomSequence) {
        self.fill_part(random, self.rows, self.columns);
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| dot(self.row(i), vector)).collect()
    }
}

/// The sum of the products of two vectors' entries.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// The least size from `size` on that halves down to `grain` or less without a remainder.
pub fn halving_size(size: usize, grain: usize) -> usize {
    let mut leaves = 1;
    while leaves * grain < size {
        leaves *= 2;
    }
    size.next_multiple_of(leaves)
}

/// What a product and its check ask of a matrix.
pub trait Factor {
    /// A place in it: whose it is, its user says.
    type Block;

    fn whole(&mut self) -> Self::Block;
    fn fill(&mut self, random: &mut RandomSequence);
    fn columns(&self) -> usize;
    fn times(&self, vector: &[f64]) -> Vec<f64>;
}

/// Freivalds' check that c = a b: c v = a (b v) for random v. A wrong entry escapes each trial with at
/// most 1 in 16.
pub fn is_product<M: Factor>(c: &M, a: &M, b: &M, seed: u64) -> bool {
    let mut random = RandomSequence::new(!seed);
    (0..8).all(|_| {
        let vector: Vec<f64> = (0..c.columns()).map(|_| small_number(&mut random)).collect();
        c.times(&vector) == a.times(&b.times(&vector))
    })
}
