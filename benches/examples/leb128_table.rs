//! The tables of `docs/performance.md`, LEB128: `cargo run --release -p nvdwarf-benches --example
//! leb128_table`.
//!
//! Times are the best of many rounds in which all ways take turns; instructions come from `valgrind
//! --tool=callgrind`, under which the example runs itself once for each way (`WAY INPUT`, by
//! index), and are left out where that is not installed.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "an example reports rounded rates")]

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use nvdwarf_benches::leb128::{DECODERS, ENCODERS, Input, Output, inputs};

const ROUNDS: usize = 60;

/// Ways to write, then ways to read.
const WAYS: usize = ENCODERS.len() + DECODERS.len();

fn name(way: usize) -> (&'static str, &'static str) {
    let encoders = ENCODERS.iter().map(|(by, how, _)| (*by, *how));
    encoders.chain(DECODERS.iter().map(|(by, how, _)| (*by, *how))).nth(way).unwrap_or_default()
}

/// What callgrind counts: its name is looked for, so it stays a function of its own.
#[inline(never)]
fn leb128_measured(way: usize, input: &Input, out: &mut Output) {
    let signed = usize::from(input.signed);
    match ENCODERS.get(way) {
        Some((_, _, encode)) => {
            black_box(encode[signed](black_box(input), out));
        }
        None => {
            black_box(DECODERS[way - ENCODERS.len()].2[signed](black_box(&input.bytes)));
        }
    }
}

/// Nanoseconds a number, by way.
fn times(input: &Input) -> [f64; WAYS] {
    let (mut best, mut out) = ([f64::MAX; WAYS], Output::new(input.values.len()));
    for _ in 0..ROUNDS {
        for (way, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            leb128_measured(way, input, &mut out);
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / input.values.len() as f64);
        }
    }
    best
}

/// Instructions a number.
fn instructions(way: usize, index: usize, input: &Input) -> Option<f64> {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*leb128_measured*"])
        .arg(std::env::current_exe().ok()?)
        .args([way.to_string(), index.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    let count = text.lines().find_map(|line| line.split_once("Collected :"))?.1.trim().parse::<f64>().ok()?;
    Some(count / input.values.len() as f64)
}

/// One line: a number for each way, then how many times as much the best other way takes as each of
/// ours.
fn row(name: &str, ways: std::ops::Range<usize>, numbers: &[f64]) {
    print!("| {name} |");
    for way in ways.clone() {
        print!(" {:.2} |", numbers[way]);
    }
    for other in ["leb128", "gimli"] {
        let by = |crate_name: &str| {
            ways.clone().filter(|way| self::name(*way).0 == crate_name).collect::<Vec<_>>()
        };
        let best = by(other).into_iter().map(|way| numbers[way]).fold(f64::MAX, f64::min);
        let times: Vec<_> =
            by("leb128-nv").into_iter().map(|way| format!("{:.2}", best / numbers[way])).collect();
        print!(" {} |", times.join(", "));
    }
    println!();
}

fn table(title: &str, ways: std::ops::Range<usize>, rows: &[(&str, Vec<f64>)]) {
    println!("\n{title}\n");
    let heads: Vec<String> = ways.clone().map(|way| format!("{} {}", name(way).0, name(way).1)).collect();
    println!("| numbers | {} | leb128's best / each of ours | gimli's best / each |", heads.join(" | "));
    println!("|---|{}---:|---:|", "---:|".repeat(heads.len()));
    for (name, numbers) in rows {
        row(name, ways.clone(), numbers);
    }
}

fn main() {
    let (inputs, from_corpus) = inputs();
    let mut arguments = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    if let (Some(way @ 0..WAYS), Some(index)) = (arguments.next(), arguments.next()) {
        let input = &inputs[index];
        return leb128_measured(way, input, &mut Output::new(input.values.len()));
    }
    println!(
        "real numbers: {}",
        if from_corpus {
            "../shared/corpus"
        } else {
            "examples/, few enough to be learnt by the branch predictor: no ../shared/corpus"
        }
    );
    for input in &inputs {
        let one = input.bytes.iter().filter(|byte| **byte < 0x80).count();
        assert_eq!(one, input.values.len(), "each number has one last byte");
        println!("- {}: {} numbers, {} bytes", input.name, input.values.len(), input.bytes.len());
    }
    let (write, read) = (0..ENCODERS.len(), ENCODERS.len()..WAYS);
    let rows: Vec<_> = inputs.iter().map(|input| (input.name, times(input).to_vec())).collect();
    table("Encode, ns a number:", write.clone(), &rows);
    table("Decode, ns a number:", read.clone(), &rows);
    let counted: Option<Vec<_>> = inputs
        .iter()
        .enumerate()
        .map(|(index, input)| {
            let counts: Option<Vec<f64>> = (0..WAYS).map(|way| instructions(way, index, input)).collect();
            counts.map(|counts| (input.name, counts))
        })
        .collect();
    match counted {
        Some(rows) => {
            table("Encode, instructions a number:", write, &rows);
            table("Decode, instructions a number:", read, &rows);
        }
        None => println!("\nno instruction counts: valgrind is not installed"),
    }
}
