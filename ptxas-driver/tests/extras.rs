//! What ptxas cannot do: `--line-table`, `--path-map`, `--file-stat none`, `--embed-ptx no`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "the figures")]

use crate::support;
use crate::support::driver;
use crate::support::driver::program;
use crate::support::json;
use crate::support::oracle;
use cubin_debuginfo::symbolize::{Symbolizer, TableFileName};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A cubin with its PTX, and how it was made.
struct Pair {
    ptx: PathBuf,
    cubin: PathBuf,
    arch: String,
    option: String,
}

impl Pair {
    fn example(name: &str, arch: &str, option: &str) -> Self {
        let ptx = driver::example(name);
        Self { cubin: ptx.with_extension("cubin"), ptx, arch: arch.to_owned(), option: option.to_owned() }
    }

    /// Examples, and of the corpus some entries with line information for each SM.
    fn all() -> Vec<Self> {
        let mut pairs = vec![
            Self::example("saxpy/saxpy.ptx", "sm_90", "-lineinfo"),
            Self::example("saxpy/saxpy-debug.ptx", "sm_75", "-g"),
            Self::example("block_sum/block_sum.ptx", "sm_90", "-lineinfo"),
        ];
        let entries = support::corpus(|entry| {
            entry.mode == "lineinfo"
                && ["cuda", "triton"].contains(&&*entry.producer)
                && entry.ok
                && entry.written_by_ptxas_13_0
        });
        for entry in entries.into_iter().step_by(7) {
            let (ptx, cubin) = (entry.ptx.unwrap(), entry.cubin.unwrap());
            let text = std::fs::read_to_string(&ptx).unwrap();
            let parsed = ptx_syntax::parse(&text);
            let target = parsed.module.target().and_then(|target| target.arch()).unwrap().text;
            let arch = if target.starts_with(&entry.arch) { target.to_owned() } else { entry.arch };
            pairs.push(Self { ptx, cubin, arch, option: "-lineinfo".to_owned() });
        }
        pairs
    }

    fn made(&self, options: &[&str], output: &Path) -> Vec<u8> {
        let mut command = driver::compile();
        command.arg(&self.ptx).args(["-arch", &self.arch, &self.option]).args(options);
        driver::made(command.arg("--code").arg(driver::code_of(&self.cubin)), output)
    }
}

fn listing(cubin: &Path) -> Option<String> {
    let run = Command::new(oracle::tool("nvdisasm")?).args(["-c", "-gi"]).arg(cubin).output().unwrap();
    assert!(run.status.success(), "{}: {}", cubin.display(), String::from_utf8_lossy(&run.stderr));
    Some(String::from_utf8_lossy(&run.stdout).into_owned())
}

fn size_of(data: &[u8], name: &str) -> usize {
    let cubin = Cubin::parse(data).unwrap();
    cubin.section_by_name(name).map_or(0, |index| cubin.bytes(index).unwrap().len())
}

#[test]
fn compact_tables_are_smaller_and_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let [plain, compact] = ["plain", "compact"].map(|name| folder.path().join(name));
    let (mut before, mut after) = (0, 0);
    for pair in Pair::all() {
        let ptxas = pair.made(&[], &plain);
        let ours = pair.made(&["--line-table", "compact"], &compact);
        let [a, b] = [&ptxas, &ours].map(|data| size_of(data, ".debug_line"));
        assert!(b <= a, "{}", pair.ptx.display());
        (before, after) = (before + a, after + b);
        let diff = program().arg("diff").arg(&plain).arg(&compact).arg("--ignore=mercury").output();
        let diff = diff.unwrap();
        assert_eq!(
            diff.status.code(),
            Some(0),
            "{}: {}",
            pair.ptx.display(),
            String::from_utf8_lossy(&diff.stdout)
        );
        if let Some((a, b)) = listing(&plain).zip(listing(&compact)) {
            assert!(a == b, "{}: nvdisasm reads other lines", pair.ptx.display());
        }
    }
    println!("compact .debug_line: {after} bytes of {before}");
    assert!(after < before);
}

/// File, line and column of the `.loc` in force at a PTX line, from the text alone.
fn loc_of(text: &[&str], line: usize) -> Option<(u64, u32, u64)> {
    for line in text[..line].iter().rev() {
        let line = line.trim();
        if line == "{" && !line.starts_with(".loc") {
            return None;
        }
        if let Some(rest) = line.strip_prefix(".loc") {
            let mut numbers =
                rest.split([' ', '\t', ',']).filter(|word| !word.is_empty()).map(str::parse::<u64>);
            let mut next = || numbers.next()?.ok();
            let (file, line, column) = (next()?, next()?, next()?);
            return Some((file, line as u32, column));
        }
    }
    None
}

/// Every address whose PTX line is known has file, line and column of the `.loc` above that line.
#[test]
fn full_tables_say_what_the_text_says() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("full");
    let (mut checked, mut columns) = (0, 0);
    for pair in Pair::all() {
        let data = pair.made(&["--line-table", "full"], &output);
        listing(&output);
        let text = std::fs::read_to_string(&pair.ptx).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let parsed = ptx_syntax::parse(&text);
        let paths: std::collections::BTreeMap<u64, &str> =
            parsed.module.files().map(|file| (file.index, file.path)).collect();
        let cubin = Cubin::parse(&data).unwrap();
        let symbolizer = Symbolizer::new(&cubin).unwrap();
        for function in symbolizer.functions() {
            for address in (function.offset..function.offset + function.size).step_by(16) {
                let Some(place) = symbolizer.locate(function.section, address) else { continue };
                let Some(ptx) = place.ptx() else { continue };
                // Code on the line of the `{` comes from no instruction.
                let own = lines[ptx.line as usize - 1].trim();
                if own.ends_with('{') || own.starts_with('{') || own.starts_with('.') {
                    continue;
                }
                let Some((file, line, column)) = loc_of(&lines, ptx.line as usize) else { continue };
                let Some(frame) = place.frames().next() else { panic!("{} has no line", pair.ptx.display()) };
                let TableFileName::Path(path) = frame.file else { panic!("an undeclared file") };
                // Folder and name are apart in the table, whatever stood between them.
                let plain = |path: &str| path.replace(['/', '\\'], "");
                let found = (plain(path), frame.line, frame.column);
                assert_eq!(
                    found,
                    (plain(paths[&file]), line, column),
                    "{} {}+{address:#x}, PTX line {}",
                    pair.ptx.display(),
                    function.name,
                    ptx.line
                );
                checked += 1;
                columns += usize::from(column != 0);
            }
        }
    }
    println!("full tables: {checked} instructions, {columns} with a column");
    assert!(checked > 100 && columns > 100);
}

#[test]
fn paths_are_mapped_in_lines_and_entries() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    let pair = Pair::example("saxpy/saxpy-debug.ptx", "sm_75", "-g");
    let original = pair.made(&[], &output);
    let has = |data: &[u8], text: &str| data.windows(text.len()).any(|window| window == text.as_bytes());
    let old = "/tmp/nvdwarf";
    assert!(has(&original, old), "the example has no such path");
    for new in ["/src", "/a/path/that/is/longer/than/the/old/one", ""] {
        let map = format!("{old}={new}");
        let data =
            pair.made(&["--path-map", "/nothing=/x", "--path-map", &map, "--file-stat", "none"], &output);
        assert!(!has(&data, old) && has(&data, &format!("{new}/saxpy")), "{new}");
        let cubin = Cubin::parse(&data).unwrap();
        let index = cubin.section_by_name(".debug_line").unwrap();
        let bytes = cubin.bytes(index).unwrap();
        let tables = line::decode(".debug_line", &bytes).unwrap();
        for file in &tables[0].files {
            // Times in the directive are kept, the file system is not asked.
            assert_eq!((file.mtime, file.size), (0, 0));
        }
        let paths: Vec<_> =
            (1..=tables[0].files.len() as u64).filter_map(|file| tables[0].path(file)).collect();
        assert!(paths.iter().any(|path| path.starts_with(&format!("{new}/saxpy"))), "{paths:?}");
        // All but the paths is as before: entries, types, places, names.
        let plain = folder.path().join("plain.cubin");
        pair.made(&[], &plain);
        let diff = program().args(["diff", "--only", "entries", "--json"]).arg(&plain).arg(&output).output();
        let document = json::document(&diff.unwrap());
        for difference in document["differences"].as_array().unwrap() {
            let [a, b] =
                ["a", "b"].map(|side| difference[side].as_str().unwrap_or_default().replace(old, new));
            assert_eq!(a, b, "{difference}");
        }
        listing(&output);
    }
}

#[test]
fn the_ptx_text_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    for pair in Pair::all() {
        let data = pair.made(&["--embed-ptx", "no"], &output);
        let cubin = Cubin::parse(&data).unwrap();
        assert!(!cubin.iter().any(|(_, name, _)| name.contains("ptx_txt")), "{}", pair.ptx.display());
        let symbolizer = Symbolizer::new(&cubin).unwrap();
        assert!(symbolizer.functions().iter().any(|function| {
            symbolizer.locate(function.section, function.offset).and_then(|place| place.ptx()).is_some()
        }));
        listing(&output);
    }
}
