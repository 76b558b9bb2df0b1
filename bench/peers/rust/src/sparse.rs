//! Symmetric sparse matrices, random or read from files in Matrix Market form.

use std::{collections::BTreeSet, fs, str::FromStr};

use crate::random::{between_minus_one_and_one, RandomSequence};

/// An entry on or below the diagonal; rows and columns count from 0.
#[derive(Clone, Copy)]
pub struct Entry {
    pub row: usize,
    pub column: usize,
    pub value: f64,
}

/// A symmetric matrix by its entries on and below the diagonal, each place at most once.
#[derive(Clone)]
pub struct SymmetricMatrix {
    pub rows: usize,
    pub entries: Vec<Entry>,
}

impl SymmetricMatrix {
    /// Of ten non-zeros in a row on average, the diagonal among them, which outweighs the rest of its row.
    pub fn random(rows: usize, seed: u64) -> Self {
        let mut random = RandomSequence::new(seed);
        let below = (rows * 9 / 2).min(rows * rows.saturating_sub(1) / 2);
        let mut places = BTreeSet::new();
        while places.len() < below {
            let row = (random.draw() % rows as u64) as usize;
            let column = (random.draw() % rows as u64) as usize;
            if row != column {
                places.insert((row.max(column), row.min(column)));
            }
        }
        let mut weights = vec![1.0; rows];
        let mut entries = Vec::with_capacity(below + rows);
        for (row, column) in places {
            let value = between_minus_one_and_one(&mut random);
            entries.push(Entry { row, column, value });
            weights[row] += value.abs();
            weights[column] += value.abs();
        }
        entries.extend(weights.iter().enumerate().map(|(i, &value)| Entry { row: i, column: i, value }));
        Self { rows, entries }
    }

    /// Reads a file of the form "matrix coordinate real symmetric".
    pub fn read(file: &str) -> Result<Self, String> {
        let text = fs::read_to_string(file).map_err(|error| format!("cannot read {file:?}: {error}"))?;
        Self::parse(&text).map_err(|error| format!("{file:?}: {error}"))
    }

    fn parse(text: &str) -> Result<Self, String> {
        const FORM: &str = "%%matrixmarket matrix coordinate real symmetric";
        const MOST_ROWS: usize = 1_000_000;
        let mut lines = text.lines().enumerate();
        let banner = lines.next().unwrap_or_default().1.to_lowercase();
        if !banner.split_whitespace().eq(FORM.split_whitespace()) {
            return Err(format!("line 1 is not {FORM}"));
        }
        let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('%'));
        let (_, sizes) = lines.next().ok_or("ends before the numbers of rows, columns and entries")?;
        let (rows, count) = match three_numbers::<usize>(sizes) {
            Some((rows, columns, count)) if rows == columns && rows <= MOST_ROWS => (rows, count),
            _ => return Err(format!("{sizes:?} is not rows columns entries of a matrix that can be read")),
        };
        let mut entries = Vec::new();
        let mut places = BTreeSet::new();
        for (i, line) in lines {
            let entry = match three_numbers::<f64>(line) {
                Some((row, column, value))
                    if 1 <= column && column <= row && row <= rows && value.is_finite() =>
                {
                    Entry { row: row - 1, column: column - 1, value }
                }
                _ => return Err(format!("line {} is no entry on or below the diagonal", i + 1)),
            };
            if !places.insert((entry.row, entry.column)) {
                return Err(format!("line {} names a place a second time", i + 1));
            }
            entries.push(entry);
        }
        if entries.len() != count {
            return Err(format!("announces {count} entries and has {}", entries.len()));
        }
        Ok(Self { rows, entries })
    }
}

/// A line of three numbers and nothing else.
fn three_numbers<Last: FromStr>(line: &str) -> Option<(usize, usize, Last)> {
    let mut words = line.split_whitespace();
    let numbers = (words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    words.next().is_none().then_some(numbers)
}
