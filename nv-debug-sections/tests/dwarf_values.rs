//! Values that NVIDIA gives DWARF's fields: address classes and register names, on every cubin of
//! the corpus.
#![allow(clippy::print_stdout, reason = "the figures")]
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

mod corpus;

use corpus::{Cubins, file};
use gimli::{AttributeValue, DebugAbbrev, DebugInfo, LittleEndian};
use nv_debug_sections::address_class::AddressClass;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::cursor::Cursor;
use nv_debug_sections::ptx_txt::PtxText;
use nv_debug_sections::register::{DwarfRegister, pack_name};
use nv_debug_sections::relocated::RelocatedCubin;
use std::collections::{BTreeMap, HashSet};

const DW_OP_REGX: u8 = 0x90;

fn sections(cubin: &Cubin<'_>, kind: SectionKind) -> impl Iterator<Item = SectionIndex> {
    cubin
        .iter()
        .filter(move |(_, name, _)| SectionKind::from_name(name) == Some(kind))
        .map(|(index, ..)| index)
}

fn section(cubin: &Cubin<'_>, kind: SectionKind) -> Option<SectionIndex> {
    sections(cubin, kind).next()
}

/// The address classes of all entries, as gimli finds them.
fn address_classes(cubin: &Cubin<'_>) -> Vec<u64> {
    let relocated = RelocatedCubin::new(cubin);
    let bytes = |kind| section(cubin, kind).map(|index| relocated.section(index).unwrap().bytes);
    let (Some(info), Some(abbrev)) = (bytes(SectionKind::DebugInfo), bytes(SectionKind::DebugAbbrev)) else {
        return Vec::new();
    };
    let (info, abbrev) = (DebugInfo::new(&info, LittleEndian), DebugAbbrev::new(&abbrev, LittleEndian));
    let mut classes = Vec::new();
    let mut units = info.units();
    while let Some(unit) = units.next().unwrap() {
        let abbreviations = unit.abbreviations(&abbrev).unwrap();
        let mut entries = unit.entries(&abbreviations);
        while let Some(entry) = entries.next_dfs().unwrap() {
            match entry.attr_value(gimli::DW_AT_address_class) {
                Some(AttributeValue::AddressClass(class)) => classes.push(class.0),
                Some(other) => classes.push(other.udata_value().unwrap()),
                None => {}
            }
        }
    }
    classes
}

#[test]
fn every_address_class_of_the_corpus_has_a_name() {
    let cubins = Cubins::open();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for path in &cubins.paths {
        let data = file(path);
        let Ok(cubin) = Cubin::parse(&data) else { continue };
        for value in address_classes(&cubin) {
            let class =
                AddressClass::of_value(value).unwrap_or_else(|| panic!("{}: {value}", path.display()));
            assert_eq!(u64::from(class.value()), value);
            *counts.entry(class.name()).or_default() += 1;
        }
    }
    println!("{counts:?}");
    assert!(counts.len() >= 5);
}

/// Operands of the location expressions of `.debug_loc` that are a `DW_OP_regx` and nothing else
/// (DWARF 2.0.0 §7.7.3).
fn register_operands(cubin: &Cubin<'_>) -> Vec<Vec<u8>> {
    let Some(index) = section(cubin, SectionKind::DebugLoc) else { return Vec::new() };
    let view = RelocatedCubin::new(cubin).section(index).unwrap();
    let mut cursor = Cursor::new(".debug_loc", &view.bytes);
    let mut operands = Vec::new();
    while !cursor.is_empty() {
        let at = cursor.offset();
        let ends = (cursor.u64("start").unwrap(), cursor.u64("end").unwrap()) == (0, 0);
        if ends && view.target(at).or(view.target(at + 8)).is_none() {
            continue;
        }
        let len = cursor.u16("length").unwrap();
        if let [DW_OP_REGX, operand @ ..] = cursor.take(len.into(), "expression").unwrap() {
            operands.push(operand.to_vec());
        }
    }
    operands
}

/// The words of a PTX text that start with `%`.
fn registers_in(text: PtxText<'_>) -> HashSet<&[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let words = text.lines().flat_map(move |line| {
        let starts = line.iter().enumerate().filter(|(_, byte)| **byte == b'%').map(|(at, _)| at);
        starts.map(move |at| {
            let len = line[at + 1..].iter().take_while(|byte| is_part(byte)).count();
            &line[at..=at + len]
        })
    });
    words.collect()
}

#[test]
fn register_operands_of_the_corpus_are_registers_of_its_ptx() {
    let cubins = Cubins::open();
    let (mut files, mut operands) = (0, 0);
    for path in &cubins.paths {
        let data = file(path);
        let Ok(cubin) = Cubin::parse(&data) else { continue };
        let all = register_operands(&cubin);
        if all.is_empty() {
            continue;
        }
        // A linked file has the text of each of its objects.
        let texts: Vec<_> =
            sections(&cubin, SectionKind::NvDebugPtxTxt).map(|text| cubin.bytes(text).unwrap()).collect();
        let registers: HashSet<_> =
            texts.iter().flat_map(|text| registers_in(PtxText::decode(text).unwrap())).collect();
        for leb in &all {
            let DwarfRegister::Ptx(name) = DwarfRegister::from_uleb(leb) else {
                panic!("{}: {leb:02x?}", path.display())
            };
            assert!(registers.contains(name.as_bytes()), "{}: {name}", path.display());
            assert_eq!(leb128_nv::uleb128(pack_name(&name).unwrap()).as_slice(), leb, "{}", path.display());
        }
        files += 1;
        operands += all.len();
    }
    println!(
        "{operands} operands of {files} cubins are registers of their PTX, and pack into the same bytes"
    );
    assert!(operands > corpus::root::at_least(3000));
}
