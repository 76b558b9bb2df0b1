//! Before a run is timed: every thread awake and on a processor of its own. As in bench/runner/warm_up.hpp.

use std::{
    hint,
    time::{Duration, Instant},
};

use crate::ForkJoin;

const LEAF: Duration = Duration::from_micros(250);
const LEAVES_EACH: usize = 8;

pub fn warm_up<F: ForkJoin>(scope: &mut F::Scope<'_>, workers: usize) {
    let leaf = |_: usize, _: &mut ()| {
        let start = Instant::now();
        while start.elapsed() < LEAF {
            hint::spin_loop();
        }
    };
    let begin = Instant::now();
    loop {
        let start = Instant::now();
        F::for_each_mut(scope, &mut vec![(); LEAVES_EACH * workers], &leaf);
        let enough = LEAF * LEAVES_EACH as u32 * 5 / 4;
        if start.elapsed() < enough || begin.elapsed() > Duration::from_millis(100) {
            return;
        }
    }
}
