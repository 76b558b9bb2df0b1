//! A tree whose work and span can be chosen.

use super::{Input, Instance};
use crate::serial_work::{steps_at_once, take_steps};
use crate::ForkJoin;

/// A tree of `depth` levels whose inner nodes have `children`; the first `serial` of them are visited one
/// after another, the others in parallel after those.
#[derive(Clone, Copy)]
struct Tree {
    depth: usize,
    children: usize,
    serial: usize,
}

impl Tree {
    fn nodes(&self) -> u64 {
        (0..self.depth).fold(0, |nodes, _| 1 + self.children as u64 * nodes)
    }
}

/// Returns the sum of what the nodes below and `node` itself came to. Nodes are numbered level by level.
fn visit<F: ForkJoin>(scope: &mut F::Scope<'_>, mut tree: Tree, steps: usize, node: u64) -> u64 {
    let mut sum = take_steps(node, steps);
    if tree.depth == 1 || tree.children == 0 {
        return sum;
    }
    let first_child = node * tree.children as u64 + 1;
    tree.depth -= 1;
    for i in 0..tree.serial {
        sum = sum.wrapping_add(visit::<F>(scope, tree, steps, first_child + i as u64));
    }
    sum.wrapping_add(F::sum(scope, tree.serial..tree.children, &|s: &mut F::Scope<'_>, i| {
        visit::<F>(s, tree, steps, first_child + i as u64)
    }))
}

pub struct Knary {
    tree: Tree,
    steps: usize,
    result: u64,
}

impl Instance for Knary {
    const LARGEST_SIZE: usize = 2099;

    /// The tree that a size stands for: 100 depth + 10 children + serial children.
    fn prepare(input: &Input) -> Self {
        let children = input.size / 10 % 10;
        let tree = Tree { depth: input.size / 100, children, serial: children.min(input.size % 10) };
        Self { tree, steps: input.grain, result: 0 }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        self.result = if self.tree.depth == 0 { 0 } else { visit::<F>(scope, self.tree, self.steps, 0) };
    }

    /// A node's steps are an affine map of its number, so they can be taken at once for all numbers' sum.
    fn verify(&self) -> bool {
        let nodes = self.tree.nodes();
        let (even, odd) = if nodes % 2 == 0 { (nodes, nodes.wrapping_sub(1)) } else { (nodes - 1, nodes) };
        let numbers = (even / 2).wrapping_mul(odd);
        let all_steps = steps_at_once(self.steps);
        let sum = all_steps.multiplier.wrapping_mul(numbers);
        self.result == sum.wrapping_add(all_steps.increment.wrapping_mul(nodes))
    }
}
