//! Serial work whose length can be chosen and whose result can be foretold, as in
//! bench/programs/serial_work.hpp.

use std::arch::asm;

/// The map x -> multiplier x + increment of 64-bit words.
#[derive(Clone, Copy)]
pub struct AffineMap {
    pub multiplier: u64,
    pub increment: u64,
}

impl AffineMap {
    pub fn of(self, x: u64) -> u64 {
        x.wrapping_mul(self.multiplier).wrapping_add(self.increment)
    }

    /// This map after `inner`.
    fn after(self, inner: Self) -> Self {
        Self {
            multiplier: self.multiplier.wrapping_mul(inner.multiplier),
            increment: self.of(inner.increment),
        }
    }
}

const STEP: AffineMap = AffineMap { multiplier: 6364136223846793005, increment: 1442695040888963407 };

/// Takes the steps one by one: each waits for the one before.
pub fn take_steps(mut state: u64, steps: usize) -> u64 {
    for _ in 0..steps {
        state = STEP.of(state);
        // SAFETY: no instruction. The compiler is told that `state` may change, so that it folds no steps.
        unsafe { asm!("/* {} */", inout(reg) state, options(nomem, nostack, preserves_flags)) };
    }
    state
}

/// All the steps as one map, by repeated squaring.
pub fn steps_at_once(mut steps: usize) -> AffineMap {
    let mut all = AffineMap { multiplier: 1, increment: 0 };
    let mut power = STEP;
    while steps > 0 {
        if steps % 2 == 1 {
            all = power.after(all);
        }
        power = power.after(power);
        steps /= 2;
    }
    all
}
