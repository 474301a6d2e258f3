//! Every row of every line table of the corpus, native and Mercury: the symbolizer's answer against
//! gimli's rows with the contexts of opcode 0x90 (docs/formats/line-tables.md, opcodes of NVIDIA)
//! followed here.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

#[path = "../../nv-debug-sections/tests/corpus/mod.rs"]
mod corpus;

use corpus::{Cubins, case, cuda_12, file, kinds, oracle, ptxas_12};
use cubin_debuginfo::symbolize::{Frame, FrameFunction, ResolvedAddress, Symbolizer, TableFileName};
use gimli::{EndianSlice, LineInstruction, LittleEndian, Reader as _};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::code::Function;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line;
use nv_debug_sections::relocated::RelocatedCubin;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

type Slice<'d> = EndianSlice<'d, LittleEndian>;

/// A row of gimli's, with the vendor's registers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    address: u64,
    file: u64,
    line: u32,
    context: u64,
    name: u64,
}

/// One sequence.
#[derive(Default)]
struct Sequence {
    rows: Vec<Row>,
    end: u64,
    /// Addresses that the program passes, with a row or without.
    stops: BTreeSet<u64>,
}

/// A unit: paths by file number less 1, the base of its names, its sequences.
struct Unit {
    paths: Vec<Option<String>>,
    sequences: Vec<Sequence>,
}

/// Decodes a line section by gimli.
fn decode(bytes: &[u8]) -> Vec<Unit> {
    let section = gimli::DebugLine::new(bytes, LittleEndian);
    let mut units = Vec::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let length = u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap()) as usize;
        let mut program = section.program(gimli::DebugLineOffset(offset), 8, None, None).unwrap();
        let header = program.header().clone();
        let text = |value: gimli::AttributeValue<Slice<'_>>| match value {
            gimli::AttributeValue::String(name) => String::from_utf8_lossy(name.slice()).into_owned(),
            other => panic!("{other:?}"),
        };
        let path = |file: &gimli::FileEntry<Slice<'_>>| {
            let name = text(file.path_name());
            if file.directory_index() == 0 {
                return Some(name);
            }
            // A folder of Windows goes on with its own separator.
            let folder = text(file.directory(&header)?);
            let separator = folder.rfind(['/', '\\']).map_or("/", |at| &folder[at..=at]);
            Some(format!("{folder}{separator}{name}"))
        };
        let paths = header.file_names().iter().map(path).collect();
        let mut unit = Unit { paths, sequences: Vec::new() };
        let mut instructions = header.instructions();
        let mut row = gimli::LineRow::new(&header);
        let (mut sequence, mut context, mut name) = (Sequence::default(), 0, 0);
        // Of its own: gimli's line does not wrap at 32 bits, as ptxas' does
        // (docs/formats/line-tables.md, opcodes).
        let mut line = 1_u32;
        while let Some(instruction) = instructions.next_instruction(&header).unwrap() {
            if let LineInstruction::UnknownExtended(gimli::DwLne(0x90), mut operands) = instruction {
                context = operands.read_uleb128().unwrap();
                name = operands.read_uleb128().unwrap();
                continue;
            }
            match instruction {
                LineInstruction::AdvanceLine(by) => line = line.wrapping_add(by as u32),
                LineInstruction::Special(opcode) => {
                    let by = i32::from(header.line_base())
                        + i32::from((opcode - header.opcode_base()) % header.line_range());
                    line = line.wrapping_add_signed(by);
                }
                _ => {}
            }
            let is_row = row.execute(instruction, &mut program).unwrap();
            sequence.stops.insert(row.address());
            if !is_row {
                continue;
            }
            if row.end_sequence() {
                sequence.end = row.address();
                unit.sequences.push(std::mem::take(&mut sequence));
                (context, name, line) = (0, 0, 1);
            } else {
                sequence.rows.push(Row {
                    address: row.address(),
                    file: row.file_index(),
                    line,
                    context,
                    name,
                });
            }
            row.reset(&header);
        }
        units.push(unit);
        offset += 4 + length;
    }
    units
}

/// Indices of the rows from `row` up its callers. Contexts count the rows that do not repeat
/// address and line of the one before.
fn chain(rows: &[Row], row: usize) -> Vec<usize> {
    let counted: Vec<usize> = (0..rows.len())
        .filter(|&at| {
            at == 0 || (rows[at].address, rows[at].line) != (rows[at - 1].address, rows[at - 1].line)
        })
        .collect();
    let caller = |&row: &usize| {
        let context = rows[row].context as usize;
        (context > 0).then(|| counted[context - 1])
    };
    std::iter::successors(Some(row), caller).collect()
}

impl Sequence {
    /// Whether the row at `row`, the last one before `address`, is about the code there. It is
    /// unless another function of the section starts between, which has no row of its own and no
    /// first row that ptxas left out. `functions` are starts and ends.
    fn reaches(&self, functions: &[(u64, u64)], row: u64, address: u64) -> bool {
        let owner = |address: u64| {
            let inside = functions.iter().enumerate().filter(|(_, f)| f.0 <= address && address < f.1);
            inside.max_by_key(|(_, f)| (f.0, u64::MAX - f.1)).map_or(0, |(number, _)| number)
        };
        let mut changes: Vec<u64> = functions.iter().flat_map(|f| [f.0, f.1]).collect();
        changes.retain(|at| *at != 0 && owner(at - 1) != owner(*at));
        let Some(start) = changes.iter().copied().filter(|at| *at <= address).max() else { return true };
        let end = changes.into_iter().filter(|at| *at > address).min().unwrap_or(u64::MAX);
        row >= start
            || self.stops.contains(&start)
            || self.rows.iter().any(|row| row.address > start && row.address < end)
    }
}

/// What a frame says, with the callee's name as an offset.
fn spot(frame: &Frame<'_>) -> (Option<String>, u32, Option<u64>) {
    let file = match frame.file {
        TableFileName::Path(path) => Some(path.to_owned()),
        TableFileName::Undeclared(_) => None,
    };
    let name = match frame.function {
        FrameFunction::Inlined(callee) => Some(callee.offset),
        FrameFunction::Physical(_) | FrameFunction::InlinedEntry(_) => None,
    };
    (file, frame.line, name)
}

#[derive(Debug, Default)]
struct Tally {
    cubins: usize,
    sequences: usize,
    rows: usize,
    inlined: usize,
    ptx: usize,
    /// Addresses in functions that no row reaches.
    beyond: usize,
}

/// Compares one table of a cubin.
fn compare(name: &str, cubin: &Cubin<'_>, space: Space, kind: SectionKind, tally: &mut Tally) {
    let symbolizer = Symbolizer::in_space(cubin, space).unwrap();
    let section = match space {
        Space::Native => kind.name(),
        Space::Mercury => kind.mercury_name().unwrap(),
    };
    let Some(index) = cubin.section_by_name(section) else { return };
    let relocated = RelocatedCubin::new(cubin).section(index).unwrap();
    // Only to know which relocation a sequence has: linked files have sequences without.
    let tables = line::decode(section, &relocated.bytes).unwrap();
    let units = decode(&relocated.bytes);
    assert_eq!(units.len(), tables.len(), "{name}");
    for (unit, table) in units.iter().zip(&tables) {
        assert_eq!(unit.sequences.len(), table.sequences.len(), "{name}");
        for (sequence, ours) in unit.sequences.iter().zip(&table.sequences) {
            let Some(target) = relocated.target(ours.base_offset) else { continue };
            let Sequence { rows, end, .. } = sequence;
            let (code, base) = (target.section.unwrap(), ours.base);
            let start = |function: &Function<'_>| base - target.offset + function.offset;
            let functions = symbolizer.functions_of(code).iter();
            let functions: Vec<_> = functions.map(|f| (start(f), start(f) + f.size)).collect();
            tally.sequences += 1;
            for (at, row) in rows.iter().enumerate() {
                let next = rows.get(at + 1).map_or(*end, |next| next.address);
                if row.address == next {
                    continue;
                }
                let starts = functions.iter().map(|f| f.0).filter(|at| (row.address..next).contains(at));
                for address in starts.chain([row.address, next - 1]) {
                    let place = symbolizer.locate(code, target.offset + (address - base));
                    let place = place.unwrap_or_else(|| panic!("{name} {section} {address:#x}"));
                    if !sequence.reaches(&functions, row.address, address) {
                        let is_covered = match kind {
                            SectionKind::NvDebugLineSass => place.ptx().is_some(),
                            _ => place.source_row().is_some() || place.depth() != 0,
                        };
                        assert!(!is_covered, "{name} {section} {address:#x}");
                        tally.beyond += 1;
                        continue;
                    }
                    if kind == SectionKind::NvDebugLineSass {
                        assert_eq!(place.ptx().map(|ptx| ptx.line), Some(row.line), "{name} {address:#x}");
                        tally.ptx += 1;
                        continue;
                    }
                    let chain = chain(rows, at);
                    let want = chain.iter().map(|&row| {
                        let row = &rows[row];
                        let path =
                            (row.file as usize).checked_sub(1).and_then(|file| unit.paths.get(file)?.clone());
                        let base = u64::from(table.debug_str_base.unwrap_or(0));
                        (path, row.line, (row.context != 0).then_some(base + row.name))
                    });
                    let frames: Vec<_> = place.frames().collect();
                    // A base that was found again is not the file's.
                    let recovered = |frame: &Frame<'_>| matches!(frame.function, FrameFunction::Inlined(callee) if callee.recovered);
                    let want = want.zip(&frames).map(|(want, frame)| {
                        if recovered(frame) { (want.0, want.1, spot(frame).2) } else { want }
                    });
                    assert_eq!(
                        frames.iter().map(spot).collect::<Vec<_>>(),
                        want.collect::<Vec<_>>(),
                        "{name} {address:#x}"
                    );
                    assert_eq!(
                        (frames.len(), place.depth()),
                        (chain.len(), chain.len()),
                        "{name} {address:#x}"
                    );
                    tally.rows += 1;
                    tally.inlined += usize::from(frames.len() > 1);
                }
            }
        }
    }
}

/// Compares `locate_all` with `locate`, at up to 100 instructions of each function and after its
/// section's end.
fn many_are_answered_as_each_is(cubin: &Cubin<'_>) {
    let symbolizer = Symbolizer::new(cubin).unwrap();
    let of = |function: &Function<'_>| {
        let (section, offset) = (function.section, function.offset);
        (0..100).map(move |at| (section, offset + at * 16)).chain([(section, u64::MAX)])
    };
    let addresses: Vec<_> = symbolizer.functions().iter().flat_map(of).collect();
    let answer = |place: Option<ResolvedAddress<'_>>| {
        let place = place?;
        Some((place.offset, place.function.map(|f| f.name.to_owned()), place.source_row(), place.depth()))
    };
    let each = addresses.iter().map(|(section, offset)| answer(symbolizer.locate(*section, *offset)));
    let all = symbolizer.locate_all(addresses.iter().copied()).map(answer);
    assert!(each.eq(all));
}

/// Every `STRIDE`th cubin, all with `NVDWARF_ALL=1`.
const STRIDE: usize = 5;

#[test]
fn every_row_is_that_of_an_independent_decoder() {
    let cubins = Cubins::open();
    let stride = if std::env::var_os("NVDWARF_ALL").is_some() { 1 } else { STRIDE };
    let mut tally = Tally::default();
    for path in cubins.paths.iter().step_by(stride) {
        let bytes = file(path);
        let cubin = Cubin::parse(&bytes).unwrap();
        let name = path.display().to_string();
        for space in [Space::Native, Space::Mercury] {
            for kind in [SectionKind::DebugLine, SectionKind::NvDebugLineSass] {
                compare(&name, &cubin, space, kind, &mut tally);
            }
        }
        many_are_answered_as_each_is(&cubin);
        tally.cubins += 1;
    }
    eprintln!("symbolize: {tally:?}");
    assert!(tally.rows > 1000 && tally.inlined > 100 && tally.ptx > 1000);
}

/// Of how many cubins of the corpus one has its PTX compiled by CUDA 12; all with `NVDWARF_ALL=1`.
const STRIDE_12: usize = 29;

/// What CUDA 12's ptxas makes of the corpus' PTX, for the same chip, and for those that 13's does
/// not know.
#[test]
fn rows_of_cuda_12_too() {
    const OLD_CHIPS: [&str; 3] = ["sm_52", "sm_61", "sm_70"];
    let cubins = Cubins::open();
    let Some(ptxas) = ptxas_12() else { return };
    let stride = if std::env::var_os("NVDWARF_ALL").is_some() { 1 } else { STRIDE_12 };
    let folder = std::env::temp_dir().join(format!("nv-debug-sections-12-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (input, output) = (folder.join("a.ptx"), folder.join("a.cubin"));
    let (mut tally, mut refused) = (Tally::default(), 0);
    let compiled = cubins.paths.iter().filter(|path| path.with_extension("ptx").is_file());
    for path in compiled.step_by(stride) {
        let [_, arch_and_level, mode, _] = kinds(path);
        let (arch, level) = arch_and_level.split_once(' ').unwrap();
        let level = match level {
            _ if mode == "none" => continue,
            "lines" => "-lineinfo",
            _ => "-g",
        };
        let ptx = String::from_utf8(file(&path.with_extension("ptx"))).unwrap();
        let old = OLD_CHIPS.iter().filter(|_| arch == "sm_75").copied();
        for (chip, kind) in old.chain([arch]).flat_map(|chip| [(chip, None), (chip, Some("-c"))]) {
            std::fs::write(&input, cuda_12::ptx(&ptx, chip)).unwrap();
            let mut command = Command::new(&ptxas);
            command.args(["-arch", chip, level, "-o"]).args([&output, &input]).args(kind);
            if !command.output().unwrap().status.success() {
                refused += 1;
                continue;
            }
            let bytes = file(&output);
            let cubin = Cubin::parse(&bytes).unwrap();
            let name = format!("{} {chip} {kind:?}", path.display());
            for space in [Space::Native, Space::Mercury] {
                for kind in [SectionKind::DebugLine, SectionKind::NvDebugLineSass] {
                    compare(&name, &cubin, space, kind, &mut tally);
                }
            }
            tally.cubins += 1;
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    eprintln!("symbolize, CUDA 12: {tally:?}; {refused} that ptxas 12 does not take");
    assert!(tally.cubins > 2 * refused && tally.rows > 500 && tally.inlined > 10 && tally.ptx > 500);
}

/// The case 40: the same rows before and after the link, and the PTX text under its other name.
#[test]
fn bug_40_lines_before_and_after_the_link() {
    let name = "40-relocatable-object-line-table";
    let Some(object) = case(name, &["-arch=sm_90", "-c", "-lineinfo"]) else { return };
    let Some(nvlink) = oracle("nvlink") else { return };
    let folder = std::env::temp_dir().join(format!("cubin-debuginfo-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (input, output) = (folder.join("out.cubin"), folder.join("linked.cubin"));
    std::fs::write(&input, &object).unwrap();
    let done =
        Command::new(nvlink).arg("-arch=sm_90").args([&input, Path::new("-o"), &output]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let linked = file(&output);
    std::fs::remove_dir_all(folder).unwrap();
    let rows = |bytes: &[u8]| {
        let cubin = Cubin::parse(bytes).unwrap();
        let symbolizer = Symbolizer::new(&cubin).unwrap();
        let place = |name: &str| {
            let function = symbolizer.functions().iter().find(|function| function.name == name).unwrap();
            let place = symbolizer.locate(function.section, 0x20).unwrap();
            let frame = place.frames().next().unwrap();
            let TableFileName::Path(file) = frame.file else { panic!("{frame:?}") };
            let ptx = place.ptx().unwrap();
            let text = String::from_utf8(ptx.text.unwrap().to_vec()).unwrap();
            (file.to_owned(), frame.line, text, cubin.section_name(ptx.section.unwrap()).to_owned())
        };
        [place("ka"), place("kb")]
    };
    let (before, after) = (rows(&object), rows(&linked));
    assert_eq!(
        [&before[0], &before[1]].map(|(file, line, ..)| (&**file, *line)),
        [("alpha.cu", 13), ("beta.cu", 23)]
    );
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((&before.0, before.1, &before.2), (&after.0, after.1, &after.2));
        assert!(after.3.starts_with(".nv_debug_ptx_txt."), "{}", after.3);
    }
}
