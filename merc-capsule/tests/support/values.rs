//! What the debug sections of a generated cubin say.

use crate::generate::{Choices, Code, GeneratedCubin, UNIT, streams};
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, CieId, Fde};
use dwarf2_writer::{Address, Expression, Reloc, Section, SymbolId};
use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::finalise::{LineTableKind, native_header, sequences};
use merc_capsule::frame::{FrameSection, native_relocs};
use merc_capsule::loc_streams::LocStream;
use merc_capsule::register_maps::{self, FunctionRanges, RangeOrder};
use merc_capsule::{AddressRole, CodeMap};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{DebugSection, Relocation, SymbolIndex};
use nv_debug_sections::frame::{self, Entry, debug_relocs};
use nv_debug_sections::line::{self, DWARF2_PARAMS, LineFile, LineOp, LineTable, Sequence};
use nv_debug_sections::line_table::line_program_from_locs;
use nv_debug_sections::reg_sass::{RegisterRange, SassRegister};
use nv_debug_sections::release::Release;
use nv_debug_sections::reloc::{self, RelocKind};
use nv_debug_sections::relocated::RelocatedCubin;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

const FRAME: &str = ".debug_frame";
const LINES: [(&str, SectionKind); 2] =
    [(".debug_line", SectionKind::DebugLine), (".nv_debug_line_sass", SectionKind::NvDebugLineSass)];
const RANGES: &str = ".nv_debug_info_reg_sass";
const TYPES: &str = ".nv_debug_info_reg_type";
const PLAIN: [&str; 3] = [".debug_str", ".nv_debug_ptx_txt", ".debug_abbrev"];
const RELOCATED: [&str; 4] = [".debug_info", ".debug_loc", ".debug_ranges", ".debug_types"];

/// All debug sections of a generated cubin. ptxas knows no `.debug_types`, and copies it.
pub(crate) const NAMES: [&str; 12] = [
    FRAME,
    ".debug_line",
    ".debug_str",
    ".nv_debug_line_sass",
    ".nv_debug_ptx_txt",
    RANGES,
    TYPES,
    ".debug_abbrev",
    ".debug_info",
    ".debug_loc",
    ".debug_ranges",
    ".debug_types",
];

/// Fills the debug sections of `given`.
pub(crate) fn fill(choices: &mut Choices<'_>, given: &mut GeneratedCubin) {
    let mut all: Vec<DebugSection> = LINES.iter().map(|row| line_table(given, *row)).collect();
    let (ranges, types) = register_maps(choices, given);
    all.extend([plain(RANGES, ranges), plain(TYPES, types)]);
    for name in PLAIN {
        all.push(plain(name, (0..choices.below(24)).map(|_| choices.below(256) as u8).collect()));
    }
    for name in RELOCATED {
        all.push(relocated(choices, given, name));
    }
    let entries = frame_entries(choices, given);
    let own = given.cubin.header.is_relocatable().then(|| SymbolId(symbol(given, FRAME).0));
    let section = frame::encode(&entries, own).unwrap();
    all.push(placed(given, FRAME, section.bytes.clone(), debug_relocs(&section)));
    // What is empty may be left out; ranges and their types go together.
    let keeps_registers = choices.is();
    all.retain(|section| {
        let is_register_map = [RANGES, TYPES].contains(&&*section.name);
        !section.bytes.is_empty() || if is_register_map { keeps_registers } else { choices.is() }
    });
    given.cubin.set_debug_sections(all).unwrap();
    follow_code(given);
    if own.is_some() {
        lead_pointers_into_the_clone(given, &section);
    }
}

/// Code has moved where sections before it were left out.
fn follow_code(given: &mut GeneratedCubin) {
    let index = |code: &Code| given.cubin.section_by_name(&format!(".text.{}", code.name)).unwrap();
    let now: Vec<_> = given.codes.iter().map(index).collect();
    let moved: BTreeMap<_, _> = given.maps.iter().map(|map| map.native).zip(now).collect();
    for map in &mut given.maps {
        map.native = moved[&map.native];
    }
    for streams in [&mut given.lines.source, &mut given.lines.ptx] {
        *streams = std::mem::take(streams).into_iter().map(|(code, stream)| (moved[&code], stream)).collect();
    }
}

fn plain(name: &str, bytes: Vec<u8>) -> DebugSection {
    DebugSection { name: name.to_owned(), bytes, rel: Vec::new(), rela: Vec::new() }
}

fn symbol(given: &GeneratedCubin, section: &str) -> SymbolIndex {
    given.symbols.debug.iter().find(|(name, _)| *name == section).unwrap().1
}

/// With relocations as ptxas orders them.
fn placed(given: &GeneratedCubin, name: &str, mut bytes: Vec<u8>, relocs: Vec<Reloc>) -> DebugSection {
    let filed =
        reloc::split_relocations(name, given.cubin.target(), Space::Native, relocs, &mut bytes).unwrap();
    DebugSection { name: name.to_owned(), bytes, rel: filed.rel, rela: filed.rela }
}

/// The native table that follows from the Mercury one.
fn line_table(given: &GeneratedCubin, (name, kind): (&str, SectionKind)) -> DebugSection {
    let mut mercury = LineTable {
        params: DWARF2_PARAMS,
        directories: vec![b"/src".as_slice().into()],
        files: [b"a.cu", b"b.cu"]
            .map(|name| LineFile { name: name.as_slice().into(), directory: 1, mtime: 7, size: 8 })
            .into(),
        debug_str_base: None,
        has_lone_end: false,
        sequences: Vec::new(),
    };
    let mut codes: Vec<Option<&CodeMap>> = Vec::new();
    for code in &given.maps {
        let Some(stream) = streams(given, name).get(&code.native) else { continue };
        let LocStream { locs, located, entries } = stream;
        let ops = line_program_from_locs(locs, located, entries, Space::Mercury, Release::V13_0);
        if ops.iter().any(|op| matches!(op, LineOp::InlinedCall { .. })) {
            mercury.debug_str_base = Some(0);
        }
        if ops.iter().any(|op| matches!(op, LineOp::Row { .. })) {
            mercury.sequences.push(Sequence { base: 0, base_offset: 0, ops, end: code.mercury_size });
            codes.push(Some(code));
        }
    }
    let native = sequences(&mercury, LineTableKind::of(kind).unwrap(), &codes);
    let table =
        LineTable { sequences: native.into_iter().map(Option::unwrap).collect(), ..native_header(&mercury) };
    let start = |number: usize, _: &Sequence| {
        let own = codes[number].unwrap().functions[0].symbol;
        Address::Symbol { symbol: SymbolId(own.0), addend: 0 }
    };
    let Section { bytes, relocs } = line::encode(name, &table, None, start).unwrap();
    placed(given, name, bytes, relocs)
}

/// Ranges by register and start. No two have both in common: a register holds one value at a
/// time.
fn register_maps(choices: &mut Choices<'_>, given: &mut GeneratedCubin) -> (Vec<u8>, Vec<u8>) {
    const WORDS: [&[u8]; 4] = [b"%r1", b"%rd2", b"%p3", b""];
    let mut all = Vec::new();
    for (code, map) in given.codes.iter().zip(&mut given.maps) {
        let instructions: Vec<u64> =
            code.functions.iter().flat_map(|f| &f.instructions).map(|pair| pair.native).collect();
        let mut ranges = Vec::new();
        for _ in 0..choices.below(9) {
            let register = SassRegister(choices.one_of(&[0x200_0000, 0x500_0000]) | choices.below(4) as u32);
            let (start, end) = (choices.one_of(&instructions), choices.one_of(&instructions));
            let there = [(AddressRole::RangeStart, start), (AddressRole::RangeEnd, end)];
            let [Some(from), Some(to)] = there.map(|(place, address)| map.map.mercury(place, address)) else {
                panic!("{start:#x}..{end:#x}")
            };
            if start <= end && from <= to {
                let range = RegisterRange {
                    part: choices.below(3) as u32,
                    ptx_name: choices.one_of(&WORDS),
                    register,
                    start: start as u32,
                    end: end as u32,
                };
                ranges.push((range, choices.below(20) as u8));
            }
        }
        ranges.sort_by_key(|(range, _)| (range.register.0, range.start));
        ranges.dedup_by_key(|(range, _)| (range.register.0, range.start));
        if choices.is() {
            // Any order in which starts ascend.
            let start = |number: &u32| {
                let (range, _) = ranges[*number as usize];
                map.map.mercury(AddressRole::RangeStart, range.start.into())
            };
            let mut order: Vec<u32> = (0..ranges.len() as u32).collect();
            order.sort_by_key(|number| (start(number), Reverse(*number)));
            map.register_orders.push(RangeOrder { numbers: order, ..RangeOrder::default() });
        }
        if !ranges.is_empty() || choices.is() {
            all.push(FunctionRanges { function: code.name.as_bytes(), ranges });
        }
    }
    register_maps::encode(&all).unwrap()
}

/// Some bytes with relocations of all kinds that native sections have.
fn relocated(choices: &mut Choices<'_>, given: &GeneratedCubin, name: &str) -> DebugSection {
    let mut section = plain(name, (0..8 * choices.below(7)).map(|_| choices.below(256) as u8).collect());
    let mut targets: Vec<SymbolIndex> =
        [".debug_str", ".debug_abbrev", ".debug_line"].map(|name| symbol(given, name)).into();
    if !given.cubin.header.is_relocatable() {
        // A linker has put the offsets of line programs in place.
        targets.pop();
    }
    let is_clear = RelocKind::UnusedClear64.number(Space::Native);
    for offset in (0..section.bytes.len() as u64 / 8).rev().map(|field| field * 8) {
        let (code, small) = (&given.codes[choices.below(given.codes.len())], choices.below(9) as i64);
        let function = &code.functions[choices.below(code.functions.len())];
        let any = &code.functions[choices.below(code.functions.len())].instructions;
        let label = choices.one_of(any).native.wrapping_sub(function.start.native).cast_signed();
        let own = function.symbol;
        let [global, constant] = [given.symbols.variables[0], given.symbols.variables[1]];
        let (r_type, symbol, addend) = match choices.below(7) {
            0 => continue,
            1 => (RelocKind::Code64.number(Space::Native), own, label),
            2 => (RelocKind::Code32.number(Space::Native), own, label),
            3 => (is_clear, own, 0),
            4 => (RelocKind::Absolute64.number(Space::Native), global, small),
            5 => (RelocKind::Generic64.number(Space::Native), constant, small),
            _ => (RelocKind::Absolute32.number(Space::Native), choices.one_of(&targets), small),
        };
        section.rela.push(Relocation { offset, r_type, symbol, addend: Some(addend) });
    }
    section
}

/// A CIE and an FDE for each function, as ptxas writes them.
fn frame_entries(choices: &mut Choices<'_>, given: &GeneratedCubin) -> Vec<Entry> {
    const NONE: u64 = 0xffff_ffff;
    const OWN: u64 = 0x200_0014;
    const FOLDED: u64 = 0x500_0100;
    let mut entries = Vec::new();
    for code in &given.codes {
        for (number, function) in code.functions.iter().enumerate() {
            let return_address_register = if number == 0 { choices.one_of(&[NONE, OWN]) } else { FOLDED };
            let mut instructions = vec![Cfi::DefCfa { register: 0x500_0001, offset: 0 }];
            instructions.extend((0..choices.below(4) as u64).map(|n| Cfi::SameValue { register: n << 24 }));
            if choices.below(4) == 3 {
                let relocs = vec![Reloc::new(1, 8, SymbolId(function.symbol.0), 0)];
                let bytes = vec![3, 0, 0, 0, 0, 0, 0, 0, 0];
                instructions.push(Cfi::DefCfaExpression(Expression { bytes, relocs }));
            }
            let cie = CieId((entries.len() / 2) as u32);
            entries.push(Entry::Cie(Arc::new(Cie {
                version: 3,
                augmentation: Vec::new(),
                code_alignment_factor: 4,
                data_alignment_factor: -4,
                return_address_register,
                instructions,
            })));
            let symbol = SymbolId(function.symbol.0);
            entries.push(Entry::Fde(Fde {
                cie,
                initial_location: Address::Symbol { symbol, addend: 0 },
                address_range: native_range(code, number),
                range_symbol: given.cubin.header.is_relocatable().then_some(symbol),
                instructions: steps(choices, function.instructions.len(), number > 0),
            }));
        }
    }
    entries
}

/// Up to the next function, or the own end.
fn native_range(code: &Code, number: usize) -> u64 {
    let function = &code.functions[number];
    let next = code.functions.get(number + 1).map(|next| next.start.native - function.start.native);
    next.unwrap_or(function.sizes[0])
}

/// Native steps: by address, none of 0 bytes, with rules but for the last, which may be without.
/// Folded functions have no rules that hold from the start on, which are those of the CIE.
fn steps(choices: &mut Choices<'_>, instructions: usize, is_folded: bool) -> Vec<Cfi> {
    let advance = |from: usize, to: usize| Cfi::AdvanceLoc4((to - from) as u32 * UNIT as u32 / 4);
    let mut all = Vec::new();
    let mut at = 0;
    for step in usize::from(is_folded)..instructions {
        if choices.is() {
            all.extend((step != at).then(|| advance(at, step)));
            at = step;
            all.push(Cfi::DefCfaOffset(choices.below(64) as u64));
            if choices.is() {
                all.push(Cfi::OffsetExtendedSf { register: 0x200_0010, factored_offset: -2 });
            }
        }
    }
    if at + 1 < instructions && choices.is() {
        all.push(advance(at, instructions - 1));
    }
    all
}

/// Pointers to CIEs lead to where these are in the clone: a fault of ptxas 13.0.88.
fn lead_pointers_into_the_clone(given: &mut GeneratedCubin, native: &Section) {
    let mut cloned = given.cubin.clone();
    let origin = CloneInputs { maps: given.maps.clone(), lines: given.lines.clone() };
    clone_cubin::clone_cubin(&mut cloned, &origin).unwrap();
    let index = cloned.section_by_name(".nv.merc.debug_frame").unwrap();
    let mercury = FrameSection::read(&RelocatedCubin::new(&cloned), index).unwrap();
    let mercury = frame::encode(&mercury.entries, Some(SymbolId(0))).unwrap();
    let relocs = native_relocs(native, Some(&mercury));
    let section = placed(given, FRAME, native.bytes.clone(), relocs);
    let mut all = given.cubin.debug_sections().unwrap();
    all.retain(|section| section.name != FRAME);
    all.push(section);
    given.cubin.set_debug_sections(all).unwrap();
}
