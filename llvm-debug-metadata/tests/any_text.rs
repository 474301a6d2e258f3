//! Any text is read without a panic, and in time that grows with its length.
#![allow(clippy::print_stdout, reason = "says how much was tried")]

mod support;

use llvm_debug_metadata::check::check;
use llvm_debug_metadata::debugify::{DebugifyOptions, FunctionScope, check_debugify, debugify};
use llvm_debug_metadata::fix::{REPAIRS, Repair, fix};
use llvm_debug_metadata::modes::ModuleModes;
use llvm_debug_metadata::statement::Statements;
use llvm_debug_metadata::strip::{Declares, STRIP_PASSES, strip};
use llvm_debug_metadata::{Module, Node, Types, equal_nodes};
use proptest::prelude::{ProptestConfig, any, proptest};
use std::env;
use std::fmt::Write;
use std::time::{Duration, Instant};
use support::data;

/// Does everything that can be done with a text; whether it was without errors.
fn all_of(text: &str) -> bool {
    let module = Module::parse(text);
    for error in module.errors() {
        assert!(error.range.start <= error.range.end && error.range.end as usize <= text.len());
        assert!(text.is_char_boundary(error.range.start as usize));
        assert!(text.is_char_boundary(error.range.end as usize));
    }
    for definition in module.nodes() {
        _ = Node::read(&module, definition.body);
    }
    _ = (ModuleModes::read(&module), equal_nodes(&module));
    let types = Types::new(&module);
    for body in module.functions().filter_map(|function| function.body) {
        let mut statements = Statements::new(text, body);
        while let Some(statement) = statements.next_statement() {
            _ = (statement.attachments().count(), statement.opcode(), statement.debug_intrinsic());
            _ = types.result(&statement).map(|result| types.allocated_bits(&result));
        }
    }
    for pass in STRIP_PASSES {
        for declares in [Declares::AsLlvm, Declares::Remove] {
            if let Ok(stripped) = strip(&module, pass, declares) {
                assert!(
                    Module::parse(&stripped.text).errors().is_empty(),
                    "{}: {}\n=== of {text}",
                    pass.name(),
                    stripped.text
                );
            }
        }
    }
    let options = DebugifyOptions { function_limit: 9, ..DebugifyOptions::new("m") };
    if let Ok(made) = debugify(&module, options) {
        assert!(Module::parse(&made.text).errors().is_empty(), "{text}\n=== {}", made.text);
        _ = check_debugify(&Module::parse(&made.text), FunctionScope::Module);
    }
    _ = check_debugify(&module, FunctionScope::Module);
    for finding in &check(&module).findings {
        let range = finding.range;
        assert!(range.start <= range.end && range.end as usize <= text.len(), "{}", finding.message);
        assert!(text.is_char_boundary(range.start as usize) && text.is_char_boundary(range.end as usize));
    }
    let repairs: Vec<Repair> = REPAIRS.iter().map(|info| info.repair).collect();
    assert!(Module::parse(&fix(text, &repairs).text).errors().len() <= module.errors().len(), "{text}");
    module.errors().is_empty()
}

/// Drops, repeats or swaps lines, or tokens: the parts that end where `ends` holds.
fn change_parts(text: &mut Vec<u8>, random: &mut fastrand::Rng, ends: impl Fn(u8) -> bool) {
    let mut parts: Vec<&[u8]> = text.split_inclusive(|byte| ends(*byte)).collect();
    if parts.is_empty() {
        return;
    }
    let (one, other) = (random.usize(..parts.len()), random.usize(..parts.len()));
    match random.u8(..3) {
        0 => drop(parts.remove(one)),
        1 => parts.insert(other, parts[one]),
        _ => parts.swap(one, other),
    }
    *text = parts.concat();
}

/// Modules that are damaged: bytes changed, parts cut out, repeated, put elsewhere.
#[test]
fn damaged_modules() {
    const MODULES: [&str; 12] = [
        "names.ll",
        "loops.ll",
        "types.ll",
        "old_dialect.ll",
        "dead.ll",
        "every_kind.ll",
        "odd_names.ll",
        "modes/typed.ll",
        "modes/modern.ll",
        "knobs/lossy.ll",
        "check/typed.ll",
        "check/modern.ll",
    ];
    const PIECES: [&str; 16] = [
        "!0",
        "!{",
        "}",
        "(",
        ")",
        "\"",
        "distinct ",
        "!DILocation(",
        "\n",
        "!7 = ",
        "define ",
        ", !dbg ",
        "%",
        "#0",
        ";",
        "null",
    ];
    let count = env::var("NVDWARF_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(2000);
    let seed = env::var("NVDWARF_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(27);
    let mut random = fastrand::Rng::with_seed(seed);
    let modules: Vec<Vec<u8>> = MODULES.iter().map(|name| data(name).into_bytes()).collect();
    let mut sound = 0;
    for _ in 0..count {
        let mut text = modules[random.usize(..modules.len())].clone();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..text.len().max(1)).min(text.len().saturating_sub(1));
            if text.is_empty() {
                break;
            }
            let end = (at + random.usize(1..60)).min(text.len());
            match random.u8(..9) {
                0 => text[at] = random.u8(32..127),
                1 => drop(text.drain(at..end)),
                2 => {
                    let piece: Vec<u8> = text[at..end].to_vec();
                    let to = random.usize(..text.len());
                    text.splice(to..to, piece);
                }
                3 => drop(text.splice(at..at, PIECES[random.usize(..PIECES.len())].bytes())),
                4 => {
                    // Another number, which is where references break.
                    let digit = text[at..].iter().position(u8::is_ascii_digit);
                    if let Some(digit) = digit {
                        text[at + digit] = random.u8(b'0'..=b'9');
                    }
                }
                5 => text.truncate(at.max(1)),
                6 => change_parts(&mut text, &mut random, |byte| byte == b'\n'),
                _ => change_parts(&mut text, &mut random, |byte| !byte.is_ascii_alphanumeric()),
            }
        }
        sound += usize::from(all_of(&String::from_utf8_lossy(&text)));
    }
    println!("{count} damaged modules, {sound} of them without syntax errors");
    assert!(sound > count / 20, "{sound} of {count} are read without errors");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text(text in "[ -~\n]{0,200}") {
        all_of(&text);
    }

    #[test]
    fn random_unicode(text in any::<String>()) {
        all_of(&text);
    }

    #[test]
    fn random_pieces(pieces in proptest::collection::vec(0_usize..24, 0..60)) {
        const PIECES: [&str; 24] = [
            "!0 = ", "!1 = ", "distinct ", "!{", "}", "!0", "!1", ", ", "\n", "!DISubprogram(", "unit: ", ")", "!llvm.dbg.cu = ",
            "define void @f() ", "{\n", "  ret void", ", !dbg ", "!DICompileUnit(", "scope: ", "%x = ", "call ", "entry:", "\"s\"",
            ", !llvm.loop ",
        ];
        all_of(&pieces.iter().map(|piece| PIECES[*piece]).collect::<String>());
    }
}

/// Texts that repeat what takes long if it is done badly.
#[test]
fn time_grows_with_the_length() {
    let deep = |count: usize| {
        let mut text =
            "define void @f() {\n  ret void, !dbg !0, !llvm.loop !0\n}\n!llvm.dbg.cu = !{!0}\n".to_owned();
        for number in 0..count {
            let _ = writeln!(text, "!{number} = !{{!{number}, !{}}}", number + 1);
        }
        text + &format!("!{count} = !{{}}\n")
    };
    let wide = |count: usize| {
        let scopes: Vec<String> = (0..count).map(|at| format!("!{} = distinct !{{!0}}", at + 1)).collect();
        let all: Vec<String> = (0..count).map(|at| format!("!{}", at + 1)).collect();
        format!("!llvm.dbg.cu = !{{!0}}\n!0 = !{{{}}}\n{}\n", all.join(", "), scopes.join("\n"))
    };
    let make: [(&str, &dyn Fn(usize) -> String); 9] = [
        ("deep nodes", &deep),
        ("wide nodes", &wide),
        ("brackets", &|count| "(".repeat(count)),
        ("quotes", &|count| "\"a\n".repeat(count)),
        ("lines", &|count| "!a\n".repeat(count)),
        ("attachments", &|count| format!("define void @f() {{\n  ret void{}\n}}\n", ", !dbg ".repeat(count))),
        ("names", &|count| {
            format!("define void @f() {{\n{}\n  ret void\n}}\n", "  %x = add i32 %x, 1\n".repeat(count))
        }),
        ("functions", &|count| "declare void @f()\n".repeat(count)),
        ("inline nodes", &|count| format!("!0 = {}{}\n", "!{".repeat(count), "}".repeat(count))),
    ];
    for (name, make) in make {
        let time = |count: usize| {
            let text = make(count);
            let start = Instant::now();
            all_of(&text);
            start.elapsed()
        };
        let (short, long) = (time(5_000), time(50_000));
        let bound = short.max(Duration::from_millis(20)) * 40;
        assert!(long < bound, "{name}: {short:?} for 5,000, {long:?} for 50,000");
    }
}
