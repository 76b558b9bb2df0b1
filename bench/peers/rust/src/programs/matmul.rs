//! Square matrix product by divide and conquer, in two rounds of four products each.

use std::slice;

use super::{Input, Instance};
use crate::random::RandomSequence;
use crate::ForkJoin;

/// A rectangle within a matrix stored row by row.
#[derive(Clone, Copy)]
struct Block {
    first: *mut f64,
    rows: usize,
    columns: usize,
    stride: usize,
}

// SAFETY: blocks are written to by one branch of a join at a time, which add_product's callers promise.
unsafe impl Send for Block {}

impl Block {
    /// Quadrants 0 1 / 2 3; odd sizes leave the larger part below and to the right.
    fn quadrant(self, which: usize) -> Self {
        let (top, left) = (self.rows / 2, self.columns / 2);
        let (row, rows) = if which >= 2 { (top, self.rows - top) } else { (0, top) };
        let (column, columns) = if which % 2 == 1 { (left, self.columns - left) } else { (0, left) };
        // SAFETY: inside this block.
        let first = unsafe { self.first.add(row * self.stride + column) };
        Self { first, rows, columns, stride: self.stride }
    }

    /// Nothing else may write to the row while the slice is there.
    unsafe fn row<'a>(self, i: usize) -> &'a [f64] {
        slice::from_raw_parts(self.first.add(i * self.stride), self.columns)
    }

    /// Nothing else may use the row while the slice is there.
    unsafe fn row_mut<'a>(self, i: usize) -> &'a mut [f64] {
        slice::from_raw_parts_mut(self.first.add(i * self.stride), self.columns)
    }
}

unsafe fn add_product_serially(c: Block, a: Block, b: Block) {
    for i in 0..c.rows {
        let sums = c.row_mut(i);
        for (k, &factor) in a.row(i).iter().enumerate() {
            for (sum, &term) in sums.iter_mut().zip(b.row(k)) {
                *sum += factor * term;
            }
        }
    }
}

/// c += a b. Nothing else may use c, or write to a and b, meanwhile.
unsafe fn add_product<F: ForkJoin>(scope: &mut F::Scope<'_>, c: Block, a: Block, b: Block, grain: usize) {
    if c.rows.max(c.columns).max(a.columns) <= grain {
        add_product_serially(c, a, b);
        return;
    }
    // Quadrants of c get one product each a round; `from` and `to` meet in the middle of every product.
    for (left, upper) in [(0, 0), (1, 2)] {
        let product = |to: usize| {
            let (from_a, from_b) = (a.quadrant((to & 2) + left), b.quadrant(upper + (to & 1)));
            let to = c.quadrant(to);
            move |s: &mut F::Scope<'_>| add_product::<F>(s, to, from_a, from_b, grain)
        };
        F::join4(scope, product(0), product(1), product(2), product(3));
    }
}

/// A square matrix. Entries are small whole numbers, so that every product and sum is exact.
struct Matrix {
    size: usize,
    entries: Vec<f64>,
}

impl Matrix {
    fn new(size: usize, entry: impl FnMut() -> f64) -> Self {
        Self { size, entries: std::iter::repeat_with(entry).take(size * size).collect() }
    }

    fn whole(&mut self) -> Block {
        Block { first: self.entries.as_mut_ptr(), rows: self.size, columns: self.size, stride: self.size }
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let rows = self.entries.chunks(self.size.max(1));
        rows.map(|row| row.iter().zip(vector).map(|(x, y)| x * y).sum()).collect()
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
        let mut entry = || (random.draw() % 16) as f64;
        let a = Matrix::new(input.size, &mut entry);
        let b = Matrix::new(input.size, &mut entry);
        let c = Matrix::new(input.size, || 0.0);
        Self { grain: input.grain.max(1), seed: input.seed, a, b, c }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        // SAFETY: three matrices, all of them lent to this function.
        unsafe { add_product::<F>(scope, self.c.whole(), self.a.whole(), self.b.whole(), self.grain) };
    }

    /// Freivalds' check: c v = a (b v) for random v. A wrong entry escapes each trial with at most 1 in 16.
    fn verify(&self) -> bool {
        let mut random = RandomSequence::new(!self.seed);
        (0..8).all(|_| {
            let vector: Vec<f64> = (0..self.c.size).map(|_| (random.draw() % 16) as f64).collect();
            self.c.times(&vector) == self.a.times(&self.b.times(&vector))
        })
    }
}
