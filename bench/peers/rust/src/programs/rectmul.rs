//! Product of rectangular matrices: the largest of the three dimensions is halved.

use super::{Input, Instance};
use crate::dense::{add_product_serially, is_product, Block, Matrix};
use crate::random::RandomSequence;
use crate::ForkJoin;

/// c += a b. Nothing else may use c, or write to a and b, meanwhile.
unsafe fn add_product<F: ForkJoin>(scope: &mut F::Scope<'_>, c: Block, a: Block, b: Block, grain: usize) {
    let largest = c.rows.max(c.columns).max(a.columns);
    if largest <= grain {
        add_product_serially(c, a, b, 1.0);
        return;
    }
    if c.rows < largest && c.columns < largest {
        add_product::<F>(scope, c, a.left(), b.top(), grain);
        add_product::<F>(scope, c, a.right(), b.bottom(), grain);
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
        |s| unsafe { add_product::<F>(s, c0, a0, b0, grain) },
        |s| unsafe { add_product::<F>(s, c1, a1, b1, grain) },
    );
}

pub struct Rectmul {
    grain: usize,
    seed: u64,
    a: Matrix,
    b: Matrix,
    c: Matrix,
}

impl Instance for Rectmul {
    const LARGEST_SIZE: usize = 16384;

    fn prepare(input: &Input) -> Self {
        let mut random = RandomSequence::new(input.seed);
        let (rows, columns) = (input.size, input.size.div_ceil(2));
        let mut a = Matrix::new(rows, 2 * rows);
        let mut b = Matrix::new(2 * rows, columns);
        a.fill(&mut random);
        b.fill(&mut random);
        Self { grain: input.grain.max(1), seed: input.seed, a, b, c: Matrix::new(rows, columns) }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        // SAFETY: three matrices, all of them lent to this function.
        unsafe { add_product::<F>(scope, self.c.whole(), self.a.whole(), self.b.whole(), self.grain) };
    }

    fn verify(&self) -> bool {
        is_product(&self.c, &self.a, &self.b, self.seed)
    }
}
