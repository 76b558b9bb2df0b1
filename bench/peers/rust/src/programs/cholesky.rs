//! Cholesky factorization of a sparse symmetric positive definite matrix, in place in a quadtree.

use super::{Input, Instance};
use crate::dense::halving_size;
use crate::fork_join::for_each;
use crate::random::RandomSequence;
use crate::sparse::{Entry, SymmetricMatrix};
use crate::ForkJoin;

/// A block that is not all zeros.
enum Node {
    /// Of at most `grain` rows: its entries, column by column.
    Leaf(Box<[f64]>),
    /// Quadrants 0 1 / 2 3; on the diagonal 1 stays empty.
    Inner([Block; 4]),
}
use Node::*;

type Block = Option<Box<Node>>;

fn make_block(block: &mut Block, rows: usize, grain: usize) -> &mut Node {
    block.get_or_insert_with(|| {
        let leaf = || Leaf(vec![0.0; rows * rows].into());
        Box::new(if rows <= grain { leaf() } else { Inner(Default::default()) })
    })
}

/// to -= factor from
fn subtract_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    for (x, &y) in to.iter_mut().zip(from) {
        *x -= factor * y;
    }
}

#[inline(never)]
fn subtract_product_serially(c: &mut [f64], a: &[f64], b: &[f64], rows: usize) {
    for j in 0..rows {
        let sums = &mut c[j * rows..][..rows];
        for k in 0..rows {
            subtract_scaled(sums, b[k * rows + j], &a[k * rows..][..rows]);
        }
    }
}

#[inline(never)]
fn solve_serially(x: &mut [f64], l: &[f64], rows: usize) {
    for k in 0..rows {
        let (solved, rest) = x[k * rows..].split_at_mut(rows);
        for entry in &mut *solved {
            *entry /= l[k * rows + k];
        }
        for (column, &factor) in rest.chunks_exact_mut(rows).zip(&l[k * rows + k + 1..]) {
            subtract_scaled(column, factor, solved);
        }
    }
}

/// Of what is not positive definite some root is not a number, nor then are others.
#[inline(never)]
fn factor_serially(a: &mut [f64], rows: usize) {
    for k in 0..rows {
        let (factored, rest) = a[k * rows..].split_at_mut(rows);
        let pivot = factored[k].sqrt();
        factored[k] = pivot;
        for entry in &mut factored[k + 1..] {
            *entry /= pivot;
        }
        for (column, j) in rest.chunks_exact_mut(rows).zip(k + 1..) {
            subtract_scaled(&mut column[j..], factored[j], &factored[j..]);
        }
    }
}

const ONE_SIZE: &str = "blocks of as many rows are leaves or not alike";

/// c -= a b^T, each of `rows` rows; on the diagonal, only what is on and below it counts.
fn subtract_product<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    c: &mut Block,
    (a, b): (&Node, &Node),
    rows: usize,
    grain: usize,
    is_on_diagonal: bool,
) {
    match (make_block(c, rows, grain), a, b) {
        (Leaf(c), Leaf(a), Leaf(b)) => subtract_product_serially(c, a, b, rows),
        (Inner(c), Inner(a), Inner(b)) => {
            for k in 0..2 {
                let mut products: [Option<(&mut Block, &Node, &Node, bool)>; 4] = Default::default();
                let mut count = 0;
                for (which, c) in c.iter_mut().enumerate() {
                    let (i, j) = (which / 2, which % 2);
                    let (Some(a), Some(b)) = (&a[2 * i + k], &b[2 * j + k]) else { continue };
                    if !is_on_diagonal || j <= i {
                        products[count] = Some((c, a, b, is_on_diagonal && i == j));
                        count += 1;
                    }
                }
                for_each::<F, _, _>(scope, &mut products[..count], &|s: &mut F::Scope<'_>, product| {
                    if let Some((c, a, b, is_on_diagonal)) = product {
                        subtract_product::<F>(s, c, (a, b), rows / 2, grain, *is_on_diagonal);
                    }
                });
            }
        }
        _ => unreachable!("{ONE_SIZE}"),
    }
}

/// The upper or the lower half of `solve`: its left quadrant, then with that its right one.
fn solve_half<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    [left, right]: [&mut Block; 2],
    l: &[Block; 4],
    rows: usize,
    grain: usize,
) {
    if let (Some(left), Some(l00)) = (left, &l[0]) {
        solve::<F>(scope, left, l00, rows / 2, grain);
        if let Some(l10) = &l[2] {
            subtract_product::<F>(scope, right, (left, l10), rows / 2, grain, false);
        }
    }
    if let (Some(right), Some(l11)) = (right, &l[3]) {
        solve::<F>(scope, right, l11, rows / 2, grain);
    }
}

/// x = x l^-T
fn solve<F: ForkJoin>(scope: &mut F::Scope<'_>, x: &mut Node, l: &Node, rows: usize, grain: usize) {
    match (x, l) {
        (Leaf(x), Leaf(l)) => solve_serially(x, l, rows),
        (Inner([x00, x01, x10, x11]), Inner(l)) => {
            F::join(
                scope,
                |s| solve_half::<F>(s, [x00, x01], l, rows, grain),
                |s| solve_half::<F>(s, [x10, x11], l, rows, grain),
            );
        }
        _ => unreachable!("{ONE_SIZE}"),
    }
}

fn factor<F: ForkJoin>(scope: &mut F::Scope<'_>, a: &mut Node, rows: usize, grain: usize) {
    match a {
        Leaf(a) => factor_serially(a, rows),
        Inner([a00, _, a10, a11]) => {
            let a00 = a00.as_mut().expect("no diagonal block is empty");
            factor::<F>(scope, a00, rows / 2, grain);
            if let Some(a10) = a10 {
                solve::<F>(scope, a10, a00, rows / 2, grain);
                subtract_product::<F>(scope, a11, (a10, a10), rows / 2, grain, true);
            }
            let a11 = a11.as_mut().expect("no diagonal block is empty");
            factor::<F>(scope, a11, rows / 2, grain);
        }
    }
}

pub struct Cholesky {
    grain: usize,
    seed: u64,
    original: SymmetricMatrix,
    padded: usize,
    root: Block,
}

impl Cholesky {
    fn insert(&mut self, entry: Entry) {
        let (mut i, mut j, mut rows) = (entry.row, entry.column, self.padded);
        let mut at = &mut self.root;
        loop {
            match make_block(at, rows, self.grain) {
                Leaf(entries) => {
                    entries[j * rows + i] = entry.value;
                    return;
                }
                Inner(quadrants) => {
                    rows /= 2;
                    at = &mut quadrants[2 * (i / rows) + j / rows];
                    (i, j) = (i % rows, j % rows);
                }
            }
        }
    }
}

/// Calls `visit(i, j, entry)` for what a block holds on and below the diagonal.
fn for_entries(
    block: &Block,
    (row, column): (usize, usize),
    rows: usize,
    visit: &mut impl FnMut(usize, usize, f64),
) {
    match block.as_deref() {
        None => {}
        Some(Inner(quadrants)) => {
            let half = rows / 2;
            for (which, quadrant) in quadrants.iter().enumerate() {
                let corner = (row + which / 2 * half, column + which % 2 * half);
                for_entries(quadrant, corner, half, visit);
            }
        }
        Some(Leaf(entries)) => {
            for j in 0..rows {
                for i in if row == column { j } else { 0 }..rows {
                    visit(row + i, column + j, entries[j * rows + i]);
                }
            }
        }
    }
}

impl Instance for Cholesky {
    const LARGEST_SIZE: usize = 100_000;
    const READS_MATRIX: bool = true;

    fn prepare(input: &Input) -> Self {
        let random = || SymmetricMatrix::random(input.size, input.seed);
        let original = input.matrix.clone().unwrap_or_else(random);
        let grain = input.grain.max(1);
        let padded = halving_size(original.rows, grain);
        let mut made = Self { grain, seed: input.seed, original, padded, root: None };
        for i in 0..made.original.entries.len() {
            made.insert(made.original.entries[i]);
        }
        // Beyond its rows the tree holds a unit matrix.
        for i in made.original.rows..padded {
            made.insert(Entry { row: i, column: i, value: 1.0 });
        }
        made
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        if let Some(root) = &mut self.root {
            factor::<F>(scope, root, self.padded, self.grain);
        }
    }

    /// The residual for a random v: L (L^T v) against A v.
    fn verify(&self) -> bool {
        let mut random = RandomSequence::new(!self.seed);
        let v: Vec<f64> = (0..self.padded).map(|_| (1 + random.draw() % 16) as f64).collect();
        let mut turned = vec![0.0; v.len()];
        for_entries(&self.root, (0, 0), self.padded, &mut |i, j, entry| turned[j] += entry * v[i]);
        let mut made = vec![0.0; v.len()];
        for_entries(&self.root, (0, 0), self.padded, &mut |i, j, entry| made[i] += entry * turned[j]);
        let mut expected = v.clone();
        expected[..self.original.rows].fill(0.0);
        let mut largest: f64 = 1.0;
        for &Entry { row, column, value } in &self.original.entries {
            expected[row] += value * v[column];
            if row != column {
                expected[column] += value * v[row];
            }
            largest = largest.max(value.abs());
        }
        // What is not a number is near to nothing.
        made.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 1e-10 * largest * 16.0)
    }
}
