// The programs of the variant, with forks as bench/programs has them.
#pragma once

namespace mapped {

long fib(int n);
/// Placements of n queens. Children read the boards of their ancestors where these lie: on the stack.
long nqueens(int queens);
/// The same without forks.
long fib_serially(int n);
long nqueens_serially(int queens);
/// A chain of so many functions that fork, each of which others steal from, and whose deepest locals the
/// outermost reads.
long chain(int depth);

}  // namespace mapped
