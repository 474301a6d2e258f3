//! Asks libNVVM, cicc and ptxas 13.0.88.

use crate::libnvvm::{libnvvm, toolkit};
use crate::{Blocks, Case, MEASURED, assert_same, cases, cicc_line, ptx_line, ptxas_lines};
use llvm_debug_metadata::IrDialect;
use llvm_debug_metadata::modes::{
    COMPILER_OPTIONS, DebugTables, OPTIMIZATION_LEVELS, PtxContents, PtxasOption, PtxasRun,
};
use object::{Object as _, ObjectSection as _};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

#[test]
fn the_tools_do_what_was_measured() {
    let Some(toolkit) = toolkit() else { return };
    let folder = tempfile::tempdir().unwrap();
    let tools = Tools { toolkit, folder: folder.path().to_owned(), runs: RefCell::default() };
    let mut blocks = Blocks::default();
    let mut text: String = cases().iter().map(|case| blocks.block(&case.name, tools.answer(case))).collect();
    for architecture in ["compute_90", "compute_100"] {
        for option in &COMPILER_OPTIONS {
            text +=
                &cicc_line(architecture, option.options, contents(&tools.cicc(architecture, option.options)));
        }
    }
    if env::var_os("BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/modes/measured.txt");
        fs::write(path, text).unwrap();
    } else {
        assert_same("the tools", &text, MEASURED);
    }
}

struct Tools {
    toolkit: PathBuf,
    folder: PathBuf,
    /// What ptxas did with each PTX: many modules have the same.
    runs: RefCell<HashMap<String, String>>,
}

impl Tools {
    fn answer(&self, case: &Case) -> String {
        let architecture = if case.is_modern { "sm_100" } else { "sm_90" };
        let ptx = self.ptx(case, &[]);
        if case.has_options {
            for level in ["-opt=0", "-opt=3"] {
                let plain = self.ptx(case, &[level]);
                assert_eq!(contents(&plain), contents(&ptx), "{}: {level}", case.name);
                for options in [&["-g"][..], &["-generate-line-info"], &["-g", "-generate-line-info"]] {
                    let options = [&[level][..], options].concat();
                    let with_options = self.ptx(case, &options);
                    assert_eq!(with_options, plain, "{}: {options:?} changes the PTX", case.name);
                }
            }
        }
        let of_option =
            |option| OPTIMIZATION_LEVELS.map(|level| self.ptxas(&ptx, architecture, option, level));
        let ask = || ptxas_lines(&PtxasOption::ALL.into_iter().flat_map(of_option).collect::<Vec<_>>());
        let mut runs = self.runs.borrow_mut();
        let lines = runs.entry(ptx.clone()).or_insert_with(ask);
        format!("{}{lines}", ptx_line(contents(&ptx)))
    }

    fn ptx(&self, case: &Case, options: &[&str]) -> String {
        let file = self.folder.join("module.ll");
        fs::write(&file, &case.text).unwrap();
        let dialect = if case.is_modern { IrDialect::OpaquePointers } else { IrDialect::TypedPointers };
        let output = libnvvm(&self.toolkit, &file, dialect).args(options).output().unwrap();
        assert!(output.status.success(), "{}: {output:?}", case.name);
        assert!(output.stderr.is_empty(), "{}: {output:?}", case.name);
        String::from_utf8(output.stdout).unwrap()
    }

    fn ptxas(&self, ptx: &str, architecture: &str, option: PtxasOption, level: Option<u8>) -> PtxasRun {
        let (file, cubin) = (self.folder.join("module.ptx"), self.folder.join("module.cubin"));
        fs::write(&file, ptx).unwrap();
        let _ = fs::remove_file(&cubin);
        let mut command = Command::new(self.toolkit.join("bin/ptxas"));
        command.args(["-arch", architecture]).arg(&file).arg("-o").arg(&cubin);
        command.args(option.text().split_whitespace()).args(level.map(|level| format!("-O{level}")));
        let output = command.output().unwrap();
        let tables = output.status.success().then(|| tables(&fs::read(&cubin).unwrap()));
        PtxasRun { options: option.text(), level, tables, messages: messages(&output) }
    }

    fn cicc(&self, architecture: &str, options: &str) -> String {
        let (source, ptx) = (self.folder.join("k.cpp1.ii"), self.folder.join("k.ptx"));
        let text = "__attribute__((device)) static int callee(int v) { return v * v + 1; }\n\
            __attribute__((global)) void k(int *out, int a) { out[0] = callee(a + 7); }\n";
        fs::write(&source, text).unwrap();
        let mut command = Command::new(self.toolkit.join("nvvm/bin/cicc"));
        command.current_dir(&self.folder).args([
            "--c++17",
            "--static-host-stub",
            "--orig_src_file_name",
            "k.cu",
        ]);
        command.args(["--allow_managed", "-arch", architecture, "-m64", "-tused"]);
        let output =
            command.args(options.split_whitespace()).arg(&source).arg("-o").arg(&ptx).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(&ptx).unwrap()
    }
}

/// The messages of ptxas without its name and their severity.
fn messages(output: &Output) -> Vec<&'static str> {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let message = |line: &str| line.split_once(':').map(|(_, words)| words.trim().to_owned());
    // A test program may leak a few lines: the type of `PtxasRun` is that of a table.
    text.lines().filter_map(message).map(|words| &*words.leak()).collect()
}

/// The debug information in a PTX.
fn contents(ptx: &str) -> PtxContents {
    let count = |part: &str| ptx.lines().filter(|line| line.trim_start().starts_with(part)).count();
    let section = |name: &str| {
        let is_section = |line: &&str| line.trim_start().starts_with(".section");
        ptx.lines().filter(is_section).filter(|line| line.split_whitespace().nth(1) == Some(name)).count()
    };
    let found = PtxContents {
        target_debug: ptx.lines().any(|line| line.starts_with(".target") && line.ends_with(", debug")),
        loc: count(".loc") > 0,
        inlined_at: ptx.contains("inlined_at"),
        dwarf_sections: section(".debug_info") > 0,
        public_names_sections: section(".debug_pubnames"),
        ..PtxContents::default()
    };
    assert_eq!(found.loc, count(".file") > 0, "{ptx}");
    assert_eq!(found.inlined_at, section(".debug_str") > 0, "{ptx}");
    assert_eq!(found.dwarf_sections, section(".debug_abbrev") > 0, "{ptx}");
    assert_eq!(found.public_names_sections, section(".debug_pubtypes"), "{ptx}");
    found
}

/// The debug tables of a cubin.
fn tables(cubin: &[u8]) -> DebugTables {
    let file = object::File::parse(cubin).unwrap();
    let has = |name: &str| file.sections().any(|section| section.name() == Ok(name));
    match (has(".debug_info"), has(".nv_debug_info_reg_sass"), has(".debug_line")) {
        (true, true, true) => DebugTables::Full,
        (false, true, true) => DebugTables::Registers,
        (false, false, true) => DebugTables::Lines,
        (false, false, false) => DebugTables::None,
        other => panic!("{other:?}"),
    }
}
