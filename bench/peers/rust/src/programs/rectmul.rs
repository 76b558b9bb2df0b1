//! Product of rectangular matrices: the largest of the three dimensions is halved.

use super::product::Multiply;
use super::Input;
use crate::dense::{add_product_serially, Block, Matrix};
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

pub struct Rectmul;

impl Multiply for Rectmul {
    type Matrix = Matrix;

    fn matrices(input: &Input, _grain: usize) -> [Matrix; 3] {
        let (rows, columns) = (input.size, input.size.div_ceil(2));
        [Matrix::new(rows, 2 * rows), Matrix::new(2 * rows, columns), Matrix::new(rows, columns)]
    }

    unsafe fn multiply<F: ForkJoin>(scope: &mut F::Scope<'_>, [c, a, b]: [Block; 3], grain: usize) {
        add_product::<F>(scope, c, a, b, grain);
    }
}
