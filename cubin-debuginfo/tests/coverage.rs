//! Coverage of the corpus: against rows that gimli decodes, llvm-dwarfdump's statistics, and on
//! damaged files.
#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use cubin_debuginfo::coverage::{Coverage, InstructionCounts, VariableCounts};
use cubin_debuginfo::entries::{Entries, Entry};
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::verify::{RuleId, verify};
use gimli::{DebugLine, DebugLineOffset, EndianSlice, LineInstruction, LittleEndian};
use nv_debug_sections::cubin::{Contents, Cubin, Relocation, SectionIndex};
use nv_debug_sections::reg_sass;
use nv_debug_sections::relocated::RelocatedCubin;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Extended opcode of inlined calls (docs/formats/line-tables.md, opcodes of NVIDIA).
const INLINED_CALL: u8 = 0x90;

/// A row: address, line, context.
type Row = (u64, u64, u64);

#[derive(Default)]
struct Sequence {
    rows: Vec<Row>,
    /// Addresses that the program passes, with a row or without.
    stops: BTreeSet<u64>,
    end: u64,
}

/// The sequences of a line section by code section.
fn decoded(cubin: &Cubin<'_>, name: &str) -> HashMap<u32, Vec<Sequence>> {
    let mut all: HashMap<u32, Vec<Sequence>> = HashMap::new();
    let Some(index) = cubin.section_by_name(name) else { return all };
    let section = RelocatedCubin::new(cubin).section(index).unwrap();
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
        let (mut sequence, mut context) = (Sequence::default(), 0);
        while let Some(instruction) = instructions.next_instruction(&header).unwrap() {
            if let LineInstruction::UnknownExtended(opcode, operands) = instruction
                && opcode.0 == INLINED_CALL
            {
                context = leb128(operands);
            }
            let is_row = row.execute(instruction, &mut program).unwrap();
            sequence.stops.insert(row.address());
            if !is_row {
                continue;
            }
            let line = row.line().map_or(0, std::num::NonZero::get);
            if row.end_sequence() {
                let section = (row.address() >> 40) as u32;
                sequence.end = row.address();
                all.entry(section).or_default().push(std::mem::take(&mut sequence));
                context = 0;
            } else {
                sequence.rows.push((row.address(), line, context));
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

/// The row that covers an address of a function, given by its start and end (`docs/conformance.md`,
/// "rows over function starts").
fn covering(sequences: Option<&Vec<Sequence>>, address: u64, function: (u64, u64)) -> Option<Row> {
    let covers = |all: &&Sequence| all.rows.first().is_some_and(|r| r.0 <= address) && address < all.end;
    let Sequence { rows, stops, .. } = sequences?.iter().find(covers)?;
    let (start, end) = function;
    let is_ours = || stops.contains(&start) || rows.iter().any(|row| start < row.0 && row.0 < end);
    rows.iter().rfind(|row| row.0 <= address).copied().filter(|row| row.0 >= start || is_ours())
}

/// What a function must be counted as.
#[derive(Default)]
struct Counted {
    /// Without calls that only entries know.
    counts: InstructionCounts,
    lines: BTreeSet<u64>,
    /// The instructions in ranges of calls that only entries know. Some are the caller's;
    /// the rules of `dwarf2_reader::inlined_calls` say which ones
    /// (`ptx-syntax/tests/inlined_calls.rs`).
    in_ranges_of_calls: u64,
}

/// Counts of each function by name and section, one instruction after the other.
fn counted(cubin: &Cubin<'_>) -> BTreeMap<(u32, String), Counted> {
    let source = decoded(cubin, ".debug_line");
    let ptx = decoded(cubin, ".nv_debug_line_sass");
    let entries = Entries::read(cubin).unwrap();
    let calls =
        entries.iter().filter(|entry| entry.tag() == dwarf2_reader::constants::DW_TAG_inlined_subroutine);
    let calls: Vec<_> = calls.filter_map(Entry::code).collect();
    // Units are not told apart: no corpus file has entries of calls in one and contexts in another.
    let mut rows = source.values().flatten().flat_map(|sequence| &sequence.rows);
    let has_contexts = rows.any(|row| row.2 != 0);
    let mut all: BTreeMap<(u32, String), Counted> = BTreeMap::new();
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
        // Start and end of what a function has in one piece.
        let piece_of = |offset: u64| {
            let same = |at: &u64| owner(*at) == owner(offset);
            let start = (0..=offset).rev().step_by(16).take_while(same).last().unwrap_or(offset);
            let end = (offset..code.len() as u64).step_by(16).take_while(same).last().unwrap_or(offset) + 16;
            let at = |offset: u64| u64::from(index.0) << 40 | offset;
            (at(start), at(end))
        };
        let mut piece = (0, 0);
        // Of the function after an instruction: whether all up to its end is `NOP`.
        let mut after: Option<(Option<&str>, bool)> = None;
        for (number, instruction) in code.chunks(16).enumerate().rev() {
            let offset = number as u64 * 16;
            let function = owner(offset);
            let is_nop = u16::from_le_bytes([instruction[0], instruction[1]]) & 0xfff == 0x918;
            let is_last = after.is_none_or(|(next, _)| next != function);
            let padding = is_nop && (is_last || after.is_some_and(|(_, padding)| padding));
            after = Some((function, padding));
            let key = (index.0, function.unwrap_or(name).to_owned());
            let Counted { counts, lines, in_ranges_of_calls } = all.entry(key).or_default();
            if padding {
                counts.padding += 1;
                continue;
            }
            let address = u64::from(index.0) << 40 | offset;
            if !(piece.0..piece.1).contains(&address) {
                piece = piece_of(offset);
            }
            let row = covering(source.get(&index.0), address, piece);
            let ptx_row = covering(ptx.get(&index.0), address, piece);
            counts.all += 1;
            counts.with_ptx_line += u64::from(ptx_row.is_some());
            let Some((start, line, context)) = row else { continue };
            *(if line == 0 { &mut counts.line_0 } else { &mut counts.with_line }) += 1;
            let in_call = |(of, code): &(SectionIndex, Range<u64>)| *of == index && code.contains(&offset);
            counts.inlined += u64::from(context != 0);
            *in_ranges_of_calls += u64::from(!has_contexts && calls.iter().any(in_call));
            let ptx_at = |address| {
                let is_here = (piece.0..piece.1).contains(&address);
                let piece = if is_here { piece } else { piece_of(address & 0xff_ffff_ffff) };
                covering(ptx.get(&index.0), address, piece).map(|row| row.1)
            };
            let is_other_line = ptx_row.is_some() && ptx_at(address) != ptx_at(start);
            let is_other_function = owner(start & 0xff_ffff_ffff) != function;
            let is_inherited = start < address && (is_other_line || is_other_function);
            counts.inherited += u64::from(is_inherited);
            counts.own += u64::from(line != 0 && !is_inherited);
            lines.extend((line != 0).then_some(line));
        }
    }
    all
}

#[test]
fn instructions_of_the_corpus_are_counted_as_gimli_rows_say() {
    let (mut files, mut functions, mut sum) = (0, 0, InstructionCounts::default());
    let (mut lost, mut sum_in_ranges, mut sum_inlined) = (0, 0, 0);
    let paths = support::cubins();
    for path in paths {
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
            let Counted { mut counts, lines, in_ranges_of_calls } =
                want.remove(&key).unwrap_or_else(|| panic!("{}: {key:?}", path.display()));
            if in_ranges_of_calls > 0 {
                let inlined = function.instructions.inlined;
                assert!(inlined <= in_ranges_of_calls, "{}: {key:?}: {inlined}", path.display());
                counts.inlined = inlined;
                (sum_in_ranges, sum_inlined) = (sum_in_ranges + in_ranges_of_calls, sum_inlined + inlined);
            }
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
    eprintln!("of calls that only entries know: {sum_inlined} of {sum_in_ranges} instructions");
    // The caller has some of the code in the ranges, but not most of it.
    assert!(sum_inlined <= sum_in_ranges && sum_inlined * 2 > sum_in_ranges);
    assert!(files > 0 && functions >= files && sum.with_line > 0 && sum.inlined > 0 && sum.with_ptx_line > 0);
}

/// `llvm-dwarfdump --statistics` of a file; `None` where it is not installed and need not be.
fn statistics(path: &Path) -> Option<HashMap<String, u64>> {
    let text = support::printed("llvm-dwarfdump-19", "--statistics", path)?;
    let members = text.trim().trim_matches(['{', '}']).split(",\n").filter_map(|member| {
        let (name, value) = member.trim().strip_prefix('"')?.split_once("\": ")?;
        Some((name.to_owned(), value.parse().ok()?))
    });
    Some(members.collect())
}

/// Where LLVM counts something else, and why.
const EXPLAINED: [(&str, &str); 6] = [
    ("ck_vec/sm_75/gO0/ck_vec.cubin", "`this` is DW_AT_artificial, which #params leaves out"),
    ("rdc_three/sm_75/G-rdc/physics.cubin", "LLVM applies no relocation: of an ET_REL it reads other lists"),
    ("device_calls/sm_75/debug/julia.part0.cubin", "the same"),
    (
        "reduce_tree/sm_80/G/reduce_tree.cubin",
        "starts of ranges that ptxas left open are 0: LLVM takes that for the function's start",
    ),
    (
        "matmul_block/sm_80/debug/matmul_block.cubin",
        "the unit has no DW_AT_low_pc: LLVM takes its lists for unreadable",
    ),
    ("matmul_block/sm_80/debug/matmul_block.own.cubin", "the same"),
];

/// Files that LLVM can read: up to sm_89 what stands under relocations is right in files of one
/// function, and addresses of several functions overlap without harm to sums of sizes.
#[test]
fn variables_are_counted_as_llvm_does() {
    let (mut files, mut equal, mut sum) = (0, 0, [0; 5]);
    let mut different = Vec::new();
    let legacy =
        |path: &PathBuf| ["sm_75", "sm_80", "sm_86", "sm_89"].iter().any(|sm| path.iter().any(|p| p == *sm));
    let paths = support::cubins();
    for path in paths.into_iter().filter(legacy) {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        if cubin.section_by_name(".debug_info").is_none() {
            continue;
        }
        let Some(llvm) = statistics(&path) else { return };
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
        // A difference that is explained must be there, and no other.
        let explained = EXPLAINED.iter().any(|(file, _)| path.to_string_lossy().ends_with(file));
        equal += usize::from(ours == theirs);
        if (ours == theirs) == explained {
            different.push(format!("{}: {ours:?}, LLVM {theirs:?}", path.display()));
        }
        for (sum, more) in sum.iter_mut().zip(ours) {
            *sum += more;
        }
    }
    eprintln!("{equal} of {files} files equal; {sum:?}");
    assert!(equal > EXPLAINED.len() && sum.iter().all(|sum| *sum > 0));
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Bytes at which variables are in PTX registers, and those at which the register map has all of
/// these: one instruction after the other, of a file with one function, whose entries gimli reads
/// as they stand.
fn in_registers(cubin: &Cubin<'_>) -> (u64, u64) {
    let bytes = |name: &str| cubin.section_by_name(name).map(|index| cubin.bytes(index).unwrap());
    let dwarf =
        gimli::DwarfSections::load(|id| Ok::<_, gimli::Error>(bytes(id.name()).unwrap_or_default())).unwrap();
    let dwarf = dwarf.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
    let map = bytes(reg_sass::NAME).unwrap_or_default();
    let map = reg_sass::decode(&map).unwrap();
    let is_held = |name: &[u8], pc: u64| {
        let all = map.iter().flat_map(|function| &function.ranges);
        let own = all.filter(|r| r.ptx_name == name && (u64::from(r.start)..r.end.into()).contains(&pc));
        let parts: BTreeSet<u32> = own.map(|range| range.part).collect();
        let is_wide = name.starts_with(b"%rd") || name.starts_with(b"%fd");
        parts.into_iter().eq(0..if is_wide { 2 } else { 1 })
    };
    let (mut in_ptx, mut in_sass) = (0, 0);
    let mut units = dwarf.units();
    while let Some(header) = units.next().unwrap() {
        let unit = dwarf.unit(header).unwrap();
        let mut entries = unit.entries();
        // By depth: the code of what is open, or `None` in what is of no code.
        let mut open: Vec<Option<Vec<(u64, u64)>>> = Vec::new();
        while let Some(entry) = entries.next_dfs().unwrap() {
            open.truncate(entry.depth() as usize);
            let around = open.last().cloned().unwrap_or(Some(Vec::new()));
            let mut code = Vec::new();
            let mut ranges = dwarf.die_ranges(&unit, entry).unwrap();
            while let Some(range) = ranges.next().unwrap() {
                code.push((range.begin, range.end));
            }
            let is_function = matches!(entry.tag(), gimli::DW_TAG_subprogram | gimli::DW_TAG_subroutine_type);
            let is_scope =
                matches!(entry.tag(), gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine);
            open.push(match around {
                Some(_) if is_function || is_scope && !code.is_empty() => {
                    Some(code).filter(|code| !code.is_empty())
                }
                other => other,
            });
            let is_variable = matches!(entry.tag(), gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter);
            let Some(Some(code)) = open.last().filter(|_| is_variable) else { continue };
            let mut places: Vec<(u64, u64, &[u8])> = Vec::new();
            match entry.attr_value(gimli::DW_AT_location) {
                Some(gimli::AttributeValue::Exprloc(expression)) => {
                    places.push((0, u64::MAX, expression.0.slice()));
                }
                Some(value) => {
                    let mut list = dwarf.attr_locations(&unit, value).unwrap().unwrap();
                    while let Some(place) = list.next().unwrap() {
                        places.push((place.range.begin, place.range.end, place.data.0.slice()));
                    }
                }
                None => {}
            }
            for pc in code.iter().flat_map(|(start, end)| (*start..*end).step_by(16)) {
                let here = places.iter().filter(|(start, end, _)| (*start..*end).contains(&pc));
                // DW_OP_regx, and a number that is the name in ASCII, the last letter lowest.
                let names: Vec<Vec<u8>> = here
                    .filter(|(.., expression)| expression.first() == Some(&0x90))
                    .map(|(.., expression)| {
                        let number = leb128(EndianSlice::new(&expression[1..], LittleEndian)).to_be_bytes();
                        number.into_iter().skip_while(|letter| *letter == 0).collect()
                    })
                    .collect();
                in_ptx += 16 * u64::from(!names.is_empty());
                in_sass += 16 * u64::from(names.iter().any(|name| is_held(name, pc)));
            }
        }
    }
    (in_ptx, in_sass)
}

/// Up to sm_89, where values are in their fields, and in files of one function, which is at address
/// 0.
#[test]
fn registers_are_those_that_the_map_has_at_each_instruction() {
    let (mut files, mut open, mut sum) = (0, 0, (0, 0));
    let legacy =
        |path: &PathBuf| ["sm_75", "sm_80", "sm_86", "sm_89"].iter().any(|sm| path.iter().any(|p| p == *sm));
    let paths = support::cubins();
    for path in paths.into_iter().filter(legacy) {
        let bytes = fs::read(&path).unwrap();
        let cubin = Cubin::parse(&bytes).unwrap();
        let functions = cubin.iter().filter(|(_, name, _)| name.starts_with(".text.")).count();
        if functions != 1 || cubin.header.is_relocatable() || cubin.section_by_name(".debug_info").is_none() {
            continue;
        }
        // Addresses that ptxas left open are 0, which gimli takes for the function's start.
        if verify(&cubin).findings().iter().any(|finding| finding.rule.id == RuleId::ListUnresolved) {
            open += 1;
            continue;
        }
        let symbolizer = Symbolizer::new(&cubin).unwrap();
        let coverage = Coverage::of(&cubin, &symbolizer).unwrap();
        let mut ours = VariableCounts::default();
        for function in &coverage.functions {
            ours += function.variables();
        }
        assert!(ours.sass_bytes <= ours.register_bytes && ours.register_bytes <= ours.covered_bytes);
        let found = (ours.register_bytes, ours.sass_bytes);
        assert_eq!(found, in_registers(&cubin), "{}", path.display());
        sum = (sum.0 + found.0, sum.1 + found.1);
        files += 1;
    }
    eprintln!(
        "{files} files, {open} with open ranges left out; {} bytes in PTX registers, {} of them in SASS registers",
        sum.0, sum.1
    );
    assert!(files > 0 && sum.0 > sum.1 && sum.1 > 0);
}

/// Counts of the example of functions and of what has no code; with its entries a second time, as
/// of another unit, if `second` says so, and whether these have their relocations.
fn counted_twice(second: Option<bool>) -> [VariableCounts; 2] {
    let mut cubin = Cubin::parse(include_bytes!("../../examples/saxpy/saxpy-debug.cubin")).unwrap();
    let index = cubin.section_by_name(".debug_info").unwrap();
    let Contents::Bytes(info) = &mut cubin.sections[index.as_usize()].contents else { panic!() };
    let size = info.len() as u64;
    *info = [&**info, &**info].concat()[..info.len() * if second.is_some() { 2 } else { 1 }].to_vec().into();
    let index = cubin.section_by_name(".rela.debug_info").unwrap();
    let Contents::Relocations(all) = &mut cubin.sections[index.as_usize()].contents else { panic!() };
    let own = all.clone().into_iter().filter(|_| second == Some(true));
    all.extend(own.map(|one| Relocation { offset: one.offset + size, ..one }));
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    let coverage = Coverage::of(&cubin, &symbolizer).unwrap();
    let mut variables = VariableCounts::default();
    for function in &coverage.functions {
        variables += function.variables();
    }
    [variables, coverage.without_code]
}

/// A function that two units describe is one. Of one without code only what is in constant memory
/// is anywhere, as `vars` says: `n`, `x`, `y`.
#[test]
fn variables_of_a_function_count_once_and_without_code_where_they_are() {
    let [single, none] = counted_twice(None);
    assert_eq!((single.all, single.located, none.all), (11, 11, 0));
    assert_eq!(counted_twice(Some(true)), [single, none]);
    let without_code = VariableCounts { all: 11, located: 3, ..VariableCounts::default() };
    assert_eq!(counted_twice(Some(false)), [single, without_code]);
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Damaged files give an answer or an error that says where, and no answer counts more instructions
/// than there are.
#[test]
fn damaged_files_are_no_harm() {
    let paths = support::cubins();
    let small =
        paths.iter().filter(|path| fs::metadata(path).is_ok_and(|data| data.len() < 40_000)).step_by(9);
    let (mut answers, mut errors) = (0, 0);
    let mut random = Random(0x636f_7665_7261_6765);
    for path in small {
        let original = fs::read(path).unwrap();
        for _ in 0..100 {
            let mut bytes = original.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, random.below(256) as u8][random.below(6)];
            }
            let Ok(cubin) = Cubin::parse(&bytes) else { continue };
            let result = Symbolizer::new(&cubin).and_then(|symbolizer| {
                let coverage = Coverage::of(&cubin, &symbolizer)?;
                let counts = coverage.instructions();
                assert!(counts.with_line.saturating_add(counts.line_0) <= counts.all);
                assert!(counts.inlined.max(counts.with_ptx_line).max(counts.inherited) <= counts.all);
                for function in &coverage.functions {
                    let variables = function.variables();
                    assert!(
                        variables.located <= variables.all
                            && variables.covered_bytes <= variables.scope_bytes
                            && variables.register_bytes <= variables.covered_bytes
                            && variables.sass_bytes <= variables.register_bytes
                    );
                }
                Ok(())
            });
            match result {
                Ok(()) => answers += 1,
                Err(error) => {
                    assert!(!error.section().is_empty());
                    errors += 1;
                }
            }
        }
    }
    eprintln!("{answers} answers, {errors} errors");
    assert!(answers > 1000);
}
