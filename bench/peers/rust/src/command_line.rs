//! The orders an executable takes, the same as bench/peers/peer_main.cpp's: `describe` says who it is;
//! `bench-one` takes one run.

use std::{env, fmt::Display, os::unix::process::parent_id, process::ExitCode, str::FromStr};

use crate::programs::{programs, Input, Program, Record};
use crate::sparse::SymmetricMatrix;
use crate::ForkJoin;

const USAGE: &str = "describe | bench-one PROGRAM [--variant=peer] [--workers=N] [--size=N] [--grain=N] \
                     [--seed=N] [--matrix=FILE] [--parent=PID]";

const LARGEST_WORKER_COUNT: usize = 1024;

/// The main program of a library's executable.
pub fn main<F: ForkJoin>() -> ExitCode {
    match obey::<F>(env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned())) {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{}: {message}", F::NAME);
            ExitCode::from(2)
        }
    }
}

fn obey<F: ForkJoin>(mut arguments: impl Iterator<Item = String>) -> Result<String, String> {
    match arguments.next().as_deref() {
        Some("--help" | "-h") => Ok(format!("usage: {} {USAGE}", F::NAME)),
        Some("describe") => match arguments.next() {
            None => Ok(describe::<F>()),
            Some(extra) => Err(format!("describe takes no argument, not {extra:?}")),
        },
        Some("bench-one") => {
            let order = RunOrder::parse::<F>(arguments)?;
            end_with_parent(order.parent);
            Ok(report(&(order.program.run)(&order.input, order.workers)))
        }
        Some(other) => Err(format!("unknown order {other:?}; accepted: describe, bench-one")),
        None => Err("no order; accepted: describe, bench-one".into()),
    }
}

struct RunOrder {
    program: Program,
    workers: usize,
    input: Input,
    parent: u32,
}

impl RunOrder {
    fn parse<F: ForkJoin>(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut name = None;
        let mut workers = 1;
        let mut input = Input { size: 0, grain: 0, seed: 0, matrix: None };
        let mut matrix_file = None;
        let mut parent = 0;
        while let Some(argument) = arguments.next() {
            let Some(option) = argument.strip_prefix("--") else {
                if name.is_some() {
                    return Err(format!("one program a run, not {argument:?} too"));
                }
                name = Some(argument);
                continue;
            };
            let (option, value) = match option.split_once('=') {
                Some((option, value)) => (option, Some(value.to_string())),
                None => (option, arguments.next()),
            };
            let value = value.ok_or_else(|| format!("--{option} needs a value"))?;
            match option {
                "variant" if value == "peer" => {}
                "variant" => return Err(format!("no variant {value:?}; accepted: peer")),
                "workers" => workers = number(option, &value)?,
                "size" => input.size = number(option, &value)?,
                "grain" => input.grain = number(option, &value)?,
                "seed" => input.seed = number(option, &value)?,
                "matrix" => matrix_file = Some(value),
                "parent" => parent = number(option, &value)?,
                _ => return Err(format!("unknown option '--{option}'; usage: {USAGE}")),
            }
        }
        let name = name.ok_or("bench-one needs a program")?;
        let Some(program) = programs::<F>().into_iter().find(|program| program.name == name) else {
            return Err(format!("unknown program {name:?}"));
        };
        if !(1..=LARGEST_WORKER_COUNT).contains(&workers) {
            return Err(format!("--workers={workers}: from 1 to {LARGEST_WORKER_COUNT}"));
        }
        if input.size > program.largest_size {
            return Err(format!("--size={}: at most {} for {name}", input.size, program.largest_size));
        }
        if let Some(file) = matrix_file {
            if !program.reads_matrix {
                return Err(format!("{name} takes no --matrix"));
            }
            input.matrix = Some(SymmetricMatrix::read(&file)?);
        }
        Ok(Self { program, workers, input, parent })
    }
}

fn number<N: FromStr<Err: Display>>(option: &str, text: &str) -> Result<N, String> {
    text.parse().map_err(|error| format!("--{option}={text}: {error}"))
}

/// However the ordering process ends, this one must not outlive it.
fn end_with_parent(parent: u32) {
    // SAFETY: neither call touches this process's memory.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if parent != 0 && parent_id() != parent {
            libc::raise(libc::SIGKILL);
        }
    }
}

fn describe<F: ForkJoin>() -> String {
    let names: Vec<String> = programs::<F>().iter().map(|program| format!("\"{}\"", program.name)).collect();
    format!(
        r#"{{"name":"{}","title":"{}","version":"{}","idiom":"{}","compiler":"{}","programs":[{}]}}"#,
        F::NAME,
        F::TITLE,
        locked_version(F::NAME),
        F::IDIOM,
        env!("NOPAL_BUILD_COMPILER"),
        names.join(",")
    )
}

/// The version of a crate that was compiled in, as Cargo.lock has it.
fn locked_version(name: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let package = lock.split_once(&format!("name = \"{name}\"\nversion = \""));
    package.and_then(|(_, rest)| rest.split('"').next()).unwrap_or("of unknown version")
}

fn report(record: &Record) -> String {
    format!(
        r#"{{"seconds":{:?},"verified":{},"page_faults":{},"peak_resident_kib":{},"resident_growth_kib":{}}}"#,
        record.seconds,
        record.verified,
        record.resources.page_faults,
        record.resources.peak_resident_kib,
        record.resources.resident_growth_kib
    )
}
