//! `docs/formats/frames.md`.

use crate::{all_pairs, number, pair, pairs, section};
use dwarf2_writer::Address;
use dwarf2_writer::frame::CallFrameInstruction as Cfi;
use nv_debug_sections::cubin::{Cubin, Section, SectionIndex, SymbolIndex};
use nv_debug_sections::frame::{self, Entry, FieldSymbols};
use nv_debug_sections::register::SassRegister;
use nv_debug_sections::relocated::RelocatedCubin;
use std::collections::BTreeMap;
use std::fs;

/// Entries of a section of a cubin, with the bytes.
fn entries(name: &str, section_name: &str) -> (Vec<Entry>, Vec<u8>, Vec<u64>) {
    let file = pair(name);
    let cubin = Cubin::parse(&file).unwrap();
    let bytes = section(&cubin, section_name);
    let entries = frame::decode(&bytes, &FieldSymbols::new()).unwrap();
    let offsets = frame::entry_offsets(&bytes);
    (entries, bytes, offsets)
}

const FILES: [(&str, &str); 5] = [
    ("flat.sm_75.lineinfo", ".debug_frame"),
    ("references.sm_75.g", ".debug_frame"),
    ("folded.sm_90.lineinfo", ".debug_frame"),
    ("stack_arguments.sm_100.g", ".debug_frame"),
    ("stack_arguments.sm_100.g", ".nv.merc.debug_frame"),
];

/// Escape, length and id of each entry, as 64-bit DWARF has them, and a size that is a multiple of
/// 8.
#[test]
fn entries_are_64_bit_dwarf_and_padded() {
    for (name, section) in FILES {
        let (entries, bytes, offsets) = entries(name, section);
        let ends = offsets.iter().skip(1).copied().chain([bytes.len() as u64]);
        for ((entry, &start), end) in entries.iter().zip(&offsets).zip(ends) {
            let at = start as usize;
            assert_eq!(number(&bytes, at, 4), 0xffff_ffff, "{name}");
            assert_eq!(number(&bytes, at + 4, 8), end - start - 12, "{name}");
            assert_eq!(start % 4, 0, "{name}");
            assert_eq!((end - start) % 8, 0, "{name}");
            let id = number(&bytes, at + 12, 8);
            assert_eq!(matches!(entry, Entry::Cie(_)), id == u64::MAX, "{name}");
        }
        let again = frame::encode(&entries, None).unwrap();
        assert_eq!(again.bytes.len(), bytes.len(), "{name}");
    }
}

#[test]
fn each_function_has_a_cie_and_an_fde() {
    for (name, section) in FILES {
        let (entries, ..) = entries(name, section);
        assert!(entries.len() >= 2 && entries.len() % 2 == 0, "{name}");
        for (count, pair) in entries.chunks(2).enumerate() {
            let [Entry::Cie(cie), Entry::Fde(fde)] = pair else { panic!("{name}: {pair:?}") };
            assert_eq!(fde.cie.0 as usize, count, "{name}");
            let code = if section.starts_with(".nv.merc") { 1 } else { 4 };
            assert_eq!((cie.version, cie.augmentation.len()), (3, 0), "{name}");
            assert_eq!((cie.code_alignment_factor, cie.data_alignment_factor), (code, -4), "{name}");
        }
    }
}

/// What a CIE begins with, and the register that a function returns by.
#[test]
fn what_a_cie_says_first() {
    const R1: u64 = 0x0500_0001;
    const RZ: u64 = 0x0500_00ff;
    let mut returns = Vec::new();
    for (name, section) in FILES {
        let (entries, ..) = entries(name, section);
        for entry in &entries {
            let Entry::Cie(cie) = entry else { continue };
            let want = [Cfi::DefCfa { register: R1, offset: 0 }, Cfi::SameValue { register: RZ }];
            assert_eq!(cie.instructions[..2], want, "{name}");
            returns.push(cie.return_address_register);
        }
    }
    for register in [0xffff_ffff, 0x0500_0100] {
        assert!(returns.contains(&register), "{register:#x}: {returns:x?}");
    }
    assert_eq!(SassRegister(0x0500_0014).to_string(), "R20");
}

/// The register that a function returns by, in every cubin: kernels are those that the PTX calls
/// `.entry`, and a folded function does not start its section.
#[test]
fn the_return_register_tells_the_kind_of_function() {
    let mut kinds = BTreeMap::new();
    for (name, file) in all_pairs() {
        let ptx = pairs().join(format!("{}.ptx", name.split('.').next().unwrap()));
        let ptx = fs::read_to_string(ptx).unwrap();
        let words: Vec<&str> = ptx.split([' ', '\t', '\n', '(', ')', '{', ';']).collect();
        let is_kernel = |function: &str| words.windows(2).any(|two| two == [".entry", function]);
        let cubin = Cubin::parse(&file).unwrap();
        for section in [".debug_frame", ".nv.merc.debug_frame"] {
            let Some(index) = cubin.section_by_name(section) else { continue };
            let of_section = |table: &&Section<'_>| table.relocations().is_some() && table.info == index.0;
            let table = SectionIndex(cubin.sections.iter().find(of_section).unwrap().link);
            let view = RelocatedCubin::new(&cubin).section(index).unwrap();
            let entries = frame::decode(&view.bytes, &frame::field_symbols(&view)).unwrap();
            for two in entries.chunks(2) {
                let [Entry::Cie(cie), Entry::Fde(fde)] = two else { panic!("{name}: {two:?}") };
                let Address::Symbol { symbol, addend } = fde.initial_location else { panic!("{name}") };
                let function = cubin.symbol_name_in(table, SymbolIndex(symbol.0));
                let want = match addend {
                    0 if is_kernel(function) => 0xffff_ffff,
                    0 => 0x0500_0014,
                    _ => 0x0500_0100,
                };
                assert_eq!(cie.return_address_register, want, "{name}: {function}+{addend:#x}");
                *kinds.entry(want).or_insert(0) += 1;
            }
        }
    }
    assert!(kinds.len() == 3 && kinds.values().all(|&count| count >= 10), "{kinds:x?}");
}

/// Only version 3 and 64-bit DWARF are read, which are all that ptxas writes.
#[test]
fn other_forms_are_refused() {
    let (_, bytes, _) = entries("flat.sm_75.lineinfo", ".debug_frame");
    let refused = |at: usize, new: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + new.len()].copy_from_slice(new);
        frame::decode(&changed, &FieldSymbols::new()).unwrap_err().offset()
    };
    assert_eq!(refused(20, &[1]), 20);
    // A 32-bit entry of the same bytes.
    let length = bytes.len() as u32 - 4;
    assert_eq!(refused(0, &[&length.to_le_bytes()[..], &[0xff; 4], &[3]].concat()), 0);
}
