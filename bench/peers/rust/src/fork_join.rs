//! What the programs ask of a library.

use std::ops::Range;

/// What every thread's stack has room for: threads that wait run other work on top of their own. Virtual
/// memory, touched as far as it is used.
pub const STACK_BYTES: usize = 256 << 20;

/// A fork-join library. Its functions pass a scope along where the library wants one; for a library
/// that finds its threads by itself the scope is empty and costs nothing.
pub trait ForkJoin: Sized + 'static {
    /// As `--peers` takes it; also the name of the crate.
    const NAME: &'static str;
    /// As tables print it.
    const TITLE: &'static str;
    /// How the programs are written with it, in a few words.
    const IDIOM: &'static str;

    type Scope<'s>;

    /// Calls `timed` with `workers` threads at work, the caller's among them, all of them started before.
    fn run_with<R: Send>(workers: usize, timed: impl FnOnce(&mut Self::Scope<'_>) -> R + Send) -> R;

    /// Calls both, perhaps in parallel; a thread that gets no help calls `a` first.
    fn join<A, B, RA, RB>(scope: &mut Self::Scope<'_>, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut Self::Scope<'_>) -> RA + Send,
        B: FnOnce(&mut Self::Scope<'_>) -> RB + Send,
        RA: Send,
        RB: Send;

    /// Calls `f` for every element and its index, perhaps in parallel.
    fn for_each_mut<T, F>(scope: &mut Self::Scope<'_>, elements: &mut [T], f: &F)
    where
        T: Send,
        F: Fn(usize, &mut T) + Sync,
    {
        fn halve<J: ForkJoin, T: Send, F>(scope: &mut J::Scope<'_>, start: usize, elements: &mut [T], f: &F)
        where
            F: Fn(usize, &mut T) + Sync,
        {
            match elements {
                [] => {}
                [only] => f(start, only),
                _ => {
                    let middle = elements.len() / 2;
                    let (lower, upper) = elements.split_at_mut(middle);
                    J::join(
                        scope,
                        |s| halve::<J, T, F>(s, start, lower, f),
                        |s| halve::<J, T, F>(s, start + middle, upper, f),
                    );
                }
            }
        }
        halve::<Self, T, F>(scope, 0, elements, f);
    }

    /// The sum, modulo 2^64, of `f` over a range, found perhaps in parallel.
    fn sum<F>(scope: &mut Self::Scope<'_>, range: Range<usize>, f: &F) -> u64
    where
        F: Fn(&mut Self::Scope<'_>, usize) -> u64 + Sync,
    {
        match range.len() {
            0 => 0,
            1 => f(scope, range.start),
            length => {
                let middle = range.start + length / 2;
                let (lower, upper) = (range.start..middle, middle..range.end);
                let (x, y) = Self::join(scope, |s| Self::sum(s, lower, f), |s| Self::sum(s, upper, f));
                x.wrapping_add(y)
            }
        }
    }
}

/// Calls `body` for stretches of at most `most` numbers that make up the range, by recursive halving.
pub fn in_halves<J, F>(scope: &mut J::Scope<'_>, range: Range<usize>, most: usize, body: &F)
where
    J: ForkJoin,
    F: Fn(&mut J::Scope<'_>, Range<usize>) + Sync,
{
    if range.len() <= most {
        if !range.is_empty() {
            body(scope, range);
        }
        return;
    }
    let middle = range.start + range.len() / 2;
    let (lower, upper) = (range.start..middle, middle..range.end);
    J::join(scope, |s| in_halves::<J, F>(s, lower, most, body), |s| in_halves::<J, F>(s, upper, most, body));
}

/// Calls `f` for each of a few tasks, perhaps in parallel.
pub fn for_each<J, T, F>(scope: &mut J::Scope<'_>, tasks: &mut [T], f: &F)
where
    J: ForkJoin,
    T: Send,
    F: Fn(&mut J::Scope<'_>, &mut T) + Sync,
{
    match tasks {
        [] => {}
        [only] => f(scope, only),
        _ => {
            let (lower, upper) = tasks.split_at_mut(tasks.len() / 2);
            J::join(scope, |s| for_each::<J, T, F>(s, lower, f), |s| for_each::<J, T, F>(s, upper, f));
        }
    }
}
