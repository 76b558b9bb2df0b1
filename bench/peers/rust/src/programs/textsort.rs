//! Parallel merge sort, with parallel merges, of lines of text.

use std::{fs, ops::Range, path::PathBuf};

use super::{Input, Instance};
use crate::merge_sort::merge_sort;
use crate::random::{mix, RandomSequence};
use crate::ForkJoin;

type Line = &'static [u8];

const LICENCES: &str = "/usr/share/common-licenses";

/// Every file once, however many links it has, in the order of the names: the same words on every run.
fn read_licences() -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(LICENCES).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            files.push(entry.path());
        }
    }
    files.sort();
    let mut words = Vec::new();
    for file in files {
        let text = fs::read(file).unwrap_or_default();
        let pieces = text.split(|letter| matches!(letter, b' ' | b'\t'..=b'\r'));
        words.extend(pieces.filter(|word| !word.is_empty()).map(<[u8]>::to_vec));
    }
    words
}

/// A few letters each; few different words, as in a language.
fn make_words(random: &mut RandomSequence) -> Vec<Vec<u8>> {
    let mut pick = |count: usize| (random.draw() % count as u64) as usize;
    let mut vocabulary = vec![Vec::new(); 4096];
    for word in &mut vocabulary {
        for _ in 0..1 + pick(4) {
            word.push(b"bcdfghjklmnprstvw"[pick(17)]);
            word.push(b"aeiou"[pick(5)]);
        }
    }
    (0..65536).map(|_| vocabulary[pick(4096)].clone()).collect()
}

/// A line is what follows from some word on, of up to fourteen words: many lines begin alike, few are
/// alike. They lie in memory in the order in which they were made, and stay until the process ends.
fn text_lines(count: usize, seed: u64) -> Vec<Line> {
    const ENOUGH: usize = 1000;
    let mut random = RandomSequence::new(seed);
    let mut words = read_licences();
    if words.len() < ENOUGH {
        words = make_words(&mut random);
    }
    let mut characters = Vec::new();
    let lines: Vec<Range<usize>> = (0..count)
        .map(|_| {
            let first = (random.draw() % words.len() as u64) as usize;
            let last = words.len().min(first + 3 + (random.draw() % 12) as usize);
            let begin = characters.len();
            for (i, word) in words[first..last].iter().enumerate() {
                if i > 0 {
                    characters.push(b' ');
                }
                characters.extend_from_slice(word);
            }
            begin..characters.len()
        })
        .collect();
    let characters: Line = characters.leak();
    lines.into_iter().map(|line| &characters[line]).collect()
}

/// Depends on the lines and how often each occurs, not on their order.
fn fingerprint(lines: &[Line]) -> u64 {
    let of_line = |line: &Line| line.iter().fold(line.len() as u64 + 1, |word, &l| mix(word ^ u64::from(l)));
    lines.iter().fold(0, |sum, line| sum.wrapping_add(mix(of_line(line))))
}

pub struct Textsort {
    lines: Vec<Line>,
    spare: Vec<Line>,
    grain: usize,
    fingerprint: u64,
}

impl Instance for Textsort {
    const LARGEST_SIZE: usize = 200_000_000;

    fn prepare(input: &Input) -> Self {
        let lines = text_lines(input.size, input.seed);
        let (spare, fingerprint) = (lines.clone(), fingerprint(&lines));
        Self { lines, spare, grain: input.grain.max(4), fingerprint }
    }

    fn run<F: ForkJoin>(&mut self, scope: &mut F::Scope<'_>) {
        merge_sort::<F, Line>(scope, &mut self.lines, &mut self.spare, self.grain);
    }

    fn verify(&self) -> bool {
        self.lines.is_sorted() && fingerprint(&self.lines) == self.fingerprint
    }
}
