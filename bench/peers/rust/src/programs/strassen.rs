//! Square matrix product by Strassen's method in Winograd's form.

use std::{mem::MaybeUninit, ops::Range};

use super::product::Multiply;
use super::Input;
use crate::dense::{add_product_serially, halving_size, Block, Matrix};
use crate::fork_join::{for_each, in_halves};
use crate::random::RandomSequence;
use crate::ForkJoin;

const ROWS_SUMMED_SERIALLY: usize = 32;

/// Square matrices of which every entry is written before it is read.
struct Temporaries<const COUNT: usize> {
    blocks: [Block; COUNT],
    _entries: Box<[MaybeUninit<f64>]>,
}

impl<const COUNT: usize> Temporaries<COUNT> {
    fn new(size: usize) -> Self {
        let mut entries = Box::new_uninit_slice(COUNT * size * size);
        let first: *mut f64 = entries.as_mut_ptr().cast();
        let blocks = std::array::from_fn(|which| Block {
            first: first.wrapping_add(which * size * size),
            rows: size,
            columns: size,
            stride: size,
        });
        Self { blocks, _entries: entries }
    }
}

/// Row i of each of some blocks of the same width.
unsafe fn rows<'a, const COUNT: usize>(of: [Block; COUNT], i: usize) -> [&'a [f64]; COUNT] {
    let width = of[0].columns;
    of.map(|block| &block.row(i)[..width])
}

unsafe fn unwritten_rows<'a, const COUNT: usize>(
    of: [Block; COUNT],
    i: usize,
) -> [&'a mut [MaybeUninit<f64>]; COUNT] {
    let width = of[0].columns;
    of.map(|block| &mut block.unwritten_row(i)[..width])
}

fn quadrants(of: Block) -> [Block; 4] {
    [0, 1, 2, 3].map(|which| of.quadrant(which))
}

/// What is multiplied of the left matrix: s0 = a2 + a3, s1 = s0 - a0, s2 = a0 - a2, s3 = a1 - s1.
unsafe fn form_left_sums(sums: [Block; 4], a: [Block; 4], i: usize) {
    let [a0, a1, a2, a3] = rows(a, i);
    let [to0, to1, to2, to3] = unwritten_rows(sums, i);
    for j in 0..a0.len() {
        let s0 = a2[j] + a3[j];
        let s1 = s0 - a0[j];
        to0[j].write(s0);
        to1[j].write(s1);
        to2[j].write(a0[j] - a2[j]);
        to3[j].write(a1[j] - s1);
    }
}

/// What is multiplied of the right matrix: t0 = b1 - b0, t1 = b3 - t0, t2 = b3 - b1, t3 = t1 - b2.
unsafe fn form_right_sums(sums: [Block; 4], b: [Block; 4], i: usize) {
    let [b0, b1, b2, b3] = rows(b, i);
    let [to0, to1, to2, to3] = unwritten_rows(sums, i);
    for j in 0..b0.len() {
        let t0 = b1[j] - b0[j];
        let t1 = b3[j] - t0;
        to0[j].write(t0);
        to1[j].write(t1);
        to2[j].write(b3[j] - b1[j]);
        to3[j].write(t1 - b2[j]);
    }
}

/// The quadrants of the result, of the products in the order in which `multiply` makes them.
unsafe fn form_result(c: [Block; 4], p: [Block; 7], i: usize) {
    let [p0, p1, p2, p3, p4, p5, p6] = rows(p, i);
    let [c0, c1, c2, c3] = unwritten_rows(c, i);
    for j in 0..p0.len() {
        let common = p0[j] + p5[j];
        let lower = common + p6[j];
        c0[j].write(p0[j] + p1[j]);
        c1[j].write(common + p4[j] + p2[j]);
        c2[j].write(lower - p3[j]);
        c3[j].write(lower + p4[j]);
    }
}

/// Calls `form(i)` for every row of a quadrant.
fn for_rows<F: ForkJoin>(scope: &mut F::Scope<'_>, rows: usize, form: &(impl Fn(usize) + Sync)) {
    in_halves::<F, _>(scope, 0..rows, ROWS_SUMMED_SERIALLY, &|_: &mut F::Scope<'_>, range: Range<usize>| {
        range.for_each(form)
    });
}

/// c = a b. Nothing else may use c, or write to a and b, meanwhile.
unsafe fn multiply<F: ForkJoin>(scope: &mut F::Scope<'_>, c: Block, a: Block, b: Block, grain: usize) {
    if c.rows <= grain {
        for i in 0..c.rows {
            c.unwritten_row(i).fill(MaybeUninit::new(0.0));
        }
        add_product_serially(c, a, b, 1.0);
        return;
    }
    let half = c.rows / 2;
    let (left_sums, right_sums) = (Temporaries::<4>::new(half), Temporaries::<4>::new(half));
    let products = Temporaries::<7>::new(half);
    let (s, t, p) = (left_sums.blocks, right_sums.blocks, products.blocks);
    let (c, a, b) = (quadrants(c), quadrants(a), quadrants(b));
    // SAFETY, here and below: each call has its own row, or its own product.
    for_rows::<F>(scope, half, &|i| unsafe {
        form_left_sums(s, a, i);
        form_right_sums(t, b, i);
    });
    let mut factors = [
        (p[0], a[0], b[0]),
        (p[1], a[1], b[2]),
        (p[2], s[3], b[3]),
        (p[3], a[3], t[3]),
        (p[4], s[0], t[0]),
        (p[5], s[1], t[1]),
        (p[6], s[2], t[2]),
    ];
    for_each::<F, _, _>(scope, &mut factors, &|scope: &mut F::Scope<'_>, &mut (c, a, b)| unsafe {
        multiply::<F>(scope, c, a, b, grain);
    });
    for_rows::<F>(scope, half, &|i| unsafe { form_result(c, p, i) });
}

pub struct Strassen;

impl Multiply for Strassen {
    type Matrix = Matrix;

    fn matrices(input: &Input, grain: usize) -> [Matrix; 3] {
        let padded = halving_size(input.size, grain);
        [(); 3].map(|()| Matrix::new(padded, padded))
    }

    fn fill(factor: &mut Matrix, input: &Input, random: &mut RandomSequence) {
        factor.fill_part(random, input.size, input.size);
    }

    unsafe fn multiply<F: ForkJoin>(scope: &mut F::Scope<'_>, [c, a, b]: [Block; 3], grain: usize) {
        multiply::<F>(scope, c, a, b, grain);
    }
}
