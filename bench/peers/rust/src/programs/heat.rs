//! Heat spreading over a square plate whose rim is kept cold: 500 steps of Jacobi's method.

use std::{f64::consts::PI, mem, ops::Range};

use super::{Input, Instance};
use crate::dense::{small_number, Block, Factor, Matrix};
use crate::fork_join::in_halves;
use crate::random::RandomSequence;
use crate::ForkJoin;

const STEPS: i32 = 500;
/// How much of the difference to each neighbour goes over in a step.
const SPREAD: f64 = 0.2;

/// New rows of the plate; `before` and `after` have a row and a column of rim on each side. Nothing else
/// may use these rows of `after`, or write to `before`, meanwhile.
#[inline(never)]
unsafe fn heat_rows(after: Block, before: Block, rows: Range<usize>) {
    let width = before.columns - 2;
    for i in rows {
        let above = &before.row(i - 1)[1..][..width];
        let here = before.row(i);
        let below = &before.row(i + 1)[1..][..width];
        let (left, middle, right) = (&here[..width], &here[1..][..width], &here[2..][..width]);
        let made = &mut after.row_mut(i)[1..][..width];
        for j in 0..width {
            made[j] = (1.0 - 4.0 * SPREAD) * middle[j] + SPREAD * (above[j] + below[j] + left[j] + right[j]);
        }
    }
}

/// What the plate is made of: sines, so many half waves down and so many across, which fade.
struct Wave {
    down: u64,
    across: u64,
    height: f64,
}

struct Waves {
    size: usize,
    waves: [Wave; 4],
}

impl Waves {
    fn new(size: usize, seed: u64) -> Self {
        let mut random = RandomSequence::new(seed);
        let most = size.clamp(1, 32) as u64;
        let waves = [(); 4].map(|()| Wave {
            down: 1 + random.draw() % most,
            across: 1 + random.draw() % most,
            height: 1.0 + small_number(&mut random),
        });
        Self { size, waves }
    }

    /// Calls `cell(i, j, heat)` for every cell, as it is known to be after so many steps.
    fn for_cells(&self, after_steps: i32, mut cell: impl FnMut(usize, usize, f64)) {
        let down = self.waves.each_ref().map(|wave| {
            let left = self.factor_per_step(wave).powi(after_steps);
            self.sines(wave.down, wave.height * left)
        });
        let across = self.waves.each_ref().map(|wave| self.sines(wave.across, 1.0));
        for i in 1..=self.size {
            for j in 1..=self.size {
                cell(i, j, down.iter().zip(&across).map(|(down, across)| down[i] * across[j]).sum());
            }
        }
    }

    /// Half a turn over the plate, rim to rim, so many times.
    fn angle(&self, half_waves: u64) -> f64 {
        PI * half_waves as f64 / (self.size + 1) as f64
    }

    fn sines(&self, half_waves: u64, height: f64) -> Vec<f64> {
        (0..=self.size).map(|i| height * (self.angle(half_waves) * i as f64).sin()).collect()
    }

    fn factor_per_step(&self, of: &Wave) -> f64 {
        1.0 - 2.0 * SPREAD * (2.0 - self.angle(of.down).cos() - self.angle(of.across).cos())
    }
}

pub struct Heat {
    size: usize,
    grain: usize,
    waves: Waves,
    plate: Matrix,
    other: Matrix,
}

impl Instance for Heat {
    const LARGEST_SIZE: usize = 32768;

    fn prepare(input: &Input) -> Self {
        let waves = Waves::new(input.size, input.seed);
        let [mut plate, other] = [(); 2].map(|()| Matrix::new(input.size + 2, input.size + 2));
        waves.for_cells(0, |i, j, heat| plate.row_mut(i)[j] = heat);
        Self { size: input.size, grain: input.grain.max(1), waves, plate, other }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        let (mut before, mut after) = (self.plate.whole(), self.other.whole());
        for _ in 0..STEPS {
            in_halves::<F, _>(scope, 1..self.size + 1, self.grain, &|_: &mut F::Scope<'_>, rows| {
                // SAFETY: each call has its own rows.
                unsafe { heat_rows(after, before, rows) }
            });
            mem::swap(&mut before, &mut after);
        }
    }

    fn verify(&self) -> bool {
        // The last of an even number of steps writes to the plate.
        let mut right = STEPS % 2 == 0;
        self.waves.for_cells(STEPS, |i, j, heat| right &= (self.plate.row(i)[j] - heat).abs() <= 1e-10);
        right
    }
}
