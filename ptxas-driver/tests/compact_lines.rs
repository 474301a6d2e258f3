//! ptxas' line tables written anew with `Policy::Compact`: the same rows in fewer bytes, and the
//! same listing of nvdisasm.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::oracle;
use dwarf2_writer::line::{Header, Policy};
use dwarf2_writer::{Address, SymbolId};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line::{self, LineRow, LineTable};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const TABLES: [&str; 2] = [".debug_line", ".nv_debug_line_sass"];
const CHOOSE: Policy = Policy::Compact(Header::Choose);

/// Of every how many cubins nvdisasm makes its listings.
const LISTED: usize = 60;

/// A unit's opcodes: what follows the header.
fn program_len(unit: &[u8]) -> usize {
    unit.len() - 10 - u32::from_le_bytes(unit[6..10].try_into().unwrap()) as usize
}

fn all_rows(table: &LineTable<'_>) -> Vec<Vec<LineRow>> {
    table.sequences.iter().map(|sequence| table.rows(sequence).collect()).collect()
}

/// The section under a policy, where each relocation of it is now, and the bytes of the programs.
fn encoded(policy: Policy, name: &str, tables: &[LineTable<'_>]) -> (Vec<u8>, Vec<(u64, u64)>, u32) {
    let (mut bytes, mut moved, mut programs) = (Vec::new(), Vec::new(), 0);
    for table in tables {
        let unit = line::encode_as(policy, name, table, None, |index, sequence| Address::Symbol {
            symbol: SymbolId(index as u32),
            addend: sequence.base as i64,
        })
        .unwrap();
        let start = bytes.len() as u64;
        for reloc in &unit.relocs {
            moved.push((table.sequences[reloc.symbol.0 as usize].base_offset, start + reloc.offset));
        }
        programs += program_len(&unit.bytes) as u32;
        bytes.extend(unit.bytes);
    }
    (bytes, moved, programs)
}

#[derive(Default)]
struct Sizes {
    ptxas: u32,
    keep: u32,
    choose: u32,
}

#[test]
fn compact_tables_say_the_same() {
    let entries = support::corpus(|entry| entry.cubin.is_some());
    let cubins: BTreeSet<PathBuf> = entries.into_iter().filter_map(|entry| entry.cubin).collect();
    let nvdisasm = oracle::tool("nvdisasm");
    let folder = tempfile::tempdir().unwrap();
    let mut sizes: [Sizes; 2] = Default::default();
    let (mut tables, mut listed, mut annotated) = (0, 0, 0);
    for (number, path) in cubins.iter().enumerate() {
        let original = fs::read(path).unwrap();
        let Ok(mut cubin) = Cubin::parse(&original) else { continue };
        let mut sections = cubin.debug_sections().unwrap();
        let mut changed = 0;
        for section in &mut sections {
            let Some(kind) = TABLES.iter().position(|name| *name == section.name) else { continue };
            let before = line::decode(&section.name, &section.bytes).unwrap();
            let (plain, _, ptxas) = encoded(Policy::Plain, &section.name, &before);
            assert!(plain == section.bytes, "{} {}: Plain differs", path.display(), section.name);
            let (_, _, keep) = encoded(Policy::Compact(Header::Keep), &section.name, &before);
            let (bytes, moved, choose) = encoded(CHOOSE, &section.name, &before);
            let after = line::decode(&section.name, &bytes).unwrap();
            assert_eq!(before.len(), after.len());
            for (before, after) in before.iter().zip(&after) {
                assert_eq!(all_rows(before), all_rows(after), "{} {}", path.display(), section.name);
            }
            let sum = &mut sizes[kind];
            (sum.ptxas, sum.keep, sum.choose) = (sum.ptxas + ptxas, sum.keep + keep, sum.choose + choose);
            tables += before.len();
            changed += usize::from(bytes != section.bytes);
            for relocation in section.rel.iter_mut().chain(&mut section.rela) {
                if let Some((_, now)) = moved.iter().find(|(old, _)| *old == relocation.offset) {
                    relocation.offset = *now; // that of a header stays where it is
                }
            }
            section.bytes = bytes;
        }
        let Some(nvdisasm) = nvdisasm.as_ref().filter(|_| changed > 0 && number.is_multiple_of(LISTED))
        else {
            continue;
        };
        cubin.set_debug_sections(sections).unwrap();
        let ours = cubin.write().unwrap();
        for options in [["-c", "-gi"], ["-c", "-gp"]] {
            let listing = |bytes: &[u8]| -> Output {
                let path = folder.path().join("in.cubin");
                fs::write(&path, bytes).unwrap();
                Command::new(nvdisasm).args(options).arg(path).output().unwrap()
            };
            let expected = listing(&original);
            if expected.status.success() {
                listed += 1;
                annotated += usize::from(String::from_utf8_lossy(&expected.stdout).contains("//## File"));
                assert!(listing(&ours).stdout == expected.stdout, "{} {options:?}", path.display());
            }
        }
    }
    let percent = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole);
    for (name, Sizes { ptxas, keep, choose }) in
        TABLES.iter().zip(&sizes).filter(|(_, sizes)| sizes.ptxas > 0)
    {
        println!(
            "{name}: {ptxas} bytes of programs; Compact {keep} ({:.2} %), with a line_base of its choice {choose} ({:.2} %)",
            percent(*keep, *ptxas),
            percent(*choose, *ptxas)
        );
        assert!(choose <= keep);
    }
    println!("{tables} tables; {listed} listings of nvdisasm the same, {annotated} of them with lines");
    if tables > 0 {
        let [line, sass] = &sizes;
        assert!(percent(line.choose, line.ptxas) <= 82.0 && percent(sass.choose, sass.ptxas) <= 68.0);
        assert!(nvdisasm.is_none() || annotated > 5, "{annotated}");
    }
}
