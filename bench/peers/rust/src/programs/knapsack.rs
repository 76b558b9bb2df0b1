//! The 0/1 knapsack problem by branch and bound.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use super::{Input, Instance};
use crate::random::RandomSequence;
use crate::ForkJoin;

#[derive(Clone, Copy)]
struct Item {
    value: i64,
    weight: i64,
}

/// The best value that any thread has found.
struct Best(AtomicI64);

impl Best {
    // Only the number itself is shared, and an old one costs time, not the result: nothing to order.
    fn offer(&self, value: i64) {
        if value > self.0.load(Relaxed) {
            self.0.fetch_max(value, Relaxed);
        }
    }

    /// No later item has more value per weight than `next`, so filling the room with it bounds what is left.
    fn can_be_beaten(&self, next: &Item, room: i64, value: i64) -> bool {
        (self.0.load(Relaxed) - value) * next.weight < room * next.value
    }
}

fn pack<F: ForkJoin>(scope: &mut F::Scope<'_>, best: &Best, items: &[Item], room: i64, value: i64) {
    best.offer(value);
    let Some((next, rest)) = items.split_first() else { return };
    if !best.can_be_beaten(next, room, value) {
        return;
    }
    if next.weight > room {
        pack::<F>(scope, best, rest, room, value);
        return;
    }
    F::join(
        scope,
        |s| pack::<F>(s, best, rest, room - next.weight, value + next.value),
        |s| pack::<F>(s, best, rest, room, value),
    );
}

fn best_value_by_table(items: &[Item], capacity: i64) -> i64 {
    let mut best = vec![0; capacity as usize + 1]; // by room, with the items so far
    for added in items {
        let weight = added.weight as usize;
        for room in (weight..best.len()).rev() {
            best[room] = best[room].max(best[room - weight] + added.value);
        }
    }
    best[capacity as usize]
}

pub struct Knapsack {
    items: Vec<Item>,
    capacity: i64,
    result: i64,
}

impl Instance for Knapsack {
    const LARGEST_SIZE: usize = 60;

    fn prepare(input: &Input) -> Self {
        let mut random = RandomSequence::new(input.seed);
        let mut hundreds = 0;
        let mut items: Vec<Item> = (0..input.size)
            .map(|_| {
                let weight = 10 + (random.draw() % 100) as i64;
                hundreds += weight;
                Item { value: 100 * weight + (random.draw() % 33) as i64, weight: 100 * weight }
            })
            .collect();
        // By value per weight, the most first, ties as they came.
        items.sort_by(|a, b| (b.value * a.weight).cmp(&(a.value * b.weight)));
        Self { items, capacity: hundreds / 2 * 100 + 99, result: -1 }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        let best = Best(AtomicI64::new(0));
        pack::<F>(scope, &best, &self.items, self.capacity, 0);
        self.result = best.0.into_inner();
    }

    fn verify(&self) -> bool {
        self.result == best_value_by_table(&self.items, self.capacity)
    }
}
