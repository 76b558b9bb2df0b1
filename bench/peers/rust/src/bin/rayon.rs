//! The programs on Rayon.

use std::{ops::Range, process::ExitCode};

use nopal_rust_peers::{command_line, warm_up, ForkJoin, STACK_BYTES};
use rayon::prelude::*;

struct Rayon;

impl ForkJoin for Rayon {
    const NAME: &'static str = "rayon";
    const TITLE: &'static str = "Rayon";
    const IDIOM: &'static str = "join, parallel iterators where forks are in a loop";

    /// Rayon finds its pool in thread-local storage.
    type Scope<'s> = ();

    fn run_with<R: Send>(workers: usize, timed: impl FnOnce(&mut ()) -> R + Send) -> R {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(workers).stack_size(STACK_BYTES);
        let pool = builder.build().expect("threads can be started");
        pool.install(|| {
            warm_up::<Self>(&mut (), workers);
            timed(&mut ())
        })
    }

    #[inline(always)]
    fn join<A, B, RA, RB>(_: &mut (), a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut ()) -> RA + Send,
        B: FnOnce(&mut ()) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        rayon::join(|| a(&mut ()), || b(&mut ()))
    }

    fn for_each_mut<T, F>(_: &mut (), elements: &mut [T], f: &F)
    where
        T: Send,
        F: Fn(usize, &mut T) + Sync,
    {
        elements.par_iter_mut().enumerate().for_each(|(i, element)| f(i, element));
    }

    fn sum<F>(_: &mut (), range: Range<usize>, f: &F) -> u64
    where
        F: Fn(&mut (), usize) -> u64 + Sync,
    {
        range.into_par_iter().map(|i| f(&mut (), i)).reduce(|| 0, u64::wrapping_add)
    }
}

fn main() -> ExitCode {
    command_line::main::<Rayon>()
}
