//! Laws that hold for any text at all, on made-up and on damaged modules.
#![allow(clippy::unwrap_used)] // helpers outside `#[test]` functions; a panic is a test's way to fail

use proptest::prelude::*;
use ptx_syntax::{
    Item, MAX_ERRORS, MAX_NESTING, SectionBlock, Statement, SyntaxErrorKind, parse, section_data, tokenize,
};

const SEED: &str = r#"// a module with one of each
.version 8.0
.target sm_90, debug
.address_size 64
.file 1 "a.cu", 5, 6
.global .align 4 .b8 data[2][3] = {1, {2, 3}, 4}, more;
.extern .func (.param .b32 r) f (.param .align 8 .b8 a[16], .param .b64 .ptr .global .align 4 b) .noreturn;
.visible .entry k(.param .u64 p) .maxntid 128, 1, 1
{
	.reg .pred %p<3>; .reg .b32 %r<5>;
	.loc 1 10 3
	/* a */ @!%p1 ld.global.v2.u32 {%r1, %r2}, [p + -4];
	{ L1: .loc 1 9 3, function_name name+1, inlined_at 1 10 3
	call (%r1), f, (%r2, 7), P; }
	P: .callprototype (.param .b32 _) _ (.param .b32 _);
	.pragma "nounroll";
	.loc_intermediate 1 2 3
	ret;
}
.nv_intermediate_source_section { .code_block { .ir_name: "ir" .sourceFileName: 1
.source_begin
a b
.source_end
} }
# 1 "x.cu"
.section .debug_str { name: .b8 65, 0 }
.section .debug_info
{
.b32 end-begin, .b64 k
begin: .b16 -1, 0x10, 017U
.b32 .debug_abbrev+4
end:
}
"#;

fn section(item: &Item<'_>) -> Option<usize> {
    let check = |section: &SectionBlock<'_>| section_data::assemble(section).bytes.len();
    match item {
        Item::Section(node) => Some(check(node)),
        _ => None,
    }
}

/// Tokens cover the text; items and statements ascend; errors lie in the text; lazy parts do not
/// fall over.
fn laws(text: &str) {
    let mut at = 0;
    for token in tokenize(text) {
        assert_eq!(token.range.start, at);
        assert!(token.range.end > at);
        assert!(text.is_char_boundary(token.range.end as usize));
        at = token.range.end;
    }
    assert_eq!(at as usize, text.len());
    let parsed = parse(text);
    let mut end = 0;
    for item in &parsed.module.items {
        let range = item.range();
        assert!(range.start >= end && range.end >= range.start, "{item:?} after {end}");
        end = range.end;
        let _ = section(item);
        let Item::Function(function) = item else { continue };
        let mut end = range.start;
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            let inner = statement.range();
            assert!(inner.start >= end && inner.end >= inner.start, "{statement:?}");
            end = inner.end;
            if let Statement::Instruction(instruction) = statement {
                assert_eq!(instruction.opcode.range.slice(text), instruction.opcode.text);
                assert!(inner.contains(instruction.opcode.range.start));
                if let Some(predicate) = instruction.predicate() {
                    assert_eq!(predicate.register.range.slice(text), predicate.register.text);
                }
                for operand in instruction.operands() {
                    assert_eq!(operand.range.slice(text), operand.text);
                    for element in operand.elements() {
                        assert_eq!(element.range.slice(text), element.text);
                    }
                }
            }
        }
        assert!(end <= range.end);
    }
    assert!(end as usize <= text.len());
    assert!(parsed.errors.len() <= MAX_ERRORS + 1);
    assert!(parsed.errors.is_sorted_by_key(|error| error.range));
    for error in &parsed.errors {
        assert!(text.get(error.range.start as usize..error.range.end as usize).is_some(), "{error:?}");
        assert!(!error.to_string().is_empty());
    }
}

/// Words that mean something to the parser, so that random order reaches its corners.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(
        ". .. @ @@DWARF { } [ ] ( ) < > , ; : :: + - = ! | ? # \" \\ /* */ // \n \r \t \u{e9} \0 a %r1 _ $L 0 089 1.5 0x 4294967296 -5 \
         .b8 .b16 .b32 .b64 .u8 .bf16 .v2 .byte .section .debug_info .loc .loc_intermediate .nv_intermediate_source_section .code_block .ir_name: .source_begin\n \n.source_end\n .file .version 8.0 .target sm_90 .reg .param .func .entry .visible .extern .pragma \
         .align .ptr .attribute .callprototype .noreturn .maxntid .shared::cluster function_name inlined_at add.s32 \"x\""
            .split(' ')
            .collect::<Vec<_>>(),
    );
    let gap = prop::sample::select(vec!["", " ", "\n"]);
    prop::collection::vec((word, gap), 0..60)
        .prop_map(|parts| parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_string(text in any::<String>()) {
        laws(&text);
    }

    #[test]
    fn any_words(text in words()) {
        laws(&text);
        laws(&format!(".version 8.0\n.target sm_90\n.func f() {{ {text}"));
        laws(&format!(".version 8.0\n.target sm_90\n.section .debug_info {{ {text}"));
    }

    #[test]
    fn damaged_module(at in 0..SEED.len(), length in 0_usize..40, instead in words()) {
        let end = (at + length).min(SEED.len());
        laws(&format!("{}{instead}{}", &SEED[..at], &SEED[end..]));
        laws(&SEED[..at]);
    }
}

/// What begins a declaration is read, also where no variable has the type.
#[test]
fn types_without_variables_come_to_an_end() {
    for words in [
        ".bf16 %p<3>;",
        ".bf16x2 x",
        ".v2\n.bf16 x;",
        ".align 4\n.bf16 x;",
        ".reg\n.bf16\n.bf16 x;",
        ".reg .b32 x,\n",
    ] {
        let text = format!(".version 8.0\n.target sm_90\n.entry k() {{\n{words}");
        assert!(!parse(&text).errors.is_empty(), "{words}");
        laws(&text);
    }
}

#[test]
fn seed_is_clean() {
    let errors = parse(SEED).errors;
    assert_eq!(errors.len(), 1, "only the list of labels: {errors:?}");
    laws(SEED);
}

#[test]
fn errors_are_capped() {
    let text = ".version 8.0\n.target sm_90\n".to_owned() + &"\\\n".repeat(MAX_ERRORS * 2);
    let errors = parse(&text).errors;
    assert_eq!(errors.len(), MAX_ERRORS + 1);
    assert_eq!(errors[MAX_ERRORS].kind, SyntaxErrorKind::TooManyErrors);
}

#[test]
fn deep_nesting_costs_no_stack() {
    let open = "{".repeat(1_000_000);
    let close = "}".repeat(1_000_000);
    let text = format!(".version 8.0\n.target sm_90\n.func f()\n{{{open}{close}}}\n");
    let parsed = parse(&text);
    assert!(parsed.errors.is_empty());
    let body = parsed.module.functions().next().and_then(|f| f.body.as_ref()).unwrap();
    assert_eq!(body.statements.len(), 2_000_000);

    let brackets = "(".repeat(MAX_NESTING as usize + 1);
    let text = format!(".version 8.0\n.target sm_90\n.func f()\n{{ mov.u32 %r1, {brackets}1; }}\n");
    assert!(parse(&text).errors.iter().any(|error| error.kind == SyntaxErrorKind::NestingTooDeep));
}

/// Inputs that would be quadratic if any rule looked ahead without bound. Each is 2 MB; a quadratic
/// rule needs hours.
#[test]
fn hostile_repetition_is_linear() {
    for piece in [
        "#", "# 1 \"", "/", "/*", "\"", "@", ".", "::", ".section", ".b8 1,", "{", "(", "[", "0", "1e",
        "@@DWARF ",
    ] {
        for head in
            ["", ".version 8.0\n.target sm_90\n.func f() {\n", ".version 8.0\n.target sm_90\n.section .x {\n"]
        {
            let text = head.to_owned() + &piece.repeat(2_000_000 / piece.len());
            let parsed = parse(&text);
            assert!(!parsed.errors.is_empty(), "{piece}");
        }
    }
}

#[test]
fn nodes_stay_small() {
    assert!(size_of::<Statement<'_>>() <= 64, "{}", size_of::<Statement<'_>>());
    assert!(size_of::<ptx_syntax::SyntaxError>() <= 32);
}
