//! A recursion as deep as its argument.

use super::{Input, Instance};
use crate::ForkJoin;

const FAR_STEP: i32 = 40;

/// The leaves of the tree of calls.
fn count_leaves<F: ForkJoin>(scope: &mut F::Scope<'_>, n: i32) -> u64 {
    if n < 2 {
        return 1;
    }
    let (near, far) = F::join(scope, |s| count_leaves::<F>(s, n - 1), |s| count_leaves::<F>(s, n - FAR_STEP));
    near + far
}

fn count_leaves_by_table(n: usize) -> u64 {
    let mut leaves = vec![1; n.max(1) + 1];
    for i in 2..leaves.len() {
        leaves[i] = leaves[i - 1] + if i < FAR_STEP as usize { 1 } else { leaves[i - FAR_STEP as usize] };
    }
    leaves[leaves.len() - 1]
}

pub struct Fibx {
    n: usize,
    result: u64,
}

impl Instance for Fibx {
    const LARGEST_SIZE: usize = 400;

    fn prepare(input: &Input) -> Self {
        Self { n: input.size, result: u64::MAX }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        self.result = count_leaves::<F>(scope, self.n as i32);
    }

    fn verify(&self) -> bool {
        self.result == count_leaves_by_table(self.n)
    }
}
