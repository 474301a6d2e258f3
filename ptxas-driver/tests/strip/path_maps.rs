//! `strip --path-map`: other paths, and nothing else; the same as `compile` and `check` make of
//! them.

use super::{findings, folder_with, listing, ok, run, sample};
use crate::support;
use crate::support::driver::{messages, program};
use crate::support::oracle;
use nv_debug_sections::cubin::Cubin;
use std::fs;
use std::process::Command;

/// `--path-map` changes paths and nothing else, whatever their length, and back again: to the same
/// bytes where no string has moved.
#[test]
fn paths_are_mapped_and_nothing_else() {
    let (mut mapped, mut back) = (0, 0);
    for entry in sample(|entry| entry.mode != "none") {
        let folder = folder_with(entry.cubin.as_ref().unwrap());
        let folder = folder.path();
        let lines = listing(folder, "k.cubin");
        // A folder that the table has.
        let Some(at) = lines.find("\"file\":\"/") else { continue };
        let path = &lines[at + 8..];
        let path = &path[..path.find('"').unwrap()];
        let old = &path[..path.rfind('/').unwrap()];
        // What JSON escapes is not what the command line takes.
        if old.is_empty() || path.contains('\\') {
            continue;
        }
        for new in ["/s", "/another/folder/that/is/longer/than/the/one/that/it/takes/the/place/of"] {
            let map = format!("{old}={new}");
            ok(folder, &["strip", "--path-map", &map, "k.cubin", "-o", "new.cubin"]);
            let want = lines.replace(&format!("\"{old}/"), &format!("\"{new}/"));
            assert_eq!(listing(folder, "new.cubin"), want, "{entry:?}");
            assert_eq!(findings(folder, "new.cubin"), findings(folder, "k.cubin"), "{entry:?}");
            let [before, after] = ["k.cubin", "new.cubin"].map(|file| fs::read(folder.join(file)).unwrap());
            let code = |bytes: &[u8]| {
                let cubin = Cubin::parse(bytes).unwrap();
                let code = cubin.iter().filter(|(_, name, _)| name.starts_with(".text"));
                code.map(|(index, ..)| cubin.bytes(index).unwrap().into_owned()).collect::<Vec<_>>()
            };
            assert_eq!(code(&before), code(&after));
            ok(folder, &["strip", "--path-map", &format!("{new}={old}"), "new.cubin", "-o", "old.cubin"]);
            mapped += 1;
            back += usize::from(fs::read(folder.join("old.cubin")).unwrap() == before);
        }
    }
    println!("{mapped} mapped, {back} the same bytes after the way back");
    assert!(mapped >= 10 && back * 10 >= mapped * 8, "{mapped} {back}");
}

/// Report 75: no path of the building machine is left but in the PTX text, and that is said.
#[test]
fn the_path_map_of_the_report() {
    let Some(bug) = support::bug("75") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for options in [
        "-arch=sm_86 -g",
        "-arch=sm_90 -g",
        "-arch=sm_100 -g",
        "-arch=sm_120 -g",
        "-arch=sm_90 -c -g",
        "-arch=sm_100 -c -lineinfo",
    ] {
        let Some(ptxas) = oracle::tool("ptxas") else { return };
        let cubin = folder.join("o.cubin");
        let args = options.split(' ').map(str::to_owned);
        let input = bug.join("fir.ptx").display().to_string();
        let run_ptxas = Command::new(ptxas).args(args).args([&input, "-o"]).arg(&cubin).status().unwrap();
        assert!(run_ptxas.success());
        for new in ["/src", "/a/much/longer/folder/than/before"] {
            let map = format!("/build/agent-7/ws={new}");
            let output = run(folder, &["strip", "--path-map", &map, "o.cubin", "-o", "m.cubin"]);
            assert!(output.status.success(), "{}", messages(&output));
            for line in messages(&output).lines() {
                assert!(line.starts_with("note: o.cubin: .nv_debug_ptx_txt"), "{options}: {line}");
            }
            assert_eq!(findings(folder, "m.cubin"), findings(folder, "o.cubin"), "{options}");
            let lines = listing(folder, "m.cubin");
            assert!(
                lines.contains(&format!("\"{new}/src/fir.cu\"")) && !lines.contains("agent-7"),
                "{lines}"
            );
            if options.ends_with("-g") {
                let dump =
                    String::from_utf8(ok(folder, &["dump", "m.cubin", "--section", ".debug_info"])).unwrap();
                let name = format!("DW_AT_name: \"{new}/src/fir.cu\"");
                let folder_name = format!("DW_AT_comp_dir: \"{new}\"");
                assert!(dump.contains(&name) && dump.contains(&folder_name), "{options}: {dump}");
                let length = 106 + 2 * new.len() - 2 * "/build/agent-7/ws".len();
                assert!(dump.contains(&format!("{:#x} bytes)", length + 4)), "{dump}");
            }
        }
    }
}

/// Names of units in `.debug_str`: the first string, and one that is the end of another or becomes
/// it.
#[test]
fn paths_in_the_strings_of_units_are_mapped() {
    const MODULE: &str = ".version 8.0\n.target sm_86, debug\n.address_size 64\n.file 1 \"/src/k.cu\"\n\
        .visible .entry k() {\n.loc 1 3 0\nret;\n}\n\
        .section .debug_abbrev {\n.b8 1,17,0,3,14,27,14,16,6,0,0,0\n}\n\
        .section .debug_info {\n.b32 20\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8,1\n\
        .b32 .debug_str+0\n.b32 .debug_str+10\n.b32 .debug_line\n}\n\
        .section .debug_str {\n.b8 47,115,114,99,47,107,46,99,117,0,47,115,114,99,0\n}\n";
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("k.ptx"), MODULE).unwrap();
    for options in ["-arch=sm_86", "-arch=sm_90", "-arch=sm_120", "-arch=sm_86 -c", "-arch=sm_100 -c"] {
        let (chip, more) = options.split_once(' ').unwrap_or((options, ""));
        let text = MODULE.replace("sm_86", &chip[6..]).replace(".version 8.0", ".version 8.7");
        fs::write(folder.join("k.ptx"), text).unwrap();
        let args = [chip, "-g"].into_iter().chain(more.split_whitespace());
        let run_ptxas = Command::new(&ptxas)
            .current_dir(folder)
            .args(args)
            .args(["k.ptx", "-o", "k.cubin"])
            .status()
            .unwrap();
        assert!(run_ptxas.success(), "{options}");
        for new in ["/s", "/longer", "/b/src", "/src/src"] {
            let map = format!("/src={new}");
            let output = run(folder, &["strip", "--path-map", &map, "k.cubin", "-o", "m.cubin"]);
            assert_eq!((output.status.code(), &*messages(&output)), (Some(0), ""), "{options} {new}");
            for section in [".debug_info", ".nv.merc.debug_info"] {
                let dump = ["dump", "m.cubin", "--section", section];
                if section != ".debug_info" && !["sm_100", "sm_120"].contains(&&chip[6..]) {
                    continue;
                }
                let dump = String::from_utf8(ok(folder, &dump)).unwrap();
                for line in [format!("DW_AT_name: \"{new}/k.cu\""), format!("DW_AT_comp_dir: \"{new}\"")] {
                    assert!(dump.contains(&line), "{options} {new} {section}: {line}: {dump}");
                }
            }
            assert_eq!(findings(folder, "m.cubin"), findings(folder, "k.cubin"), "{options} {new}");
        }
    }
}

/// A map whose NEW begins with its OLD maps a path once, whatever runs it: what is inside NEW is
/// mapped already. `strip`, `compile` and the repair of `check` write the same paths.
#[test]
fn a_path_is_mapped_once_by_all_commands() {
    let (Some(bug), Some(ptxas)) = (support::bug("75"), oracle::tool("ptxas")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = fs::read_to_string(bug.join("fir.ptx")).unwrap();
    fs::write(folder.join("k.ptx"), &text).unwrap();
    let mut made = Command::new(&ptxas);
    made.current_dir(folder).args(["-arch=sm_86", "-g", "k.ptx", "-o", "k.cubin"]);
    assert!(made.status().unwrap().success());
    let old = "/build/agent-7/ws";
    for (maps, paths) in [
        (&[(old, "/build/agent-7/ws/x")][..], "/build/agent-7/ws/x"),
        (&[(old, "/build")], "/build"),
        (&[("/build/agent-7", "/build/agent-7/ws")], "/build/agent-7/ws"),
        (&[("/build/agent", "/build/agent-7")], "/build/agent-7/ws"),
        (&[(old, "/a"), ("/a", "/a/b")], "/a/b"),
        (&[("/build", "/src"), ("/src", "/build")], old),
    ] {
        let options: Vec<String> =
            maps.iter().flat_map(|(old, new)| ["--path-map".to_owned(), format!("{old}={new}")]).collect();
        let with = |command: &[&'static str]| {
            let args: Vec<&str> = command.iter().copied().chain(options.iter().map(String::as_str)).collect();
            let output = program().env("PTXAS", &ptxas).current_dir(folder).args(args).output().unwrap();
            (output.status.code(), messages(&output))
        };
        let paths_of = |cubin: &str| {
            let dump = String::from_utf8(ok(folder, &["dump", cubin, "--section", ".debug_info"])).unwrap();
            let is_path =
                |line: &&str| line.contains("/build/") || line.contains("/a/") || line.contains("comp_dir");
            let shown = dump.lines().filter(is_path).map(|line| line.split_once('"').unwrap().1.to_owned());
            (
                shown.collect::<Vec<_>>(),
                listing(folder, cubin).matches(&format!("\"{paths}/src/fir.cu\"")).count(),
            )
        };
        with(&["strip", "k.cubin", "-o", "once.cubin"]);
        with(&["strip", "once.cubin", "-o", "twice.cubin"]);
        let once = fs::read(folder.join("once.cubin")).unwrap();
        assert!(once == fs::read(folder.join("twice.cubin")).unwrap(), "{maps:?}");
        let stripped = paths_of("once.cubin");
        assert_eq!(stripped.0, [format!("{paths}/src/fir.cu\""), format!("{paths}\"")], "{maps:?}");
        assert!(stripped.1 > 0, "{maps:?}");

        assert_eq!(with(&["compile", "-g", "-arch", "sm_86", "k.ptx", "-o", "compiled.cubin"]).0, Some(0));
        assert_eq!(paths_of("compiled.cubin"), stripped, "{maps:?}");

        fs::write(folder.join("fixed.ptx"), &text).unwrap();
        let (_, said) = with(&["check", "--no-sources", "--no-notes", "--fix=path-map", "fixed.ptx"]);
        assert!(!said.contains("F016"), "{maps:?}: {said}");
        let repaired = fs::read_to_string(folder.join("fixed.ptx")).unwrap();
        with(&["check", "--no-sources", "--no-notes", "--fix=path-map", "fixed.ptx"]);
        assert_eq!(fs::read_to_string(folder.join("fixed.ptx")).unwrap(), repaired);
        assert_eq!(
            with(&["compile", "-g", "-arch", "sm_86", "fixed.ptx", "-o", "compiled.cubin"]).0,
            Some(0)
        );
        assert_eq!(paths_of("compiled.cubin"), stripped, "{maps:?}");
    }
}
