//! Searches of bench/searches that parallel iterators express, on Rayon: orders and answers as main.cpp there
//! gives and takes them.

use std::{
    env,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Instant,
};

use nopal_rust_peers::{mix, RandomSequence};
use rayon::prelude::*;

// --- elements of an array --------------------------------------------------------------------------------

struct Numbers {
    all: Vec<u64>,
    rounds: usize,
}

impl Numbers {
    fn new(count: usize, rounds: usize, place: usize) -> Self {
        let mut made = Self { all: Vec::with_capacity(count), rounds };
        let mut random = RandomSequence::new(3);
        let first = count / 1000 * place / 1000;
        while made.all.len() < count {
            let next = random.draw();
            let fits = made.fits(next);
            if if made.all.len() < first { !fits } else { made.all.len() > first || fits } {
                made.all.push(next);
            }
        }
        made
    }

    fn fits(&self, mut number: u64) -> bool {
        for _ in 0..self.rounds {
            number = mix(number);
        }
        number % 100 == 0
    }

    fn search(&self, first: bool) -> i64 {
        let numbers = self.all.par_iter();
        if first {
            numbers.position_first(|&n| self.fits(n)).unwrap_or(self.all.len()) as i64
        } else {
            i64::from(numbers.position_any(|&n| self.fits(n)).is_some())
        }
    }
}

// --- queens ----------------------------------------------------------------------------------------------

const FORKED_ROWS: usize = 12;

struct Board {
    size: usize,
    rows_forked: usize,
    barred: Vec<u32>,
}

impl Board {
    fn new(size: usize, rows_searched: usize, barred: u64, seed: u64) -> Self {
        let mut random = RandomSequence::new(seed);
        let mut rows = vec![0; 30];
        for row in &mut rows {
            for column in 0..size {
                if random.draw() % 100 < barred {
                    *row |= 1 << column;
                }
            }
        }
        Self { size, rows_forked: FORKED_ROWS.min(size - rows_searched), barred: rows }
    }
}

#[derive(Clone, Copy)]
struct Branch {
    row: usize,
    columns: u32,
    left: u32,
    right: u32,
    queens: [i8; 30],
}

impl Branch {
    fn free(&self, on: &Board) -> u32 {
        ((1 << on.size) - 1) & !(self.columns | self.left | self.right | on.barred[self.row])
    }

    fn with(&self, queen: u32) -> Self {
        let mut next = *self;
        next.queens[self.row] = queen.trailing_zeros() as i8;
        next.columns |= queen;
        next.left = (self.left | queen) << 1;
        next.right = (self.right | queen) >> 1;
        next.row += 1;
        next
    }

    fn children(&self, on: &Board) -> Vec<Self> {
        let mut free = self.free(on);
        let mut all = Vec::new();
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            all.push(self.with(queen));
        }
        all
    }
}

/// From here on serially. Looks at the flag at every 256th node.
struct Hunt<'a> {
    on: &'a Board,
    over: &'a AtomicBool,
    nodes: u64,
    stopped: bool,
}

impl Hunt<'_> {
    fn complete(&mut self, row: usize, columns: u32, left: u32, right: u32, queens: &mut [i8; 30]) -> bool {
        self.nodes += 1;
        if self.nodes & 255 == 0 {
            self.stopped = self.stopped || self.over.load(Relaxed);
        }
        if self.stopped {
            return false;
        }
        if row == self.on.size {
            return true;
        }
        let mut free = ((1 << self.on.size) - 1) & !(columns | left | right | self.on.barred[row]);
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            if self.complete(row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1, queens) {
                queens[row] = queen.trailing_zeros() as i8;
                return true;
            }
        }
        false
    }
}

/// Of `any`, a flag reaches the searches inside; of `first` Rayon drops what comes behind by itself.
fn search_branch(on: &Board, from: Branch, first: bool, over: &AtomicBool) -> Option<[i8; 30]> {
    if over.load(Relaxed) {
        return None;
    }
    if from.row == on.rows_forked {
        let mut queens = from.queens;
        let mut hunt = Hunt { on, over, nodes: 0, stopped: false };
        let found = hunt.complete(from.row, from.columns, from.left, from.right, &mut queens);
        if found && !first {
            over.store(true, Relaxed);
        }
        return found.then_some(queens);
    }
    let children = from.children(on);
    let below = children.par_iter();
    if first {
        below.find_map_first(|&next| search_branch(on, next, first, over))
    } else {
        below.find_map_any(|&next| search_branch(on, next, first, over))
    }
}

fn search_board(on: &Board, first: bool) -> i64 {
    let root = Branch { row: 0, columns: 0, left: 0, right: 0, queens: [0; 30] };
    match search_branch(on, root, first, &AtomicBool::new(false)) {
        None => 0,
        Some(_) if !first => 1,
        Some(queens) => queens.iter().fold(0u64, |mixed, &column| mix(mixed ^ column as u64)) as i64,
    }
}

// --- orders ----------------------------------------------------------------------------------------------

fn problem(name: &str, quick: bool) -> Option<Box<dyn Fn() -> i64 + Send + Sync>> {
    let first = name.ends_with("first");
    if name.starts_with("range") {
        let rounds = if name.contains("cheap") { 1 } else { 200 };
        let numbers = Numbers::new(if quick { 100_000 } else { 20_000_000 } / rounds, rounds, 900_000);
        return Some(Box::new(move || numbers.search(first)));
    }
    if !name.starts_with("queens") {
        return None;
    }
    let board = match (name.contains("barred"), quick) {
        (false, true) => Board::new(20, 10, 0, 0),
        (false, false) => Board::new(28, 16, 0, 0),
        (true, true) => Board::new(16, 8, 50, 1),
        (true, false) => Board::new(26, 16, 65, 1),
    };
    Some(Box::new(move || search_board(&board, first)))
}

fn processor_seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the structure that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// rayon_searches NAME WORKERS PASSES quick|usual: a line for each pass, the answer and two times in seconds.
fn main() -> ExitCode {
    let given: Vec<String> = env::args().collect();
    let [_, name, workers, passes, size] = given.as_slice() else {
        eprintln!("usage: rayon_searches NAME WORKERS PASSES quick|usual");
        return ExitCode::from(2);
    };
    let quick = size == "quick";
    let Some(run) = problem(name, quick) else { return ExitCode::from(3) };
    let workers = workers.parse().expect("a number of workers");
    let passes: usize = passes.parse().expect("a number of passes");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("threads can be started");
    pool.install(|| {
        if !quick {
            run();
        }
        for _ in 0..passes {
            let (used, start) = (processor_seconds(), Instant::now());
            let answer = run();
            println!("{answer} {:.9} {:.9}", start.elapsed().as_secs_f64(), processor_seconds() - used);
        }
    });
    ExitCode::SUCCESS
}
