//! Fast Fourier transform by recursion on Cooley and Tukey's factorization.

use std::{
    f64::consts::PI,
    ops::{Add, Mul, Range, Sub},
};

use super::{Input, Instance};
use crate::dense::zeros;
use crate::fork_join::in_halves;
use crate::random::{mix, RandomSequence};
use crate::ForkJoin;

#[derive(Clone, Copy, Default)]
struct Complex {
    re: f64,
    im: f64,
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// e^(-2 pi i part / whole)
fn root_of_unity(part: f64, whole: usize) -> Complex {
    let angle = -2.0 * PI * part / whole as f64;
    Complex { re: angle.cos(), im: angle.sin() }
}

/// What transforms of a number of points, and of those it factors into, look up.
struct Tables {
    log_points: u32,
    log_leaf: u32,
    log_fine: u32,
    /// The first roots of all points.
    fine: Vec<Complex>,
    /// Every 2^log_fine-th of them.
    coarse: Vec<Complex>,
    stages: Vec<Complex>,
    reversed: Vec<u32>,
}

impl Tables {
    /// For 2^log_points, serially up to 2^log_leaf.
    fn new(log_points: u32, log_leaf: u32) -> Self {
        let log_leaf = log_leaf.min(log_points);
        let log_fine = log_points.div_ceil(2);
        let roots = |count: usize, whole: usize| (0..count).map(move |i| root_of_unity(i as f64, whole));
        let coarse_count = (1 << log_points) >> log_fine;
        let mut stages = vec![Complex::default()];
        for log_half in 0..log_leaf {
            stages.extend(roots(1 << log_half, 2 << log_half));
        }
        let mut reversed = vec![0; 1 << log_leaf];
        for i in 1..reversed.len() {
            reversed[i] = reversed[i / 2] / 2 + if i % 2 == 1 { 1 << (log_leaf - 1) } else { 0 };
        }
        Self {
            log_points,
            log_leaf,
            log_fine,
            fine: roots(1 << log_fine, 1 << log_points).collect(),
            coarse: roots(coarse_count, coarse_count).collect(),
            stages,
            reversed,
        }
    }

    /// e^(-2 pi i part / 2^log_whole), exact to a rounding or two: the product of two that are looked up.
    ///
    /// `part` must be less than 2^log_whole.
    unsafe fn root(&self, part: usize, log_whole: u32) -> Complex {
        let at = part << (self.log_points - log_whole);
        *self.coarse.get_unchecked(at >> self.log_fine) * *self.fine.get_unchecked(at & (self.fine.len() - 1))
    }

    /// How many rows of so many points are worked on serially.
    fn rows_serially(&self, log_columns: u32) -> usize {
        ((1 << self.log_leaf) >> log_columns).max(1)
    }
}

/// The points of a matrix of rows. As with dense blocks, callers of the unsafe functions promise that no
/// branch of a join is given points that another one writes to.
#[derive(Clone, Copy)]
struct Points(*mut Complex);

// SAFETY: a place; what is done there is promised where it is done.
unsafe impl Send for Points {}
unsafe impl Sync for Points {}

impl Points {
    unsafe fn from(self, i: usize) -> Self {
        Self(self.0.add(i))
    }

    unsafe fn slice<'a>(self, length: usize) -> &'a [Complex] {
        std::slice::from_raw_parts(self.0, length)
    }

    unsafe fn slice_mut<'a>(self, length: usize) -> &'a mut [Complex] {
        std::slice::from_raw_parts_mut(self.0, length)
    }
}

/// out = the transform of in, by halving from the other end: neighbours first. Both are a leaf at most.
#[inline(never)]
unsafe fn transform_serially(from: &[Complex], out: &mut [Complex], log_points: u32, look: &Tables) {
    for (to, &reversed) in out.iter_mut().zip(&look.reversed) {
        *to = *from.get_unchecked((reversed >> (look.log_leaf - log_points)) as usize);
    }
    let mut half = 1;
    while half < out.len() {
        let roots = &look.stages[half..2 * half];
        for pair in out.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for ((low, high), &root) in low.iter_mut().zip(high).zip(roots) {
                let turned = *high * root;
                *high = *low - turned;
                *low = *low + turned;
            }
        }
        half *= 2;
    }
}

/// Some rows of `out`, each `rows` long, become columns of `in`, each row of which is `columns` long.
#[inline(never)]
unsafe fn transpose_serially(from: Points, out: Points, rows: usize, columns: usize, some: Range<usize>) {
    const TILE: usize = 8;
    for i0 in (0..rows).step_by(TILE) {
        for j0 in some.clone().step_by(TILE) {
            for j in j0..(j0 + TILE).min(some.end) {
                for i in i0..(i0 + TILE).min(rows) {
                    *out.0.add(j * rows + i) = *from.0.add(i * columns + j);
                }
            }
        }
    }
}

/// out, of `columns` rows, = the transpose of in, of `rows` rows.
unsafe fn transpose<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    from: Points,
    out: Points,
    rows: usize,
    columns: usize,
    look: &Tables,
) {
    let rows_serially = ((1 << look.log_leaf) / rows).max(8);
    in_halves::<F, _>(scope, 0..columns, rows_serially, &|_: &mut F::Scope<'_>, some| {
        // SAFETY: each call has its own rows of `out`.
        unsafe { transpose_serially(from, out, rows, columns, some) }
    });
}

/// Transforms `rows` rows of 2^log_columns points each.
unsafe fn transform_rows<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    from: Points,
    out: Points,
    rows: usize,
    log_columns: u32,
    look: &Tables,
) {
    let rows_serially = look.rows_serially(log_columns);
    in_halves::<F, _>(scope, 0..rows, rows_serially, &|s: &mut F::Scope<'_>, some: Range<usize>| {
        for i in some {
            let at = i << log_columns;
            // SAFETY: each call has its own rows.
            unsafe { transform::<F>(s, from.from(at), out.from(at), log_columns, look) };
        }
    });
}

/// Point k of row i of a matrix of 2^log_points is turned by root i k.
unsafe fn turn<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    points: Points,
    rows: usize,
    log_columns: u32,
    log_points: u32,
    look: &Tables,
) {
    let rows_serially = look.rows_serially(log_columns);
    in_halves::<F, _>(scope, 0..rows, rows_serially, &|_: &mut F::Scope<'_>, some: Range<usize>| {
        for i in some {
            // SAFETY: each call has its own rows.
            unsafe {
                let row = points.from(i << log_columns).slice_mut(1 << log_columns);
                for (k, point) in row.iter_mut().enumerate() {
                    *point = *point * look.root(i * k, log_points);
                }
            }
        }
    });
}

/// out = the transform of in, which is used up.
unsafe fn transform<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    from: Points,
    out: Points,
    log_points: u32,
    look: &Tables,
) {
    if log_points <= look.log_leaf {
        let length = 1 << log_points;
        transform_serially(from.slice(length), out.slice_mut(length), log_points, look);
        return;
    }
    let log_columns = log_points / 2;
    let log_rows = log_points - log_columns;
    let (columns, rows) = (1 << log_columns, 1 << log_rows);
    transpose::<F>(scope, from, out, rows, columns, look);
    transform_rows::<F>(scope, out, from, columns, log_rows, look);
    turn::<F>(scope, from, columns, log_rows, log_points, look);
    transpose::<F>(scope, from, out, columns, rows, look);
    transform_rows::<F>(scope, out, from, rows, log_columns, look);
    transpose::<F>(scope, from, out, rows, columns, look);
}

/// Sum of terms(i) e^(2 pi i sign i frequency / count): one value of a transform, term by term.
fn sum_directly(count: usize, frequency: usize, sign: f64, terms: impl Fn(usize) -> Complex) -> Complex {
    const STRETCH: usize = 256; // over which the roots are made one from the other
    let step = root_of_unity(-sign * frequency as f64, count);
    let mut sum = Complex::default();
    for first in (0..count).step_by(STRETCH) {
        let mut root = root_of_unity(-sign * (first * frequency % count) as f64, count);
        let mut part = Complex::default();
        for i in first..(first + STRETCH).min(count) {
            part = part + terms(i) * root;
            root = root * step;
        }
        sum = sum + part;
    }
    sum
}

pub struct Fft {
    log_points: u32,
    seed: u64,
    look: Tables,
    points: Vec<Complex>,
    result: Vec<Complex>,
}

impl Fft {
    fn is_near(&self, a: Complex, b: Complex) -> bool {
        (a.re - b.re).hypot(a.im - b.im) <= 1e-12 * self.points.len() as f64
    }
}

fn original(seed: u64, i: usize) -> Complex {
    let bits = mix(seed.wrapping_add(i as u64));
    let centred = |half: u64| half as f64 / (1u64 << 32) as f64 - 0.5;
    Complex { re: centred(bits >> 32), im: centred(bits & 0xffff_ffff) }
}

impl Instance for Fft {
    const LARGEST_SIZE: usize = 30;

    fn prepare(input: &Input) -> Self {
        let (log_points, seed) = (input.size as u32, input.seed);
        Self {
            log_points,
            seed,
            look: Tables::new(log_points, input.grain.clamp(1, 20) as u32),
            points: (0..1 << log_points).map(|i| original(seed, i)).collect(),
            result: zeros(1 << log_points),
        }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        let (from, out) = (Points(self.points.as_mut_ptr()), Points(self.result.as_mut_ptr()));
        // SAFETY: two arrays of so many points, lent to this function.
        unsafe { transform::<F>(scope, from, out, self.log_points, &self.look) };
    }

    /// Directly, term by term: some of the frequencies, each from all points, and some of the points,
    /// each from all frequencies.
    fn verify(&self) -> bool {
        let count = self.points.len();
        let mut random = RandomSequence::new(!self.seed);
        (0..6).all(|_| {
            let at = (random.draw() % count as u64) as usize;
            let frequency = sum_directly(count, at, -1.0, |i| original(self.seed, i));
            let point = sum_directly(count, at, 1.0, |i| self.result[i]);
            let scaled = original(self.seed, at) * Complex { re: count as f64, im: 0.0 };
            self.is_near(frequency, self.result[at]) && self.is_near(point, scaled)
        })
    }
}
