//! Repairs together do what they do one after the other.

use std::fs;

use ptx_syntax::check::{CheckContext, check};
use ptx_syntax::fix::{FixSelection, REPAIRS, Repair, fix};
use ptx_syntax::parse;

use crate::shared::{assemble, modules};
use crate::support::{corpus_root, ptxas};
use crate::{fixed, maps};

/// A module whose `.debug_str` has the name of an inlined function between strings of the entries.
/// `names` are the references of two `.loc` to it.
fn module(names: [&str; 2]) -> String {
    let bytes = |text: &str| text.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",") + ",0";
    let [first, second] = names;
    format!(
        ".version 8.0\n.target sm_80, debug\n.address_size 64\n.entry f()\n{{\n.loc 1 2 3\n\
         .loc 1 9 9, function_name {first}, inlined_at 1 2 3\n\
         .loc 1 8 9, function_name {second}, inlined_at 1 2 3\nret;\n}}\n.file 1 \"/old/k.cu\"\n\
         .section .debug_abbrev\n{{\n.b8 1,17,0,3,14,27,14,0,0,0\n}}\n\
         .section .debug_info\n{{\n.b32 16\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n.b32 u\n.b32 .debug_str+6\n}}\n\
         .section .debug_str\n{{\n.b8 {}\n.b8 {} // of the unit\nu:\n.b8 {}\nn: .b8 {},{}\n\t}}\n",
        bytes("clang"),
        bytes("/old/b"),
        bytes("/old/k.cu"),
        bytes("name"),
        bytes("other"),
    )
}

#[test]
fn a_path_map_and_strip_to_lines() {
    let of =
        |repairs: &[Repair]| FixSelection { path_map: maps(&[("/old", "/n")]), ..FixSelection::of(repairs) };
    for (names, stripped) in [
        (["n", "n"], "\nn:\n.b8 110,97,109,101,0\n\t"),
        (["n", "n+5"], "\nn:\n.b8 110,97,109,101,0,111,116,104,101,114,0\n\t"),
        (["n+5", "n+5"], "\nn:\n.b8 111,116,104,101,114,0\n\t"),
        (["u+10", "n+7"], "\nu:\nn:\n.b8 110,97,109,101,0,111,116,104,101,114,0\n\t"),
        ([".debug_str+23", ".debug_str+23"], "\n.b8 110,97,109,101,0\n\t"),
    ] {
        let before = module(names);
        let together = fixed(&before, &of(&[Repair::StripToLines, Repair::PathMap]));
        let map_first = fixed(&fixed(&before, &of(&[Repair::PathMap])), &of(&[Repair::StripToLines]));
        let strip_first = fixed(&fixed(&before, &of(&[Repair::StripToLines])), &of(&[Repair::PathMap]));
        assert_eq!(together, map_first);
        assert_eq!(together, strip_first);
        assert!(together.contains(&format!(".section .debug_str\n{{{stripped}}}")), "{together}");
        let fixes = of(&[]);
        let context = CheckContext { path_map: &fixes.path_map, ..CheckContext::default() };
        let report = check(&parse(&together), &context);
        assert!(report.findings.iter().all(|finding| !["F016", "L010"].contains(&finding.rule.code)));
        if let Some(ptxas) = ptxas() {
            let said = assemble(&ptxas, &together, &["-lineinfo"]);
            assert!(said.is_ok(), "{said:?} {together}");
        }
    }
    // A label of another section stands for its offset in `.debug_str`, which stays as it is.
    let elsewhere = module(["o", "n"]) + ".section .debug_x\n{\n.b8 0,0,0\no:\n.b8 0\n}\n";
    let stripped = fixed(&elsewhere, &of(&[Repair::StripToLines]));
    let kept = &elsewhere[elsewhere.find(".section .debug_str").unwrap()..];
    assert!(stripped.ends_with(kept), "{stripped}");
    let only_elsewhere = fixed(&elsewhere.replace(" n,", " o,"), &of(&[Repair::StripToLines]));
    assert!(only_elsewhere.ends_with(kept), "{only_elsewhere}");
    if let Some(ptxas) = ptxas() {
        assert!(assemble(&ptxas, &only_elsewhere, &["-lineinfo"]).is_ok());
    }
    let renamed = fixed(&module(["n+5", "n+7"]), &of(&[Repair::StripToLines]));
    assert!(renamed.contains("function_name n+0,") && renamed.contains("function_name n+2,"), "{renamed}");
}

/// Whether one of the repairs removes `debug` from `.target`; those that add it have no effect
/// beside it.
fn takes_debug_out(repairs: &[Repair]) -> bool {
    let takes_out = [Repair::StripAll, Repair::StripToLines, Repair::RemoveDebug];
    repairs.iter().any(|repair| takes_out.contains(repair))
}

/// The modules of `../shared` and a sample of the corpus, all of it with `NVDWARF_ALL=1`.
fn texts() -> Vec<(String, String)> {
    let mut texts = modules();
    let step = if std::env::var_os("NVDWARF_ALL").is_some() { 1 } else { 29 };
    for path in corpus_root::files("ptx").into_iter().step_by(step) {
        let text = fs::read_to_string(&path).unwrap();
        if text.len() < LARGEST {
            texts.push((path.display().to_string(), text));
        }
    }
    texts
}

/// Makes repairs one after the other, until none changes anything.
fn in_turn(mut text: String, repairs: &[Repair], fixes: impl Fn(Repair) -> FixSelection) -> String {
    loop {
        let after = repairs.iter().fold(text.clone(), |text, repair| fix(&text, &fixes(*repair)).text);
        if after == text {
            return text;
        }
        text = after;
    }
}

const LARGEST: usize = 100_000;

/// Any two repairs, and all, give together what they give one after the other in the order of the
/// table.
#[test]
fn repairs_together_and_one_after_the_other() {
    let mut tried = 0;
    for (name, text) in texts() {
        let parsed = parse(&text);
        let path = parsed.module.files().next().map_or("/k.cu", |file| file.path);
        let folder = path.rsplit_once('/').map_or(path, |(folder, _)| folder);
        let of = |repairs: &[Repair]| FixSelection {
            path_map: maps(&[(folder, "/n")]),
            ..FixSelection::of(repairs)
        };
        let alone: Vec<(Repair, String)> = REPAIRS
            .iter()
            .map(|info| (info.repair, fix(&text, &of(&[info.repair])).text))
            .filter(|(_, after)| *after != text)
            .collect();
        for (at, (first, after)) in alone.iter().enumerate() {
            for (second, _) in &alone[at + 1..] {
                let both = [*first, *second];
                if both.iter().any(|r| [Repair::AddDebug, Repair::AddSection].contains(r))
                    && takes_debug_out(&both)
                {
                    continue;
                }
                tried += 1;
                let sequence = in_turn(after.clone(), &[both[1], both[0]], |repair| of(&[repair]));
                assert_eq!(fix(&text, &of(&both)).text, sequence, "{both:?} on {name}");
            }
        }
        let all: Vec<Repair> = REPAIRS.iter().map(|info| info.repair).skip(1).collect();
        let all: Vec<Repair> =
            all.into_iter().filter(|r| ![Repair::AddDebug, Repair::AddSection].contains(r)).collect();
        let together = fixed(&text, &of(&all));
        let sequence = in_turn(text.clone(), &all, |repair| of(&[repair]));
        assert_eq!(together, sequence, "{name}");
    }
    eprintln!("{tried} pairs");
}
