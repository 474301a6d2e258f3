//! `docs/formats/nv-info.md`.

use crate::{all_pairs, number, section};
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::nv_info::{self, Attribute, Record, Value};
use std::collections::BTreeSet;

/// All records of a cubin: section, attribute.
fn records<'c>(cubin: &'c Cubin<'_>) -> Vec<(&'c str, Vec<Record<'static>>)> {
    let names = cubin.iter().filter(|(_, name, _)| {
        let name = name.strip_prefix(".nv.merc").unwrap_or(name);
        name == ".nv.info" || name.starts_with(".nv.info.")
    });
    let decoded = names.map(|(index, name, _)| {
        let bytes = cubin.bytes(index).unwrap();
        let records = nv_info::decode(name, &bytes).unwrap();
        assert_eq!(nv_info::encode(name, &records).unwrap(), bytes.as_ref());
        (name, records.into_iter().map(owned).collect())
    });
    decoded.collect()
}

fn owned(record: Record<'_>) -> Record<'static> {
    let value = match record.value {
        Value::None { padding } => Value::None { padding },
        Value::Byte { value, padding } => Value::Byte { value, padding },
        Value::Half(half) => Value::Half(half),
        Value::Sized(bytes) => Value::Sized(bytes.into_owned().into()),
    };
    Record { attribute: record.attribute, value }
}

#[test]
fn numbers_of_attributes() {
    for (attribute, number) in [
        (Attribute::PARAM_CBANK, 0x0a),
        (Attribute::EXTERNS, 0x0f),
        (Attribute::FRAME_SIZE, 0x11),
        (Attribute::MIN_STACK_SIZE, 0x12),
        (Attribute::KPARAM_INFO, 0x17),
        (Attribute::CBANK_PARAM_SIZE, 0x19),
        (Attribute::MAXREG_COUNT, 0x1b),
        (Attribute::EXIT_INSTR_OFFSETS, 0x1c),
        (Attribute::REGCOUNT, 0x2f),
        (Attribute::SW_WAR, 0x36),
        (Attribute::CUDA_API_VERSION, 0x37),
        (Attribute::GEN_ERRBAR_AT_EXIT, 0x53),
        (Attribute::MERCURY_FINALIZER_OPTIONS, 0x5a),
    ] {
        assert_eq!(attribute, Attribute(number));
    }
}

/// What the values of these attributes are, in native sections.
#[test]
fn values_of_attributes() {
    const NUMBERS: [u8; 12] = [0x0a, 0x0f, 0x11, 0x12, 0x17, 0x19, 0x1b, 0x1c, 0x2f, 0x36, 0x37, 0x53];
    let mut seen = BTreeSet::new();
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        let sm = cubin.header.sm();
        let is_function = |symbol: SymbolIndex| cubin.symbols()[symbol.as_usize()].is_function();
        for (section_name, records) in records(&cubin) {
            let is_clone = section_name.starts_with(".nv.merc");
            let function = section_name.strip_prefix(".nv.info.");
            let parameters: Vec<_> = nv_info::parameters(&records).collect();
            let end = parameters.iter().map(|one| one.offset + one.size).max();
            for record in records.iter().filter(|_| !is_clone) {
                let words: Vec<u32> = record.words().collect();
                let symbols: Vec<SymbolIndex> = record.symbols().collect();
                let place = || format!("{name}: {section_name}: {}", record.attribute);
                seen.insert(record.attribute.0);
                match (record.attribute.0, &record.value) {
                    (0x0a, Value::Sized(bytes)) => {
                        let [bank] = symbols[..] else { panic!("{}", place()) };
                        let symbol = cubin.symbols()[bank.as_usize()];
                        let constants = format!(".nv.constant0.{}", function.unwrap());
                        let of_symbol = symbol.section().map(|section| cubin.section_name(section));
                        assert_eq!(of_symbol, Some(&*constants), "{}", place());
                        assert!(symbol.is_section(), "{}", place());
                        let base = match sm {
                            ..90 => 0x160,
                            90..100 => 0x210,
                            _ => 0x380,
                        };
                        let fields = [number(bytes, 4, 2), number(bytes, 6, 2)];
                        assert_eq!(
                            (fields, bytes.len()),
                            ([base, u64::from(end.unwrap())], 8),
                            "{}",
                            place()
                        );
                    }
                    (0x0f, Value::Sized(bytes)) => {
                        assert_eq!(symbols.len() * 4, bytes.len(), "{}", place());
                        assert!(symbols.into_iter().all(is_function), "{}", place());
                    }
                    (0x11 | 0x12 | 0x2f, Value::Sized(_)) => {
                        assert_eq!((symbols.len(), words.len()), (1, 2), "{}", place());
                        assert!(is_function(symbols[0]), "{}", place());
                        assert_eq!(record.symbol_and_number(), Some((symbols[0], words[1])), "{}", place());
                    }
                    (0x17, Value::Sized(bytes)) => assert_eq!(bytes.len(), 12, "{}", place()),
                    (0x19, Value::Half(size)) => assert_eq!(Some(*size), end, "{}", place()),
                    (0x1b, Value::Half(registers)) => assert_eq!(*registers, 255, "{}", place()),
                    (0x1c, Value::Sized(_)) => {
                        assert!(
                            symbols.is_empty() && nv_info::exit_offsets(&records).eq(words),
                            "{}",
                            place()
                        );
                    }
                    (0x36, Value::Sized(_)) => {
                        assert!(sm < 100 || (sm, &*words) == (100, &[8]), "{}", place());
                    }
                    (0x37, Value::Sized(_)) => assert_eq!(words, [130], "{}", place()),
                    (0x53, Value::None { padding: 0 }) => {}
                    (number, _) if NUMBERS.contains(&number) || number == 0x5a => panic!("{}", place()),
                    _ => {}
                }
            }
        }
    }
    assert!(NUMBERS.iter().all(|number| seen.contains(number)), "{seen:x?}");
}

/// The header of the sections, and that their records tile them.
#[test]
fn sections_of_ptxas() {
    let mut functions = 0;
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        let of_symtab = |table: &str, link: u32| cubin.section_name(SectionIndex(link)) == table;
        for (section, _) in records(&cubin) {
            let index = cubin.section_by_name(section).unwrap();
            let header = cubin.section(index).unwrap();
            let is_clone = section.starts_with(".nv.merc");
            let (sh_type, table) =
                if is_clone { (0x7000_0083, ".nv.merc.symtab") } else { (0x7000_0000, ".symtab") };
            assert!(header.sh_type == sh_type && of_symtab(table, header.link), "{name}: {section}");
            let function = section.strip_prefix(".nv.merc").unwrap_or(section).strip_prefix(".nv.info.");
            let of = function.map_or(String::new(), |function| {
                format!("{}.{function}", if is_clone { ".nv.capmerc.text" } else { ".text" })
            });
            assert_eq!(cubin.section_name(SectionIndex(header.info)), of, "{name}: {section}");
            functions += usize::from(function.is_some());
        }
    }
    assert!(functions > 100, "{functions}");
}

/// `.nv.info` has the needs of functions by symbol, `.nv.info.F` places in the code of F.
#[test]
fn what_stands_where() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        for (section_name, records) in records(&cubin) {
            let is_global = [".nv.info", ".nv.merc.nv.info"].contains(&section_name);
            let has = |attribute| records.iter().any(|record| record.attribute == attribute);
            for attribute in [Attribute::REGCOUNT, Attribute::FRAME_SIZE] {
                assert_eq!(has(attribute), is_global, "{name}: {section_name}: {attribute}");
            }
            // Only a whole program knows what calls what.
            let is_program = cubin.header.e_type == 2;
            assert_eq!(has(Attribute::MIN_STACK_SIZE), is_global && is_program, "{name}: {section_name}");
            let exits: Vec<u32> = nv_info::exit_offsets(&records).collect();
            assert!(!is_global || exits.is_empty(), "{name}");
            if let Some(function) = section_name.strip_prefix(".nv.info.") {
                // The opcode is in the lowest 12 bits of an instruction, and 0x94d is `EXIT`
                // (nvdisasm 13.0.88, sm_75 to sm_121).
                let code = section(&cubin, &format!(".text.{function}"));
                let is_exit = |at: &u32| number(&code, *at as usize, 2) & 0xfff == 0x94d;
                let want: Vec<u32> = (0..code.len() as u32).step_by(16).filter(is_exit).collect();
                assert_eq!(exits, want, "{name}: {section_name}");
            }
        }
    }
}

/// Whether a file has full debug information is in the records too.
#[test]
fn a_record_tells_code_of_g() {
    for (name, file) in all_pairs() {
        let cubin = Cubin::parse(&file).unwrap();
        let all: Vec<Record<'_>> = records(&cubin).into_iter().flat_map(|(_, records)| records).collect();
        let found = all.iter().any(|record| record.attribute == Attribute::GEN_ERRBAR_AT_EXIT);
        let is_full = name.split('.').any(|word| word == "g");
        assert_eq!(found, is_full, "{name}");
    }
}
