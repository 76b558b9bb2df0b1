//! The programs on chili, which publishes a fork only when a heartbeat asks for one.

use std::{env, num::NonZero, process::ExitCode, thread};

use chili::{Config, Scope, ThreadPool};
use nopal_rust_peers::{command_line, warm_up, ForkJoin, STACK_BYTES};

struct Chili;

impl ForkJoin for Chili {
    const NAME: &'static str = "chili";
    const TITLE: &'static str = "chili";
    const IDIOM: &'static str = "Scope::join, nested, the heartbeat as it comes (100 us)";

    type Scope<'s> = Scope<'s>;

    fn run_with<R: Send>(workers: usize, timed: impl FnOnce(&mut Scope<'_>) -> R + Send) -> R {
        // chili starts its threads with the standard library's stack, whose size this sets.
        env::set_var("RUST_MIN_STACK", STACK_BYTES.to_string());
        // Its thread count includes the caller's; it returns when all threads have started.
        let config = Config { thread_count: NonZero::new(workers), ..Config::default() };
        let pool = ThreadPool::with_config(config);
        let run = || {
            let mut scope = pool.scope();
            warm_up::<Self>(&mut scope, workers);
            timed(&mut scope)
        };
        thread::scope(|threads| threads.spawn(run).join().expect("a panic ends the process"))
    }

    #[inline(always)]
    fn join<A, B, RA, RB>(scope: &mut Scope<'_>, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut Scope<'_>) -> RA + Send,
        B: FnOnce(&mut Scope<'_>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        // The caller's thread begins with the second.
        let (rb, ra) = scope.join(b, a);
        (ra, rb)
    }
}

fn main() -> ExitCode {
    command_line::main::<Chili>()
}
