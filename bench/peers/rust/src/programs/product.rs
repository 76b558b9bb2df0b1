//! What the programs that multiply matrices share: random factors, and the check of their product.

use super::{Input, Instance};
use crate::dense::{is_product, Factor};
use crate::random::RandomSequence;
use crate::ForkJoin;

/// A way to multiply.
pub trait Multiply {
    type Matrix: Factor + Send;

    /// a, b and c, all of them zeros.
    fn matrices(input: &Input, grain: usize) -> [Self::Matrix; 3];

    fn fill(factor: &mut Self::Matrix, _input: &Input, random: &mut RandomSequence) {
        factor.fill(random);
    }

    /// c = a b
    ///
    /// # Safety
    /// Nothing else may use c, or write to a and b, meanwhile. c is zeros.
    unsafe fn multiply<F: ForkJoin>(scope: &mut F::Scope<'_>, cab: [Block<Self>; 3], grain: usize);
}

type Block<M> = <<M as Multiply>::Matrix as Factor>::Block;

/// The program that multiplies that way.
pub struct Product<M: Multiply> {
    grain: usize,
    seed: u64,
    a: M::Matrix,
    b: M::Matrix,
    c: M::Matrix,
}

impl<M: Multiply> Instance for Product<M> {
    const LARGEST_SIZE: usize = 16384;

    fn prepare(input: &Input) -> Self {
        let mut random = RandomSequence::new(input.seed);
        let grain = input.grain.max(1);
        let [mut a, mut b, c] = M::matrices(input, grain);
        M::fill(&mut a, input, &mut random);
        M::fill(&mut b, input, &mut random);
        Self { grain, seed: input.seed, a, b, c }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        let cab = [self.c.whole(), self.a.whole(), self.b.whole()];
        // SAFETY: three matrices, all of them lent to this function.
        unsafe { M::multiply::<F>(scope, cab, self.grain) };
    }

    fn verify(&self) -> bool {
        is_product(&self.c, &self.a, &self.b, self.seed)
    }
}
