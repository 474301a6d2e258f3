//! `coverage` as text.

use crate::commands::read::printable;
use crate::limits::MAX_NAMES_SHOWN;
use cubin_debuginfo::coverage::ptx::LostFunction;
use cubin_debuginfo::coverage::{
    FileLines, FunctionReport, InstructionCounts, Report, SourceFileReport, VariableCounts, percent,
};
use std::fmt::Write as _;
use std::io::{self, Write};

type Out<'o> = &'o mut dyn Write;

const BY_KERNEL: [&str; 14] = [
    "instr",
    "line",
    "inlined",
    "own",
    "inherited",
    "line 0",
    "no row",
    "ptx",
    "rows",
    "lines",
    "calls",
    "located",
    "vars",
    "regs",
];
const BY_FILE: [&str; 5] = ["instr", "inlined", "lines", "lost", "functions"];

pub(super) fn file(
    out: Out<'_>,
    (name, debug_only): (&str, Option<&str>),
    report: &Report,
    by_file: bool,
) -> io::Result<()> {
    let Report { sm, functions, source_files, .. } = report;
    let padding = report.instructions.padding;
    let name = printable(name);
    match debug_only {
        Some(what) => {
            writeln!(out, "{name}: sm_{sm}, no code: {}, counted by PTX instructions", printable(what))?;
        }
        None => writeln!(out, "{name}: sm_{sm}, {padding} NOPs of padding left out")?,
    }
    if by_file {
        let rows = source_files.iter().map(|file| (source_cells(file), name_of(file.path.as_deref())));
        // The sections of a debug-only object may claim any size, as they have no bytes in the file.
        let (instructions, inlined) =
            source_files.iter().fold((0_u64, 0_u64), |(instructions, inlined), file| {
                (instructions.saturating_add(file.instructions), inlined.saturating_add(file.inlined))
            });
        let sum = |of: fn(&SourceFileReport) -> usize| source_files.iter().map(of).sum::<usize>().to_string();
        let total = [
            instructions.to_string(),
            share(percent(inlined, instructions)),
            sum(|file| file.lines),
            sum(|file| file.lost_lines.len()),
            functions.len().to_string(),
        ];
        table(out, &BY_FILE, &rows.chain([(total.to_vec(), "all".to_owned())]).collect::<Vec<_>>())?;
        for file in source_files.iter().filter(|file| !file.lost_lines.is_empty()) {
            let lines = ranges(&file.lost_lines);
            writeln!(out, "  not in the code: {}: {lines}", name_of(file.path.as_deref()))?;
        }
    } else {
        let rows = functions.iter().map(|function| (cells(function), title(function)));
        let sum = |of: fn(&FunctionReport) -> u64| functions.iter().map(of).sum::<u64>().to_string();
        let lines: usize = source_files.iter().map(|file| file.lines).sum();
        let counts =
            [sum(|function| function.rows), lines.to_string(), sum(|function| function.inlined_calls)];
        let total = joined(&report.instructions, counts, &report.variables);
        table(out, &BY_KERNEL, &rows.chain([(total, "all".to_owned())]).collect::<Vec<_>>())?;
        for function in functions.iter().filter(|function| !function.lost_lines.is_empty()) {
            let name = printable(function.plain_name());
            writeln!(out, "  not in the code: {name}: {}", listed(&function.lost_lines))?;
        }
    }
    for (what, counts) in
        [("outside functions", report.globals), ("of functions without code", report.variables_without_code)]
    {
        if counts.all != 0 {
            writeln!(out, "  variables {what}: {}, {} with a location", counts.all, counts.located)?;
        }
    }
    lost(out, report)
}

/// What the PTX has that the file lacks.
fn lost(out: Out<'_>, report: &Report) -> io::Result<()> {
    let Some(functions) = &report.ptx else { return Ok(()) };
    if functions.is_empty() {
        writeln!(out, "  nothing that the PTX names is lost")?;
    }
    for function in functions {
        let code = match function {
            LostFunction { absent: true, .. } => {
                ": folded away or not used (no code, no line and no call of it)"
            }
            LostFunction { code: true, .. } => "",
            LostFunction { inlined: true, .. } => ", which has no code of its own and is inlined",
            LostFunction { name, .. } if name.is_empty() => "",
            LostFunction { .. } => ", which has no code of its own",
        };
        let name = if function.name.is_empty() { "outside functions" } else { &function.name };
        writeln!(out, "  lost of the PTX: {}{code}", printable(name))?;
        for (what, lines) in [("lines", &function.lines), ("call sites", &function.call_sites)] {
            if !lines.is_empty() {
                writeln!(out, "    {what}: {}", listed(lines))?;
            }
        }
        if !function.variables.is_empty() {
            writeln!(
                out,
                "    variables: {}",
                some(function.variables.iter().map(|name| printable(name).into()))
            )?;
        }
    }
    Ok(())
}

pub(super) fn all_files<'r>(out: Out<'_>, reports: impl Iterator<Item = &'r Report>) -> io::Result<()> {
    let (mut files, mut all, mut with_line, mut scope, mut covered) = (0, 0_u64, 0_u64, 0_u64, 0_u64);
    for report in reports {
        files += 1;
        all = all.saturating_add(report.instructions.all);
        with_line = with_line.saturating_add(report.instructions.with_line);
        scope = scope.saturating_add(report.variables.scope_bytes);
        covered = covered.saturating_add(report.variables.covered_bytes);
    }
    let (lines, variables) = (share(percent(with_line, all)), share(percent(covered, scope)));
    writeln!(
        out,
        "{files} files: {all} instructions, with a line {lines}; variables' scopes with a location {variables}"
    )
}

fn title(function: &FunctionReport) -> String {
    let kind = if function.kernel { "" } else { " (function)" };
    format!("{}{kind}", printable(function.plain_name()))
}

fn name_of(path: Option<&str>) -> String {
    path.map_or_else(|| "a file that is not declared".to_owned(), |path| printable(path).into_owned())
}

fn cells(function: &FunctionReport) -> Vec<String> {
    let counts =
        [function.rows, function.lines as u64, function.inlined_calls].map(|count| count.to_string());
    joined(&function.instructions, counts, &function.variables)
}

fn joined(instructions: &InstructionCounts, counts: [String; 3], variables: &VariableCounts) -> Vec<String> {
    let all = instructions.all;
    let shares = [
        instructions.with_line,
        instructions.inlined,
        instructions.own,
        instructions.inherited,
        instructions.line_0,
        instructions.without_row(),
        instructions.with_ptx_line,
    ];
    let shares = shares.map(|part| share(instructions.percent(part)));
    let located = match variables.all {
        0 => "-".to_owned(),
        all => format!("{}/{all}", variables.located),
    };
    let variables = [variables.covered_percent(), variables.sass_percent()].map(share);
    [all.to_string()].into_iter().chain(shares).chain(counts).chain([located]).chain(variables).collect()
}

fn source_cells(file: &SourceFileReport) -> Vec<String> {
    vec![
        file.instructions.to_string(),
        share(percent(file.inlined, file.instructions)),
        file.lines.to_string(),
        file.lost_lines.len().to_string(),
        file.functions.to_string(),
    ]
}

/// 99.9 where not all is reached: nothing looks complete that is not.
fn share(percent: Option<f64>) -> String {
    percent.map_or("-".to_owned(), |percent| {
        let shown = if percent < 100.0 { percent.min(99.9) } else { percent };
        format!("{shown:.1}%")
    })
}

/// Columns aligned to the right, names behind them.
fn table(out: Out<'_>, head: &[&str], rows: &[(Vec<String>, String)]) -> io::Result<()> {
    let widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(column, head)| {
            let cells = rows.iter().filter_map(|(cells, _)| cells.get(column).map(String::len));
            cells.max().unwrap_or(0).max(head.len())
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>, name: &str| {
        let mut line = String::new();
        for (cell, width) in cells.zip(&widths) {
            let _ = write!(line, "  {cell:>width$}");
        }
        format!("{line}  {name}")
    };
    writeln!(out, "{}", line(&mut head.iter().copied(), "name"))?;
    for (cells, name) in rows {
        writeln!(out, "{}", line(&mut cells.iter().map(String::as_str), name))?;
    }
    Ok(())
}

fn listed(all: &[FileLines]) -> String {
    let files =
        all.iter().map(|lines| format!("{}: {}", name_of(lines.file.as_deref()), ranges(&lines.lines)));
    let more = all.len().saturating_sub(MAX_NAMES_SHOWN);
    let mut text = files.take(MAX_NAMES_SHOWN).collect::<Vec<_>>().join("; ");
    if more > 0 {
        let _ = write!(text, " and {more} more files");
    }
    text
}

/// `3, 5-9` of ascending numbers.
fn ranges(lines: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut().filter(|(_, last)| last.checked_add(1) == Some(line)) {
            Some((_, last)) => *last = line,
            None => ranges.push((line, line)),
        }
    }
    some(ranges.iter().map(
        |(first, last)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        },
    ))
}

fn some(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(MAX_NAMES_SHOWN);
    let mut text = all.take(MAX_NAMES_SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_lines_are_a_range() {
        assert_eq!(ranges(&[1, 3, 4, 5, 9, u32::MAX]), "1, 3-5, 9, 4294967295");
        assert_eq!(
            ranges(&(0..50).map(|line| line * 2).collect::<Vec<_>>()).matches("and 30 more").count(),
            1
        );
    }

    #[test]
    fn nothing_looks_complete_that_is_not() {
        assert_eq!([None, Some(0.0), Some(99.99), Some(100.0)].map(share), ["-", "0.0%", "99.9%", "100.0%"]);
    }
}
