//! Coverage of the corpus: against rows that gimli decodes, llvm-dwarfdump's statistics, and on damaged files.
#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use cubin_read::coverage::{Coverage, InstructionCounts, VariableCounts};
use gimli::{DebugLine, DebugLineOffset, EndianSlice, LineInstruction, LittleEndian};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::relocated::Relocated;
use nv_debug_sections::symbolize::Symbolizer;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Extended opcode of inlined calls (FORMATS 1.4).
const INLINED_CALL: u8 = 0x90;

/// A row: address, line, context.
type Row = (u64, u64, u64);

/// The rows of a line section by code section, each sequence with its end.
fn decoded(cubin: &Cubin<'_>, name: &str) -> HashMap<u32, Vec<(Vec<Row>, u64)>> {
    let mut all: HashMap<u32, Vec<(Vec<Row>, u64)>> = HashMap::new();
    let Some(index) = cubin.section_by_name(name) else { return all };
    let section = Relocated::new(cubin).section(index).unwrap();
    let mut bytes = section.bytes.to_vec();
    for field in section.fields().iter().filter(|field| field.width == 8) {
        // An address that says which section it is in.
        let Some(target) = field.target.section else { continue };
        let address = u64::from(target.0) << 40 | field.target.offset;
        bytes[field.offset as usize..][..8].copy_from_slice(&address.to_le_bytes());
    }
    let table = DebugLine::new(&bytes, LittleEndian);
    let mut at = 0;
    while at < bytes.len() {
        let mut program = table.program(DebugLineOffset(at), 8, None, None).unwrap();
        let header = program.header().clone();
        at += header.unit_length() + 4;
        let mut instructions = header.instructions();
        let mut row = gimli::LineRow::new(&header);
        let (mut rows, mut context) = (Vec::new(), 0);
        while let Some(instruction) = instructions.next_instruction(&header).unwrap() {
            if let LineInstruction::UnknownExtended(opcode, operands) = instruction
                && opcode.0 == INLINED_CALL
            {
                context = leb128(operands);
            }
            if !row.execute(instruction, &mut program).unwrap() {
                continue;
            }
            let line = row.line().map_or(0, std::num::NonZero::get);
            if row.end_sequence() {
                let section = (row.address() >> 40) as u32;
                all.entry(section).or_default().push((std::mem::take(&mut rows), row.address()));
                context = 0;
            } else {
                rows.push((row.address(), line, context));
            }
            row.reset(&header);
        }
    }
    all
}

fn leb128(operands: EndianSlice<'_, LittleEndian>) -> u64 {
    let bytes = operands.slice().iter().enumerate();
    let mut value = 0;
    for (at, byte) in bytes {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

/// The row that covers an address.
fn covering(sequences: Option<&Vec<(Vec<Row>, u64)>>, address: u64) -> Option<Row> {
    let covers = |(rows, end): &&(Vec<Row>, u64)| rows.first().is_some_and(|r| r.0 <= address) && address < *end;
    let (rows, _) = sequences?.iter().find(covers)?;
    rows.iter().rfind(|row| row.0 <= address).copied()
}

/// Counts of each function by name and section, one instruction after the other.
fn counted(cubin: &Cubin<'_>) -> BTreeMap<(u32, String), (InstructionCounts, BTreeSet<u64>)> {
    let source = decoded(cubin, ".debug_line");
    let ptx = decoded(cubin, ".nv_debug_line_sass");
    let mut all: BTreeMap<(u32, String), (InstructionCounts, BTreeSet<u64>)> = BTreeMap::new();
    for (index, name, section) in cubin.iter() {
        if !name.starts_with(".text.") || section.is_mercury() {
            continue;
        }
        let code = cubin.bytes(index).unwrap();
        let symbols: Vec<_> = cubin.functions().filter(|(_, s)| s.section() == Some(index)).collect();
        let owner = |offset: u64| {
            let inside = symbols.iter().filter(|(_, s)| s.value <= offset && offset < s.value + s.size);
            let first = || symbols.iter().min_by_key(|(_, s)| s.value);
            inside.max_by_key(|(_, s)| s.value).or_else(first).map(|(symbol, _)| cubin.symbol_name(*symbol))
        };
        // Of the function behind an instruction: whether all up to its end is `NOP`.
        let mut behind: Option<(Option<&str>, bool)> = None;
        for (number, instruction) in code.chunks(16).enumerate().rev() {
            let offset = number as u64 * 16;
            let function = owner(offset);
            let is_nop = u16::from_le_bytes([instruction[0], instruction[1]]) & 0xfff == 0x918;
            let is_last = behind.is_none_or(|(next, _)| next != function);
            let padding = is_nop && (is_last || behind.is_some_and(|(_, padding)| padding));
            behind = Some((function, padding));
            let key = (index.0, function.unwrap_or(name).to_owned());
            let (counts, lines) = all.entry(key).or_default();
            if padding {
                counts.padding += 1;
                continue;
            }
            let address = u64::from(index.0) << 40 | offset;
            let (row, ptx_row) = (covering(source.get(&index.0), address), covering(ptx.get(&index.0), address));
            counts.all += 1;
            counts.with_ptx_line += u64::from(ptx_row.is_some());
            let Some((start, line, context)) = row else { continue };
            *(if line == 0 { &mut counts.line_0 } else { &mut counts.with_line }) += 1;
            counts.inlined += u64::from(context != 0);
            let ptx_at = |address| covering(ptx.get(&index.0), address).map(|row| row.1);
            counts.inherited += u64::from(start < address && ptx_row.is_some() && ptx_at(address) != ptx_at(start));
            lines.extend((line != 0).then_some(line));
        }
    }
    all
}

#[test]
fn instructions_of_the_corpus_are_counted_as_gimli_rows_say() {
    let (mut files, mut functions, mut sum) = (0, 0, InstructionCounts::default());
    let mut lost = 0;
    for path in support::cubins() {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let symbolizer = Symbolizer::new(&cubin).unwrap();
        let coverage = Coverage::of(&cubin, &symbolizer).unwrap();
        if path.ends_with("odd_line_over_31_bits.cubin") {
            // gimli takes lines that wrap around at 32 bits for 0, nvdisasm and we do not.
            continue;
        }
        let mut want = counted(&cubin);
        for function in &coverage.functions {
            let key = (function.section.0, function.name.to_owned());
            let (counts, lines) = want.remove(&key).unwrap_or_else(|| panic!("{}: {key:?}", path.display()));
            assert_eq!(function.instructions, counts, "{}: {key:?}", path.display());
            let ours: BTreeSet<u64> = function.lines.iter().map(|line| line.line.into()).collect();
            assert_eq!(ours, lines, "{}: {key:?}", path.display());
            functions += 1;
            lost += function.lost_lines.len();
        }
        assert!(want.is_empty(), "{}: {:?}", path.display(), want.keys());
        let by_file: u64 = coverage.files.iter().map(|file| file.instructions).sum();
        assert_eq!(by_file, coverage.instructions().with_line, "{}", path.display());
        sum += coverage.instructions();
        files += usize::from(!symbolizer.source_rows().is_empty());
    }
    eprintln!("{files} files with lines, {functions} functions, {lost} lost lines: {sum:?}");
}

/// `llvm-dwarfdump --statistics` of a file; `None` where it is not installed.
fn statistics(path: &Path) -> Option<HashMap<String, u64>> {
    let output = Command::new("llvm-dwarfdump-19").arg("--statistics").arg(path).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let members = text.trim().trim_matches(['{', '}']).split(",\n").filter_map(|member| {
        let (name, value) = member.trim().strip_prefix('"')?.split_once("\": ")?;
        Some((name.to_owned(), value.parse().ok()?))
    });
    Some(members.collect())
}

/// Files that LLVM can read: up to sm_89 what stands under relocations is right in files of one function, and addresses of several
/// functions overlap without harm to sums of sizes.
#[test]
fn variables_are_counted_as_llvm_does() {
    let (mut files, mut equal, mut sum) = (0, 0, [0; 5]);
    let mut different = Vec::new();
    let legacy = |path: &PathBuf| ["sm_75", "sm_80", "sm_86", "sm_89"].iter().any(|sm| path.iter().any(|p| p == *sm));
    for path in support::cubins().into_iter().filter(legacy) {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if cubin.section_by_name(".debug_info").is_none() {
            continue;
        }
        let Some(llvm) = statistics(&path) else {
            eprintln!("skipped: no llvm-dwarfdump-19");
            return;
        };
        let symbolizer = Symbolizer::new(&cubin).unwrap();
        let coverage = Coverage::of(&cubin, &symbolizer).unwrap();
        let (mut parameters, mut locals) = (VariableCounts::default(), VariableCounts::default());
        for function in &coverage.functions {
            parameters += function.parameters;
            locals += function.locals;
        }
        let ours = [
            parameters.all,
            parameters.scope_bytes,
            parameters.covered_bytes,
            locals.scope_bytes,
            locals.covered_bytes,
            locals.all + coverage.globals.all,
            parameters.located,
            locals.located + coverage.globals.located,
        ];
        let theirs = [
            "#params",
            "sum_all_params(#bytes in parent scope)",
            "sum_all_params(#bytes in parent scope covered by DW_AT_location)",
            "sum_all_local_vars(#bytes in parent scope)",
            "sum_all_local_vars(#bytes in parent scope covered by DW_AT_location)",
            "#local vars",
            "#params with binary location",
            "#local vars with binary location",
        ]
        .map(|name| llvm.get(name).copied().unwrap_or(u64::MAX));
        files += 1;
        if ours == theirs {
            equal += 1;
        } else {
            different.push(format!("{}: {ours:?}, LLVM {theirs:?}; {:?}", path.display(), coverage.without_code));
        }
        for (sum, more) in sum.iter_mut().zip(ours) {
            *sum += more;
        }
    }
    eprintln!("{equal} of {files} files equal; {sum:?}\n{}", different.join("\n"));
}
