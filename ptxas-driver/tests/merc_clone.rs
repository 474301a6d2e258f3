//! `merc clone` and `merc finalise` over the corpus.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "the figures")]

use crate::support;
use crate::support::driver::program;
use crate::support::oracle;
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::{Cubin, SectionIndex, Symbol, SymbolIndex};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs};

fn merc(arguments: &[&str], files: &[&Path]) -> Output {
    program().arg("merc").args(arguments).args(files).output().unwrap()
}

fn succeed(what: &str, output: &Output) {
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Symbols in words: those of sections by name, since a file without Mercury code has others.
fn symbols(cubin: &Cubin<'_>, table: SectionIndex) -> String {
    let entries = (0..).map(SymbolIndex).zip(cubin.symbols_of(table));
    let words = entries.map(|(number, symbol)| {
        let section = symbol.section().map(|section| cubin.section_name(section));
        let Symbol { info, other, value, size, .. } = symbol;
        format!("{} {section:?} {info} {other} {value} {size}\n", cubin.symbol_name_in(table, number))
    });
    words.collect()
}

/// Bytes of the clones of debug sections, their relocations and the symbols, by name and position
/// among those of the name.
fn clones(cubin: &Cubin<'_>) -> BTreeMap<(String, usize), Vec<u8>> {
    let mut all = BTreeMap::new();
    for (index, name, _) in cubin.iter().filter(|(_, _, section)| section.is_mercury()) {
        if name == ".nv.merc.symtab" {
            all.insert((name.to_owned(), 0), symbols(cubin, index).into_bytes());
        } else if SectionName::parse(name).is_debug() {
            let number = all.range((name.to_owned(), 0)..=(name.to_owned(), usize::MAX)).count();
            all.insert((name.to_owned(), number), cubin.bytes(index).unwrap().into_owned());
        }
    }
    all
}

/// Whether both tools read a file.
fn is_read(tools: &[std::path::PathBuf], path: &Path) -> Vec<bool> {
    tools
        .iter()
        .map(|tool| {
            let mut command = Command::new(tool);
            if tool.ends_with("nvdisasm") {
                command.args(["-c", "-gi"]);
            } else {
                command.arg("-elf");
            }
            command.arg(path).output().unwrap().status.success()
        })
        .collect()
}

#[test]
fn the_corpus_there_and_back() {
    let entries = support::corpus(|entry| entry.ok && entry.sm() >= 100 && entry.cubin.is_some());
    let folder = tempfile::tempdir().unwrap();
    let [stripped, made, remade, back] =
        ["stripped", "made", "remade", "back"].map(|name| folder.path().join(format!("{name}.cubin")));
    let tools: Vec<_> = ["nvdisasm", "cuobjdump"].into_iter().filter_map(oracle::tool).collect();
    let every = if env::var_os("NVDWARF_ALL").is_some() { 1 } else { 16 };
    let (mut files, mut read) = (0, 0);
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut different = Vec::new();
    for entry in entries {
        let (name, cubin) = (entry.name(), entry.cubin.as_deref().unwrap());
        files += 1;
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        succeed(&name, &merc(&["strip-capsule", "-o", &path(&stripped)], &[cubin]));
        succeed(&name, &merc(&["finalise", "-o", &path(&back)], &[cubin]));
        let mut count = |what: &str, is_same: bool, words: &str| {
            counts.entry(what.to_owned()).or_default()[usize::from(is_same)] += 1;
            if !is_same {
                different.push(format!("{name} {what} {words}"));
            }
        };
        let original = fs::read(cubin).unwrap();
        count("finalised file", fs::read(&back).unwrap() == fs::read(&stripped).unwrap(), "");

        let ptx = entry.ptx.as_deref().map(path);
        let with_ptx: Vec<&str> = ptx.iter().flat_map(|ptx| ["--ptx", ptx.as_str()]).collect();
        // Of what is there.
        succeed(&name, &merc(&[&["clone", "-o", &path(&made)], &*with_ptx].concat(), &[cubin]));
        count("file cloned over itself", fs::read(&made).unwrap() == original, "");
        // Of what is left without the capsule.
        let options = ["clone", "--maps-from", &path(cubin), "-o", &path(&remade)];
        succeed(&name, &merc(&[&options, &*with_ptx].concat(), &[&stripped]));
        let remade_bytes = fs::read(&remade).unwrap();
        let (there, here) = (Cubin::parse(&original).unwrap(), Cubin::parse(&remade_bytes).unwrap());
        let (there, mut here) = (clones(&there), clones(&here));
        for ((section, number), bytes) in there {
            let ours = here.remove(&(section.clone(), number));
            let group = section.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            count(group, ours.as_ref() == Some(&bytes), &format!("{section} {number}"));
        }
        assert_eq!(here.keys().next(), None, "{name}");
        if files % every == 0 && !tools.is_empty() {
            let before = is_read(&tools, cubin);
            for file in [&made, &remade, &back] {
                read += 1;
                assert_eq!(is_read(&tools, file), before, "{name}: {}", file.display());
            }
        }
    }
    println!("{files} cubins, {read} files read by both tools");
    for (what, [different, same]) in &counts {
        println!("{same:5} same, {different} different: {what}");
    }
    // nvlink drops from native sections what the clones keep, and ptxas 13.4 also clones the call
    // graph.
    different.retain(|words| {
        let mut words = words.split(' ');
        let (name, what) = (words.next().unwrap(), words.next().unwrap());
        !(name.ends_with("/linked") || name.contains(".own") && what == ".nv.merc.symtab")
    });
    assert!(different.is_empty(), "{different:#?}");
}
