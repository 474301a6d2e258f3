//! Damages modules at random.

use crate::cases::{directives_only, sound};
use fastrand::Rng;
use llvm_debug_metadata::IrDialect;

/// Modules with one fault each, or one that does no harm.
pub(crate) fn damaged(count: usize) -> Vec<(IrDialect, String)> {
    let mut rng = Rng::with_seed(27);
    let modules: Vec<(IrDialect, String)> = [IrDialect::TypedPointers, IrDialect::OpaquePointers]
        .into_iter()
        .flat_map(|dialect| [(dialect, sound(dialect).to_owned()), (dialect, directives_only(dialect))])
        .collect();
    (0..count)
        .map(|index| {
            let (dialect, text) = &modules[index % modules.len()];
            (*dialect, damage(text, &mut rng))
        })
        .collect()
}

fn damage(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let numbers: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once(" = ").map(|(name, _)| name))
        .filter(|name| is_number(name))
        .map(str::to_owned)
        .collect();
    let kind = rng.usize(..8);
    let is_wanted = |line: &str| match kind {
        0 | 1 => line.contains(", !dbg !") && !line.starts_with('@'),
        2..=4 => is_number(line.split_once(" = ").map_or("", |(name, _)| name)),
        5 => line.contains("dbg_") || line.contains("@llvm.dbg.") && line.contains("call"),
        6 => line.starts_with("define"),
        _ => {
            line.starts_with("!llvm.dbg.cu")
                || line.starts_with("!llvm.module.flags")
                || line.contains("DICompileUnit")
        }
    };
    let wanted: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| is_wanted(line)).map(|(index, _)| index).collect();
    let index = wanted[rng.usize(..wanted.len())];
    let other = &numbers[rng.usize(..numbers.len())];
    let line = &mut lines[index];
    match kind {
        0 => {
            if let Some(at) = line.find(", !dbg !") {
                line.truncate(at);
            }
        }
        7 if rng.bool() => line.clear(),
        7 => *line = line.replace("FullDebug", "NoDebug"),
        2 if line.contains(": ") => {
            // A field is taken out.
            let fields: Vec<&str> = line.split(", ").collect();
            let gone = 1 + rng.usize(..fields.len().max(2) - 1);
            let is_left = |(at, _): &(usize, &&str)| *at != gone || *at + 1 == fields.len();
            *line = fields
                .iter()
                .enumerate()
                .filter(is_left)
                .map(|(_, field)| *field)
                .collect::<Vec<_>>()
                .join(", ");
        }
        _ => replace_number(line, other, rng),
    }
    lines.join("\n") + "\n"
}

fn is_number(name: &str) -> bool {
    name.strip_prefix('!').is_some_and(|rest| rest.parse::<u32>().is_ok())
}

/// Puts another node in the place of one that the line means.
fn replace_number(line: &mut String, other: &str, rng: &mut Rng) {
    let starts: Vec<usize> = line
        .match_indices('!')
        .map(|(at, _)| at)
        .filter(|at| *at > 0 && line[at + 1..].starts_with(|digit: char| digit.is_ascii_digit()))
        .collect();
    if starts.is_empty() {
        return;
    }
    let start = starts[rng.usize(..starts.len())];
    let digits = line[start + 1..].find(|digit: char| !digit.is_ascii_digit());
    let end = digits.map_or(line.len(), |length| start + 1 + length);
    line.replace_range(start..end, other);
}
