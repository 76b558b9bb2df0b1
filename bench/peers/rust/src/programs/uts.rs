//! Unbalanced Tree Search: counts the nodes of a tree that is known only by walking it.

use std::f64::consts::PI;

use super::{Input, Instance};
use crate::sha1::{sha1, Digest};
use crate::ForkJoin;

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    GeometricFixed,
    GeometricCyclic,
    GeometricLinear,
    Binomial,
    Hybrid,
}
use Shape::*;

#[derive(Clone, Copy)]
struct Tree {
    kind: Shape,
    /// Mean number of children, before the shape changes it with the depth.
    branching: f64,
    /// Of geometric trees, about.
    depth: i32,
    /// Of a binomial node to have children.
    inner_chance: f64,
    /// That many.
    inner_children: usize,
    root_seed: u32,
    nodes: u64,
}

const fn geometric(kind: Shape, branching: f64, depth: i32, root_seed: u32, nodes: u64) -> Tree {
    Tree { kind, branching, depth, inner_chance: 0.0, inner_children: 0, root_seed, nodes }
}

/// T1 to T5; number 0 is a small one for tests: its root is chosen by the seed.
const TREES: [Tree; 6] = [
    geometric(GeometricFixed, 4.0, 7, 0, 0),
    geometric(GeometricFixed, 4.0, 10, 19, 4130071),
    geometric(GeometricCyclic, 6.0, 16, 502, 4117769),
    Tree {
        kind: Binomial,
        branching: 2000.0,
        depth: 0,
        inner_chance: 0.124875,
        inner_children: 8,
        root_seed: 42,
        nodes: 4112897,
    },
    Tree {
        kind: Hybrid,
        branching: 6.0,
        depth: 16,
        inner_chance: 0.234375,
        inner_children: 4,
        root_seed: 1,
        nodes: 4132453,
    },
    geometric(GeometricLinear, 4.0, 20, 34, 4147582),
];

#[derive(Clone, Copy)]
struct Node {
    state: Digest,
    depth: i32,
}

impl Node {
    // Apart from the walk, so that its schedule is not in the frames of a deep tree.
    #[inline(never)]
    fn child(&self, which: usize) -> Self {
        let [a, b, c, d, e] = self.state;
        Self { state: sha1([a, b, c, d, e, which as u32]), depth: self.depth + 1 }
    }

    /// Between 0 and 1, from the last 31 bits of the state.
    fn random(&self) -> f64 {
        f64::from(self.state[4] & 0x7fffffff) / 2147483648.0
    }
}

impl Tree {
    fn root(&self) -> Node {
        Node { state: sha1([0, 0, 0, 0, self.root_seed]), depth: 0 }
    }

    fn mean_children(&self, depth: i32) -> f64 {
        match self.kind {
            _ if depth == 0 => self.branching,
            GeometricCyclic if depth > 5 * self.depth => 0.0,
            GeometricCyclic => {
                self.branching.powf((2.0 * PI * f64::from(depth) / f64::from(self.depth)).sin())
            }
            GeometricLinear => self.branching * (1.0 - f64::from(depth) / f64::from(self.depth)),
            _ if depth < self.depth => self.branching,
            _ => 0.0,
        }
    }

    fn geometric_children(&self, at: &Node) -> usize {
        const MOST: f64 = 100.0;
        let chance = 1.0 / (1.0 + self.mean_children(at.depth));
        MOST.min(((1.0 - at.random()).ln() / (1.0 - chance).ln()).floor()) as usize
    }

    fn binomial_children(&self, at: &Node) -> usize {
        if at.depth == 0 {
            self.branching as usize
        } else if at.random() < self.inner_chance {
            self.inner_children
        } else {
            0
        }
    }

    fn children(&self, at: &Node) -> usize {
        if self.kind == Binomial || (self.kind == Hybrid && 2 * at.depth >= self.depth) {
            self.binomial_children(at)
        } else {
            self.geometric_children(at)
        }
    }
}

fn count_subtree<F: ForkJoin>(scope: &mut F::Scope<'_>, of: &Tree, at: &Node) -> u64 {
    let children = of.children(at);
    if children == 0 {
        return 1;
    }
    1 + F::sum(scope, 0..children, &|s: &mut F::Scope<'_>, which| count_subtree::<F>(s, of, &at.child(which)))
}

fn count_by_list(of: &Tree) -> u64 {
    let mut to_visit = vec![of.root()];
    let mut nodes = 0;
    while let Some(at) = to_visit.pop() {
        nodes += 1;
        to_visit.extend((0..of.children(&at)).map(|which| at.child(which)));
    }
    nodes
}

pub struct Uts {
    tree: Tree,
    result: u64,
}

impl Instance for Uts {
    const LARGEST_SIZE: usize = TREES.len() - 1;

    fn prepare(input: &Input) -> Self {
        let mut tree = TREES[input.size];
        if tree.nodes == 0 {
            tree.root_seed = input.seed as u32;
        }
        Self { tree, result: u64::MAX }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        self.result = count_subtree::<F>(scope, &self.tree, &self.tree.root());
    }

    fn verify(&self) -> bool {
        self.result == if self.tree.nodes == 0 { count_by_list(&self.tree) } else { self.tree.nodes }
    }
}
