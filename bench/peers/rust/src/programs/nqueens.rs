//! Counts the ways to place n queens on an n by n board.

use super::{Input, Instance};
use crate::ForkJoin;

const LARGEST_BOARD: usize = 16;

/// The row of the queen in each column.
type Board = [i8; LARGEST_BOARD];

fn is_attacked(placed: &Board, column: usize, row: i8) -> bool {
    placed[..column].iter().enumerate().any(|(earlier, &other)| {
        let distance = i32::from(row) - i32::from(other);
        distance == 0 || distance.unsigned_abs() as usize == column - earlier
    })
}

fn count_placements<F: ForkJoin>(
    scope: &mut F::Scope<'_>,
    queens: usize,
    column: usize,
    placed: Board,
) -> u64 {
    if column == queens {
        return 1;
    }
    let mut free = [0; LARGEST_BOARD];
    let mut free_rows = 0;
    for row in 0..queens as i8 {
        if !is_attacked(&placed, column, row) {
            free[free_rows] = row;
            free_rows += 1;
        }
    }
    F::sum(scope, 0..free_rows, &|s: &mut F::Scope<'_>, i| {
        let mut placed = placed;
        placed[column] = free[i];
        count_placements::<F>(s, queens, column + 1, placed)
    })
}

pub struct Nqueens {
    queens: usize,
    result: u64,
}

impl Instance for Nqueens {
    const LARGEST_SIZE: usize = LARGEST_BOARD;

    fn prepare(input: &Input) -> Self {
        Self { queens: input.size, result: u64::MAX }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        self.result = count_placements::<F>(scope, self.queens, 0, Board::default());
    }

    fn verify(&self) -> bool {
        // https://oeis.org/A000170
        const KNOWN: [u64; LARGEST_BOARD + 1] =
            [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512];
        self.result == KNOWN[self.queens]
    }
}
