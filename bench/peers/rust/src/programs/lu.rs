//! LU decomposition in place of a diagonally dominant matrix, without pivoting.

use super::{Input, Instance};
use crate::dense::{add_product_serially, dot, Block, Factor, Matrix};
use crate::random::{between_minus_one_and_one, RandomSequence};
use crate::ForkJoin;

/// c -= a b. Nothing else may use c, or write to a and b, meanwhile.
unsafe fn subtract_product<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    c: Block,
    a: Block,
    b: Block,
    grain: usize,
) {
    let largest = c.rows.max(c.columns).max(a.columns);
    if largest <= grain {
        add_product_serially(c, a, b, -1.0);
        return;
    }
    if a.columns == largest {
        subtract_product::<F>(scope, c, a.left(), b.top(), grain);
        subtract_product::<F>(scope, c, a.right(), b.bottom(), grain);
        return;
    }
    let ((c0, a0, b0), (c1, a1, b1)) = if c.rows == largest {
        ((c.top(), a.top(), b), (c.bottom(), a.bottom(), b))
    } else {
        ((c.left(), a, b.left()), (c.right(), a, b.right()))
    };
    // SAFETY: each branch has a half of c to itself.
    F::join(
        scope,
        |s| unsafe { subtract_product::<F>(s, c0, a0, b0, grain) },
        |s| unsafe { subtract_product::<F>(s, c1, a1, b1, grain) },
    );
}

/// to -= factor from
fn subtract_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    for (x, &y) in to.iter_mut().zip(from) {
        *x -= factor * y;
    }
}

#[inline(never)]
unsafe fn solve_lower_serially(x: Block, l: Block) {
    for k in 0..x.rows {
        for i in k + 1..x.rows {
            subtract_scaled(x.row_mut(i), l.row(i)[k], x.row(k));
        }
    }
}

/// x = l^-1 x, where l is what is below the diagonal, and the diagonal ones. Nothing else may use x, or
/// write to l, meanwhile.
unsafe fn solve_lower<F: ForkJoin>(scope: &mut F::Scope<'_>, x: Block, l: Block, grain: usize) {
    if x.rows.max(x.columns) <= grain {
        solve_lower_serially(x, l);
        return;
    }
    if x.columns < x.rows {
        solve_lower::<F>(scope, x.top(), l.quadrant(0), grain);
        subtract_product::<F>(scope, x.bottom(), l.quadrant(2), x.top(), grain);
        solve_lower::<F>(scope, x.bottom(), l.quadrant(3), grain);
        return;
    }
    // SAFETY: each branch has a half of x to itself.
    F::join(
        scope,
        |s| unsafe { solve_lower::<F>(s, x.left(), l, grain) },
        |s| unsafe { solve_lower::<F>(s, x.right(), l, grain) },
    );
}

#[inline(never)]
unsafe fn solve_upper_serially(x: Block, u: Block) {
    for i in 0..x.rows {
        let row = x.row_mut(i);
        for k in 0..x.columns {
            let (solved, rest) = row[k..].split_first_mut().expect("k is a column");
            let from = &u.row(k)[k..];
            *solved /= from[0];
            subtract_scaled(rest, *solved, &from[1..]);
        }
    }
}

/// x = x u^-1, where u is what is on and above the diagonal. Nothing else may use x, or write to u,
/// meanwhile.
unsafe fn solve_upper<F: ForkJoin>(scope: &mut F::Scope<'_>, x: Block, u: Block, grain: usize) {
    if x.rows.max(x.columns) <= grain {
        solve_upper_serially(x, u);
        return;
    }
    if x.rows < x.columns {
        solve_upper::<F>(scope, x.left(), u.quadrant(0), grain);
        subtract_product::<F>(scope, x.right(), x.left(), u.quadrant(1), grain);
        solve_upper::<F>(scope, x.right(), u.quadrant(3), grain);
        return;
    }
    // SAFETY: each branch has a half of x to itself.
    F::join(
        scope,
        |s| unsafe { solve_upper::<F>(s, x.top(), u, grain) },
        |s| unsafe { solve_upper::<F>(s, x.bottom(), u, grain) },
    );
}

#[inline(never)]
unsafe fn decompose_serially(a: Block) {
    for k in 0..a.rows {
        let pivots = &a.row(k)[k..];
        for i in k + 1..a.rows {
            let (factor, rest) = a.row_mut(i)[k..].split_first_mut().expect("k is a column");
            *factor /= pivots[0];
            subtract_scaled(rest, *factor, &pivots[1..]);
        }
    }
}

/// Nothing else may use a meanwhile.
unsafe fn decompose<F: ForkJoin>(scope: &mut F::Scope<'_>, a: Block, grain: usize) {
    if a.rows <= grain {
        decompose_serially(a);
        return;
    }
    let [a0, a1, a2, a3] = [0, 1, 2, 3].map(|which| a.quadrant(which));
    decompose::<F>(scope, a0, grain);
    // SAFETY: each branch has a quadrant to itself.
    F::join(
        scope,
        |s| unsafe { solve_lower::<F>(s, a1, a0, grain) },
        |s| unsafe { solve_upper::<F>(s, a2, a0, grain) },
    );
    subtract_product::<F>(scope, a3, a2, a1, grain);
    decompose::<F>(scope, a3, grain);
}

/// The diagonal outweighs the rest of its row and of its column, so every pivot is far from zero.
fn dominant_matrix(size: usize, seed: u64) -> Matrix {
    let mut random = RandomSequence::new(seed);
    let mut made = Matrix::new(size, size);
    for i in 0..size {
        let row = made.row_mut(i);
        row.fill_with(|| between_minus_one_and_one(&mut random));
        row[i] += (size + 1) as f64;
    }
    made
}

pub struct Lu {
    grain: usize,
    seed: u64,
    a: Matrix,
}

impl Instance for Lu {
    const LARGEST_SIZE: usize = 16384;

    fn prepare(input: &Input) -> Self {
        Self { grain: input.grain.max(1), seed: input.seed, a: dominant_matrix(input.size, input.seed) }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        // SAFETY: the matrix is lent to this function.
        unsafe { decompose::<F>(scope, self.a.whole(), self.grain) };
    }

    /// The residual for a random v: L (U v) against A v.
    fn verify(&self) -> bool {
        let size = self.a.rows;
        let mut random = RandomSequence::new(!self.seed);
        let v: Vec<f64> = (0..size).map(|_| between_minus_one_and_one(&mut random)).collect();
        let upper: Vec<f64> = (0..size).map(|i| dot(&self.a.row(i)[i..], &v[i..])).collect();
        let made = (0..size).map(|i| upper[i] + dot(&self.a.row(i)[..i], &upper));
        let expected = dominant_matrix(size, self.seed).times(&v);
        // Entries of A v are of the size of the diagonal.
        let tolerance = 1e-13 * (size * size) as f64;
        made.zip(expected).all(|(x, y)| (x - y).abs() <= tolerance)
    }
}
