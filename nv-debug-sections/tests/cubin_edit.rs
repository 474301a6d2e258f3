//! Replacing, removing and adding debug sections, on every cubin of the corpus.

#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod corpus;

use std::collections::HashSet;
use std::path::Path;

use corpus::{Cubins, file, kinds, oracle, run, sample};
use nv_debug_sections::cubin::Cubin;

#[test]
fn replacing_all_sections_by_themselves_changes_nothing() {
    let cubins = Cubins::open();
    for path in &cubins.paths {
        let bytes = file(path);
        let mut cubin = Cubin::parse(&bytes).unwrap();
        let own = cubin.debug_sections().unwrap();
        let clones = cubin.mercury_sections().unwrap();
        assert_eq!(clones.is_empty(), cubin.mercury_symtab().is_none(), "{}", path.display());
        cubin.set_debug_sections(own).unwrap();
        cubin.set_mercury_sections(clones).unwrap();
        assert!(cubin.write().unwrap() == bytes, "{}", path.display());
    }
    eprintln!("replaced by themselves: {0}/{0} cubins identical", cubins.paths.len());
}

/// Removing everything and putting it back needs every rule of order, names, symbols and indices.
#[test]
fn removing_and_putting_back_gives_the_same_bytes() {
    let cubins = Cubins::open();
    let (mut total, mut mercury, mut odd) = (0, 0, 0);
    let mut different = Vec::new();
    for path in &cubins.paths {
        let bytes = file(path);
        let mut cubin = Cubin::parse(&bytes).unwrap();
        let (own, clones) = (cubin.debug_sections().unwrap(), cubin.mercury_sections().unwrap());
        cubin.set_mercury_sections(Vec::new()).unwrap();
        cubin.set_debug_sections(Vec::new()).unwrap();
        let without = cubin.write().unwrap();
        let mut cubin = Cubin::parse(&without).unwrap();
        assert!(cubin.debug_sections().unwrap().is_empty() && cubin.mercury_sections().unwrap().is_empty());
        total += 1;
        mercury += usize::from(!clones.is_empty());
        cubin.set_debug_sections(own).unwrap();
        cubin.set_mercury_sections(clones).unwrap();
        let back = cubin.write().unwrap();
        if back == bytes {
            continue;
        }
        // The exceptions: files whose relocation sections are in order of creation and not as
        // docs/formats/container.md, order of sections, has it.
        if path.to_string_lossy().contains("linked")
            || cubin.iter().any(|(_, n, _)| n.starts_with(".rela.nv.constant2."))
        {
            odd += 1;
        } else {
            different.push(path.display().to_string());
        }
    }
    let identical = total - different.len() - odd;
    eprintln!("removed and put back: {identical}/{total} cubins identical, {mercury} of {total} with clones");
    assert!(odd <= 16 && different.is_empty(), "{different:#?}");
}

/// Runs a tool on two files at a time: nvdisasm takes a third of a second for the smallest.
fn run_both(tool: &Path, arguments: &[&str], inputs: [&Path; 2]) -> [Result<String, String>; 2] {
    std::thread::scope(|scope| {
        inputs.map(|input| scope.spawn(move || run(tool, arguments, input))).map(|one| one.join().unwrap())
    })
}

/// The code without its labels: nvdisasm also makes one for each address that debug sections refer
/// to.
fn without_labels(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    for line in code.lines().filter(|line| !line.starts_with(".L_x_")) {
        let mut parts = line.split(".L_x_");
        out.extend(parts.next());
        for part in parts {
            out.push_str(".L_x");
            out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
        out.push('\n');
    }
    out
}

#[test]
fn the_real_tools_read_what_is_left() {
    let cubins = Cubins::open();
    let (Some(nvdisasm), Some(cuobjdump)) = (oracle("nvdisasm"), oracle("cuobjdump")) else { return };
    let scratch = std::env::temp_dir().join(format!("nv-debug-sections-{}.cubin", std::process::id()));
    let (mut read, mut refused) = (0, 0);
    let mut faults = Vec::new();
    // A cubin without debug sections stays what it is, which needs no tool.
    for path in sample(&cubins, &["lineinfo", "G", "debug", "G-rdc", "lineinfo-rdc"]) {
        let bytes = file(path);
        let mut cubin = Cubin::parse(&bytes).unwrap();
        cubin.remove_debug_sections(|_| false).unwrap();
        std::fs::write(&scratch, cubin.write().unwrap()).unwrap();
        let [code, after] = run_both(&nvdisasm, &["-c"], [path, &scratch]);
        let Ok(code) = code else {
            refused += 1; // nvdisasm 13.2 cannot read all that ptxas writes
            continue;
        };
        let elf = run(&cuobjdump, &["-elf"], &scratch);
        match after {
            Ok(after) if without_labels(&after) == without_labels(&code) => read += 1,
            Ok(after) => {
                let pair = code.lines().zip(after.lines()).find(|(a, b)| a != b);
                faults.push(format!("{}: {pair:?}", path.display()));
            }
            Err(message) => faults.push(format!("{}: nvdisasm: {message}", path.display())),
        }
        if let Err(message) = elf {
            faults.push(format!("{}: cuobjdump: {message}", path.display()));
        }
    }
    let _ = std::fs::remove_file(&scratch);
    eprintln!(
        "stripped: nvdisasm -c prints the same code for {read}, {refused} it cannot read to begin with"
    );
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Line tables put into a cubin that was made without any, where there is no section symbol for
/// them.
#[test]
fn nvdisasm_reads_the_lines_that_were_put_in() {
    let cubins = Cubins::open();
    let Some(nvdisasm) = oracle("nvdisasm") else { return };
    let scratch = std::env::temp_dir().join(format!("nv-debug-sections-lines-{}.cubin", std::process::id()));
    // nvdisasm is asked about as few files as have each architecture and each compiler.
    let (mut put_in, mut read, mut seen) = (0, 0, HashSet::new());
    for path in cubins.paths.iter().filter(|p| p.parent().unwrap().ends_with("none")) {
        let lines = path.parent().unwrap().with_file_name("lineinfo").join(path.file_name().unwrap());
        let small = std::fs::metadata(&lines).is_ok_and(|m| m.len() < 9000);
        if !small || path.to_string_lossy().contains(".own.") {
            continue;
        }
        let (plain, with_lines) = (file(path), file(&lines));
        let (mut cubin, source) = (Cubin::parse(&plain).unwrap(), Cubin::parse(&with_lines).unwrap());
        let by_name: std::collections::HashMap<_, _> =
            cubin.functions().map(|(i, _)| (cubin.symbol_name(i).to_owned(), i)).collect();
        let mut sections = source.debug_sections().unwrap();
        let relocations: Vec<_> =
            sections.iter_mut().flat_map(|s| s.rel.iter_mut().chain(&mut s.rela)).collect();
        let named = |symbol| by_name.get(source.symbol_name(symbol)).copied();
        if relocations.iter().any(|r| named(r.symbol).is_none()) {
            continue; // compiled from another source
        }
        for relocation in relocations {
            relocation.symbol = named(relocation.symbol).unwrap();
        }
        cubin.set_debug_sections(sections).unwrap();
        let made = cubin.write().unwrap();
        std::fs::write(&scratch, &made).unwrap();
        // Same sections in the same order, one section symbol less for each new one.
        let made = Cubin::parse(&made).unwrap();
        let names = |c: &Cubin<'_>| {
            c.iter().filter(|(.., s)| !s.is_mercury()).map(|(_, n, _)| n.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&made), names(&source), "{}", path.display());
        put_in += 1;
        if kinds(path).iter().all(|kind| seen.contains(kind)) {
            continue;
        }
        let [expected, found] = run_both(&nvdisasm, &["-c", "-g"], [&lines, &scratch]);
        let expected = expected.unwrap_or_default();
        if !expected.contains("//## File") {
            continue; // a PTX without .loc, or one of the originals on which nvdisasm 13.2 crashes
        }
        let (expected, found) = (without_labels(&expected), without_labels(&found.unwrap()));
        let difference = expected.lines().zip(found.lines()).find(|(a, b)| a != b);
        assert!(expected == found, "{}: {difference:?}", path.display());
        seen.extend(kinds(path));
        read += 1;
    }
    let _ = std::fs::remove_file(&scratch);
    assert!(read > 0);
    eprintln!("lines put in: {put_in} files; nvdisasm -c -g prints {read} of these as it does the originals");
}
