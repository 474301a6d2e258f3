//! `coverage` as text.

use crate::limits::MAX_NAMES_SHOWN;
use crate::printable_text::write_line;
use crate::text_table::{Column, Row, write_table};
use cubin_debuginfo::coverage::{
    FileLines, InstructionCounts, LostFunction, Report, SourceFileReport, VariableCounts, percent,
};
use cubin_debuginfo::lines::{CallFault, LostCall, LostCalls, LostFile};
use nv_debug_sections::arch::Arch;
use std::borrow::Cow;
use std::io::{self, Write};

type Out<'o> = &'o mut dyn Write;

/// Columns of `--by kernel`.
const BY_KERNEL: [&str; 15] = [
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
    "name",
];

/// Columns of `--by file`.
const BY_FILE: [&str; 6] = ["instr", "inlined", "lines", "lost", "functions", "name"];

pub(super) fn file(
    out: Out<'_>,
    name: &str,
    arch: Arch,
    debug_only: Option<&str>,
    report: &Report,
    by_file: bool,
) -> io::Result<()> {
    let Report { instructions: InstructionCounts { padding, .. }, .. } = report;
    let what = match debug_only {
        Some(what) => format!("no code: {what}, counted by PTX instructions"),
        None => format!("{padding} NOPs of padding left out"),
    };
    write_line(out, format_args!("{name}: {arch}, {what}"))?;
    let table = if by_file { files } else { functions };
    table(out, report)?;
    for (what, counts) in
        [("outside functions", report.globals), ("of functions without code", report.variables_without_code)]
    {
        if counts.all != 0 {
            writeln!(out, "  variables {what}: {}, {} with a location", counts.all, counts.located)?;
        }
    }
    let InstructionCounts { all, with_intermediate_line: lines, .. } = report.instructions;
    if lines != 0 {
        writeln!(out, "  {lines} of {all} instructions have a line of an intermediate language")?;
    }
    lost(out, report)
}

fn functions(out: Out<'_>, report: &Report) -> io::Result<()> {
    let mut sums = [0, report.source_files.iter().map(|file| file.lines as u64).sum(), 0_u64];
    let mut rows = Vec::new();
    for function in &report.functions {
        let kind = if function.kernel { "" } else { " (function)" };
        let name = format!("{}{kind}", function.plain_name());
        let counts = [function.rows, function.lines as u64, function.inlined_calls];
        add(&mut sums, [function.rows, 0, function.inlined_calls]);
        rows.push(row(&function.instructions, counts, &function.variables, name));
    }
    rows.push(row(&report.instructions, sums, &report.variables, "all".to_owned()));
    table(out, BY_KERNEL, rows)?;
    for function in report.functions.iter().filter(|function| !function.lost_lines.is_empty()) {
        let (name, lines) = (function.plain_name(), listed(&function.lost_lines));
        write_line(out, format_args!("  not in the code: {name}: {lines}"))?;
    }
    Ok(())
}

fn row(
    instructions: &InstructionCounts,
    counts: [u64; 3],
    variables: &VariableCounts,
    name: String,
) -> [String; 15] {
    let shares = [
        instructions.with_line,
        instructions.inlined,
        instructions.own,
        instructions.inherited,
        instructions.line_0,
        instructions.without_row(),
        instructions.with_ptx_line,
    ];
    let [line, inlined, own, inherited, line_0, no_row, ptx] =
        shares.map(|part| share(instructions.percent(part)));
    let [rows, lines, calls] = counts.map(|count| count.to_string());
    let located = match variables.all {
        0 => "-".to_owned(),
        all => format!("{}/{all}", variables.located),
    };
    let [vars, regs] = [variables.covered_percent(), variables.sass_percent()].map(share);
    let instr = instructions.all.to_string();
    [instr, line, inlined, own, inherited, line_0, no_row, ptx, rows, lines, calls, located, vars, regs, name]
}

fn files(out: Out<'_>, report: &Report) -> io::Result<()> {
    let row = |[instructions, inlined, lines, lost, functions]: [u64; 5], name: &str| {
        let inlined = share(percent(inlined, instructions));
        let [instr, lines, lost, functions] =
            [instructions, lines, lost, functions].map(|count| count.to_string());
        [instr, inlined, lines, lost, functions, name.to_owned()]
    };
    let (mut sums, mut rows) = ([0; 5], Vec::new());
    for file in &report.source_files {
        let SourceFileReport { instructions, inlined, functions, .. } = *file;
        let counts = [instructions, inlined, file.lines as u64, file.lost_lines.len() as u64, functions];
        rows.push(row(counts, name_of(file.path.as_ref())));
        add(&mut sums, counts);
    }
    // A function may be of several files.
    let [instructions, inlined, lines, lost, _] = sums;
    rows.push(row([instructions, inlined, lines, lost, report.functions.len() as u64], "all"));
    table(out, BY_FILE, rows)?;
    for file in report.source_files.iter().filter(|file| !file.lost_lines.is_empty()) {
        let (name, lines) = (name_of(file.path.as_ref()), ranges(&file.lost_lines));
        write_line(out, format_args!("  not in the code: {name}: {lines}"))?;
    }
    Ok(())
}

/// Adds numbers. A debug-only object may claim any number, since its sections have no bytes in the
/// file.
fn add<const N: usize>(sums: &mut [u64; N], more: [u64; N]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.saturating_add(more);
    }
}

/// What the PTX has that the file lacks.
fn lost(out: Out<'_>, report: &Report) -> io::Result<()> {
    let Some(functions) = &report.ptx else { return Ok(()) };
    let calls = report.lost_calls.as_ref().filter(|lost| !lost.calls.is_empty() || !lost.files.is_empty());
    if functions.is_empty() && calls.is_none() {
        let calls = if report.lost_calls.is_none() { "; inlined calls are not compared" } else { "" };
        writeln!(out, "  nothing that the PTX names is lost{calls}")?;
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
        write_line(out, format_args!("  lost of the PTX: {name}{code}"))?;
        let LostFunction { lines, lines_without_code, call_sites, .. } = function;
        for (what, lines) in [
            ("lines", &FileLines::without(lines, lines_without_code)),
            ("lines without an instruction in the PTX", lines_without_code),
            ("call sites", call_sites),
        ] {
            if !lines.is_empty() {
                write_line(out, format_args!("    {what}: {}", listed(lines)))?;
            }
        }
        if !function.variables.is_empty() {
            write_line(out, format_args!("    variables: {}", some(function.variables.iter().cloned())))?;
        }
    }
    calls.map_or(Ok(()), |lost| lost_calls(out, lost))
}

/// The inlined calls and files that the PTX and the cubin do not have alike.
fn lost_calls(out: Out<'_>, lost: &LostCalls) -> io::Result<()> {
    let LostCalls { inlined, incomplete, .. } = lost;
    for (fault, what) in [
        (
            CallFault::Lost,
            format!("lost of the PTX: inlined calls of {incomplete} of {inlined} instructions"),
        ),
        (CallFault::NotInPtx, "not in the PTX: inlined calls that end before, or are others".to_owned()),
    ] {
        let calls: Vec<&LostCall> = lost.calls.iter().filter(|call| call.fault == fault).collect();
        if calls.is_empty() {
            continue;
        }
        write_line(out, format_args!("  {what}"))?;
        for call in calls.iter().take(MAX_NAMES_SHOWN) {
            let LostCall { instructions, section, offset, .. } = call;
            let plural = if *instructions == 1 { "" } else { "s" };
            let at = format_args!("{instructions} instruction{plural}, from {section}+{offset:#x}");
            write_line(out, format_args!("    {call}: {at}"))?;
        }
        match calls.len().saturating_sub(MAX_NAMES_SHOWN) {
            0 => {}
            more => writeln!(out, "    and {more} more calls")?,
        }
    }
    if lost.files.is_empty() {
        return Ok(());
    }
    let instructions: u64 = lost.files.iter().map(|file| file.instructions).sum();
    let plural = if instructions == 1 { "" } else { "s" };
    write_line(out, format_args!("  lost of the PTX: the file of {instructions} instruction{plural}"))?;
    for file in lost.files.iter().take(MAX_NAMES_SHOWN) {
        let LostFile { instructions, section, offset, .. } = file;
        let plural = if *instructions == 1 { "" } else { "s" };
        let at = format_args!("{instructions} instruction{plural}, from {section}+{offset:#x}");
        write_line(out, format_args!("    {file}: {at}"))?;
    }
    match lost.files.len().saturating_sub(MAX_NAMES_SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "    and {more} more files and lines"),
    }
}

pub(super) fn all_files(out: Out<'_>, counts: &[(InstructionCounts, VariableCounts)]) -> io::Result<()> {
    let mut sums = [0; 5];
    for (instructions, variables) in counts {
        let InstructionCounts { all, with_line, .. } = *instructions;
        add(&mut sums, [1, all, with_line, variables.scope_bytes, variables.covered_bytes]);
    }
    let [files, all, with_line, scope, covered] = sums;
    let (lines, variables) = (share(percent(with_line, all)), share(percent(covered, scope)));
    writeln!(
        out,
        "{files} files: {all} instructions, with a line {lines}; variables' scopes with a location {variables}"
    )
}

fn name_of(path: Option<&String>) -> &str {
    path.map_or("a file that is not declared", String::as_str)
}

/// 99.9 where not all is reached: nothing looks complete that is not.
fn share(percent: Option<f64>) -> String {
    percent.map_or("-".to_owned(), |percent| {
        let shown = if percent < 100.0 { percent.min(99.9) } else { percent };
        format!("{shown:.1}%")
    })
}

/// A table of numbers, each row with a name as its last cell.
fn table<const N: usize>(
    out: Out<'_>,
    headings: [&'static str; N],
    rows: Vec<[String; N]>,
) -> io::Result<()> {
    let mut columns = headings.map(Column::Right);
    if let (Some(column), Some(name)) = (columns.last_mut(), headings.last()) {
        *column = Column::Left(name);
    }
    let rows: Vec<Row<'_, N>> = rows.into_iter().map(|row| row.map(Cow::from)).collect();
    write_table(out, columns, &rows)
}

fn listed(all: &[FileLines]) -> String {
    let files = all.iter().map(|lines| format!("{}: {}", name_of(lines.file.as_ref()), ranges(&lines.lines)));
    some_of(files, "; ", " more files")
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
    some_of(all, ", ", " more")
}

/// The first ones, and how many more there are.
fn some_of(all: impl ExactSizeIterator<Item = String>, between: &str, more_of: &str) -> String {
    let more = all.len().saturating_sub(MAX_NAMES_SHOWN);
    let text = all.take(MAX_NAMES_SHOWN).collect::<Vec<_>>().join(between);
    if more > 0 { format!("{text} and {more}{more_of}") } else { text }
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
