//! The benchmark programs: the same algorithms, inputs and checks as those of the same names in
//! bench/programs, where what they compute is told.

use std::time::Instant;

use self::product::Product;
use crate::resources::{ResourceWatch, Resources};
use crate::sparse::SymmetricMatrix;
use crate::ForkJoin;

mod barnes_hut;
mod blockedmul;
mod cholesky;
mod cilksort;
mod fft;
mod fib;
mod fibx;
mod heat;
mod integrate;
mod knapsack;
mod knary;
mod r#loop;
mod lu;
mod matmul;
mod notempmul;
mod nqueens;
mod product;
mod quicksort;
mod rectmul;
mod skynet;
mod strassen;
mod textsort;
mod uts;

/// What one run works on.
pub struct Input {
    pub size: usize,
    pub grain: usize,
    pub seed: u64,
    /// In place of a random matrix of `size` rows.
    pub matrix: Option<SymmetricMatrix>,
}

/// What one run reports.
pub struct Record {
    pub seconds: f64,
    pub verified: bool,
    pub resources: Resources,
}

/// One run: `prepare` makes the data ready, `run` is what is timed, and `verify` checks the result by
/// other means than those that made it.
trait Instance: Send + Sized {
    /// Beyond this the program itself would fail.
    const LARGEST_SIZE: usize;
    /// Takes a matrix in place of a size.
    const READS_MATRIX: bool = false;

    fn prepare(input: &Input) -> Self;
    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>);
    fn verify(&self) -> bool;
}

/// A program on one library.
pub struct Program {
    pub name: &'static str,
    pub largest_size: usize,
    pub reads_matrix: bool,
    pub run: fn(&Input, workers: usize) -> Record,
}

fn program<F: ForkJoin, I: Instance>(name: &'static str) -> Program {
    Program { name, largest_size: I::LARGEST_SIZE, reads_matrix: I::READS_MATRIX, run: run::<F, I> }
}

/// All of them, in the order of bench/programs/list.hpp.
pub fn programs<F: ForkJoin>() -> Vec<Program> {
    vec![
        program::<F, fib::Fib>("fib"),
        program::<F, fibx::Fibx>("fibx"),
        program::<F, nqueens::Nqueens>("nqueens"),
        program::<F, integrate::Integrate>("integrate"),
        program::<F, knapsack::Knapsack>("knapsack"),
        program::<F, uts::Uts>("uts"),
        program::<F, knary::Knary>("knary"),
        program::<F, cilksort::Cilksort>("cilksort"),
        program::<F, textsort::Textsort>("textsort"),
        program::<F, barnes_hut::BarnesHut>("barnes-hut"),
        program::<F, quicksort::Quicksort>("quicksort"),
        program::<F, Product<matmul::Matmul>>("matmul"),
        program::<F, Product<rectmul::Rectmul>>("rectmul"),
        program::<F, Product<strassen::Strassen>>("strassen"),
        program::<F, Product<blockedmul::Blockedmul>>("blockedmul"),
        program::<F, Product<notempmul::Notempmul>>("notempmul"),
        program::<F, lu::Lu>("lu"),
        program::<F, cholesky::Cholesky>("cholesky"),
        program::<F, fft::Fft>("fft"),
        program::<F, heat::Heat>("heat"),
        program::<F, r#loop::Loop>("loop"),
        program::<F, skynet::Skynet>("skynet"),
    ]
}

fn run<F: ForkJoin, I: Instance>(input: &Input, workers: usize) -> Record {
    let mut instance = I::prepare(input);
    let (seconds, resources) = F::run_with(workers, |scope| {
        let watch = ResourceWatch::start();
        let start = Instant::now();
        instance.run::<F>(scope);
        let seconds = start.elapsed().as_secs_f64();
        (seconds, watch.finish())
    });
    Record { seconds, verified: instance.verify(), resources }
}
