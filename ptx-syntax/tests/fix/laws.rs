//! Laws that hold for any text at all, on made-up and on damaged modules.

use proptest::prelude::*;
use ptx_syntax::fix::{FixSelection, REPAIRS, Repair};

use crate::{fixed, maps};

/// A module with something for every repair.
const SEED: &str = concat!(
    r#"// café
.version 3.0
.target sm_30, debug
.address_size 64
.file 1 "a.cu"
.file 1 "é.cu", 0, 6
.file 5 "a.cu"
.file 70000 "b.cu"
.file 6 "/src" "c.cu" md5 0x0123456789abcdef0123456789abcdef
.global .align 1 .b8 __func___$_k[2], dotted.name;
.visible .entry k(.param .u64 p)
{
	.file 2 "in.cu"
	.loc 1 10 3
	.loc 1 10 3 // again
	.loc_intermediate 5 1 3
	ret;
	{ .loc 5 9 3, function_name name+1, inlined_at 1 10 3
	.loc 5 9 3, function_name name+1, inlined_at 1 10 4
	.section .debug_loc { .b8 1 }
	ret; }
}
.nv_intermediate_source_section { .code_block { .ir_name: "ir" .sourceFileName: 1
.source_begin
a b
.source_end
} }
.section .debug_str { name: .b8 65, 0 }
.section .debug_info
{
.b32 end-begin
begin: .b16 -1, 0x10, 017U
.b64 1, -5, 0x123456789abcdef0, 7
.b64 __func__.k
.b8 end-begin
.b8 -0
.b32 name
.b32 name
end:
}
"#,
    "\0"
);

/// Every repair alone, the defaults, and all that go together.
fn laws(text: &str) {
    for info in &REPAIRS {
        fixed(text, &FixSelection { path_map: maps(&[("a", "ab")]), ..FixSelection::of(&[info.repair]) });
    }
    fixed(text, &FixSelection::default());
    let all: Vec<Repair> = REPAIRS.iter().map(|info| info.repair).collect();
    let [_, _, rest @ ..] = &*all else { return };
    for repairs in [&all, rest] {
        let path_map = maps(&[("a", ""), ("b", "c")]);
        fixed(text, &FixSelection { path_map, ..FixSelection::of(repairs) });
    }
}

/// Words that mean something to repairs, so that random order reaches their corners.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        "@@DWARF .section .byte { } , ; : - + // /* */ # \r \t \u{feff} \u{e9} \0 a a.b %r1.x _$_ 0 -0 070 65536 4294967296 -5 \
         99999999999999999999 .b8 .b16 .b32 .b64 .quad .section .debug_info .loc .file .version 7.0 .target sm_90 debug .global \
         .func .entry function_name inlined_at ret; \"x\" \" a: b-a WARP_SZ .debug_str"
            .split(' ')
            .collect::<Vec<_>>(),
    );
    let gap = prop::sample::select(vec!["", " ", "\n", "\r\n"]);
    prop::collection::vec((word, gap), 0..60)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

/// Directives with small numbers, so that indices and labels meet.
fn directives() -> impl Strategy<Value = String> {
    let index = || prop_oneof![0_u32..6, Just(65_536), Just(70_000)];
    let loc = |(file, line, at)| {
        format!(".loc {file} {line} 0\n.loc {at} {line} 0, function_name n, inlined_at {file} {line} 0\n")
    };
    let piece = prop_oneof![
        (index(), 0..3).prop_map(|(index, path)| format!(".file {index} \"{path}\"\n")),
        (index(), 0..3).prop_map(|(index, time)| format!(".file {index} \"a\", {time}, 7\n")),
        prop::collection::vec((index(), 1..3, index()), 0..5).prop_map(move |locs| {
            format!(".func f() {{\n{}ret; }}\n", locs.into_iter().map(loc).collect::<String>())
        }),
        (0..4, -300_i64..300, any::<i64>()).prop_map(|(label, small, large)| {
            let wide = large as u64;
            format!(
                ".section .debug_x {{\nl{label}: .b8 {small}, 1 .b64 {large}, {small}, {wide}\n.b16 l0-l1\n.b64 l{label}-l2 }}\n"
            )
        }),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn any_string(text in any::<String>()) {
        laws(&text);
    }

    #[test]
    fn any_words(text in words()) {
        laws(&text);
        laws(&format!(".version 8.0\n.target sm_90, debug\n.func f() {{ {text}"));
        laws(&format!(".version 7.0\n.target sm_90\n.section .debug_info {{ {text}"));
    }

    #[test]
    fn any_directives(text in directives(), version in 69_u32..76) {
        laws(&format!(".version {}.{}\n.target sm_70, debug\n{text}", version / 10, version % 10));
    }

    #[test]
    fn damaged_module(at in 0..SEED.len(), length in 0_usize..40, instead in words()) {
        let end = (at + length).min(SEED.len());
        if SEED.is_char_boundary(at) && SEED.is_char_boundary(end) {
            laws(&format!("{}{instead}{}", &SEED[..at], &SEED[end..]));
            laws(&SEED[..at]);
        }
    }
}

/// Inputs that would be quadratic if any repair searched without bound. A quadratic one needs
/// hours.
#[test]
fn hostile_repetition_is_linear() {
    for piece in [
        "a.b.",
        " a.b;",
        ".loc 1 1 1 ",
        ".file 1 \"a\"\n",
        ".file 1 \"a\" ",
        "{ .file 1 \"a\" }",
        "/*\u{e9}*/",
        ".b64 -1,",
        "-1,",
        ".b32 a-a ",
        "a: ",
        ".func f() { .file 0 \"\" }",
        "} .section .x {",
        "}\n.func f() {",
    ] {
        for head in [
            "",
            ".version 7.0\n.target sm_70, debug\n.func f() {\n",
            ".version 7.0\n.target sm_70\n.section .x {\n .b64 1,",
        ] {
            fixed(&(head.to_owned() + &piece.repeat(300_000 / piece.len())), &FixSelection::default());
        }
    }
}

#[test]
fn the_seed_has_work_for_the_defaults() {
    let applied = ptx_syntax::fix::fix(SEED, &FixSelection::default()).applied;
    for info in REPAIRS.iter().filter(|info| info.default && info.repair != Repair::DropDebugWithoutSection) {
        assert!(applied.iter().any(|&(repair, _)| repair == info.repair), "{} not in {applied:?}", info.name);
    }
    laws(SEED);
}
