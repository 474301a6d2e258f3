//! The canonical layout: what it looks like, and that it changes nothing else. `nvdwarf-fuzz`
//! asserts the same laws and more on damaged text.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use ptx_syntax::print::normalise;
use ptx_syntax::{parse, tokenize};

const LAYOUT: &str = r#"// head
.version 8.0 // after
.target sm_90, debug
.address_size 64
# 1 "x.cu"
.file 1 "a.cu", 5, 6
.const[2] .align 4 .b32 bank;
.global .attribute(.managed, .unified(1, 2)) .align 4 .b8 data[2][3] = {1, {2, -3}, generic(x) + 4, 0xFF(y), 1 << 2}, more;
.extern .func (.param .b32 r) f(.param .align 8 .b8 a[16], .param .b64 .ptr .global .align 4 b) .noreturn;
.alias g, f;

// before k
// inside k
.visible .entry k(
	.param .u64 p,
	.param .align 8 .b8 q[8]
)
.maxntid 128, 1, 1
.pragma "nounroll";
{ // after {
	.reg .pred %p<3>, x;
	.loc 1 9 3, function_name name+1, inlined_at 1 10 3
	@!%p1 ld.global.v2.u32 {%r1, %r2}, [p+-4].unified;
	{
L1:
		setp.eq.and.u32 %p1|%p2, %r1, 5 + -(3 << 2) * 2, !%p2; /* a */ // b
	}
	call (%r1), f, (%r2, 7), P;
P:
	.callprototype (.param .b32 _) _(.param .b32 _) .noreturn;
	mov.u32 /* c */ %r1, %tid.x;
	// d
	add.s32 %r1, (.u64) 4 ? 1 : 2, data[1];
T:
	.branchtargets L1, L1;
	ret;
}

.section .debug_info
{
begin:
	.b8 1, 2, 3
	.b32 end-begin
	.b32 .debug_abbrev+4
	.b8 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122,
		123
end:
}

@@DWARF .section .debug_str, "", @progbits
@@DWARF .byte 1, 2
// last
"#;

/// The words of a text without blanks, comments and line markers.
fn words(text: &str) -> Vec<&str> {
    tokenize(text).filter(|token| !token.kind.is_trivia()).map(|token| token.range.slice(text)).collect()
}

#[test]
fn the_layout_is_a_fixed_point() {
    let parsed = parse(LAYOUT);
    assert_eq!(parsed.errors, []);
    let printed = normalise(&parsed);
    for (printed, expected) in printed.lines().zip(LAYOUT.lines()) {
        assert_eq!(printed, expected);
    }
    assert_eq!(printed, LAYOUT);
}

/// Without comments any blanks give the same text.
#[test]
fn blanks_do_not_matter() {
    let tokens: Vec<_> = tokenize(LAYOUT).collect();
    let text = |gap: fn(usize) -> &'static str| {
        let mut text = String::new();
        for (index, token) in tokens.iter().filter(|token| !token.kind.is_trivia()).enumerate() {
            let word = token.range.slice(LAYOUT);
            // `@progbits` and two-character operators are no longer themselves with a blank inside.
            let tight = word == "progbits" || text.ends_with('<') && word == "<";
            let version = text.ends_with(".version"); // one token of ptxas with its number
            text.push_str(if tight {
                ""
            } else if version {
                " "
            } else {
                gap(index)
            });
            text.push_str(word);
        }
        normalise(&parse(&text))
    };
    let plain = text(|_| " ");
    assert_eq!(parse(&plain).errors, []);
    assert_eq!(text(|_| "\n"), plain);
    assert_eq!(text(|index| [" ", "\t\n", "\r\n"][index % 3]), plain);
    assert_eq!(words(&plain), words(LAYOUT));
}

/// Statements without errors are laid out beside faulty ones, which stay as they are.
#[test]
fn faulty_parts_stay() {
    let text = ".version 8.0 .target sm_90\n.func f(){\nadd.u32   %r1 ,%r2;add.u32  %r1  %r2\n  ; ;  ret ; }\n  .what  is   this\n.func  g();";
    let parsed = parse(text);
    assert_eq!(parsed.errors.len(), 4);
    let printed = ".version 8.0\n.target sm_90\n\n.func f()\n{\n\tadd.u32 %r1, %r2;\n\tadd.u32  %r1  %r2\n\t;\n\t;\n\tret;\n}\n\n.what  is   this\n.func g();\n";
    assert_eq!(normalise(&parsed), printed);
    assert_eq!(normalise(&parse(printed)), printed);
}

#[test]
fn deep_nesting_stays_linear() {
    let text =
        format!(".version 8.0\n.target sm_90\n.func f(){{{}{}}}", "{".repeat(100_000), "}".repeat(100_000));
    assert!(normalise(&parse(&text)).len() < 3_000_000);
    assert_eq!(normalise(&parse("")), "");
    assert_eq!(normalise(&parse("/* open")), "/* open\n");
}

/// Every PTX file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
}

#[test]
fn shared_files_keep_their_words_and_faults() {
    let mut found = Vec::new();
    for part in ["corpus/out", "cases"] {
        if let Some(path) = support::shared(part) {
            files(&path, &mut found);
        }
    }
    for path in &found {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let before = parse(&text);
        let printed = normalise(&before);
        let after = parse(&printed);
        let kinds = |errors: &[ptx_syntax::SyntaxError]| errors.iter().map(|e| e.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&before.errors), kinds(&after.errors), "{}", path.display());
        assert!(words(&text) == words(&printed), "{}", path.display());
        assert!(normalise(&after) == printed, "{}", path.display());
    }
    eprintln!("{} files", found.len());
}
