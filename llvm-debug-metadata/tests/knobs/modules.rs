//! The modules that the tools are asked about.

use llvm_debug_metadata::Module;
use llvm_debug_metadata::strip::{Declares, StripPass, strip};
use std::fmt::Write as _;

/// A device function that is inlined, for cicc.
pub(crate) const SOURCE: &str = "__attribute__((device)) static int callee(int v) { return v * v + 1; }\n\
    __attribute__((global)) void k(int *out, int a) { out[0] = callee(a + 7); }\n";

const TYPED: &str = include_str!("../data/modes/typed.ll");
const MODERN: &str = include_str!("../data/modes/modern.ll");
/// A loop of which passes lose locations.
pub(crate) const LOSSY: &str = include_str!("../data/knobs/lossy.ll");
const INLINED: &str = include_str!("../data/knobs/inlined.ll");

/// A module without debug information.
pub(crate) fn stripped(text: &str) -> String {
    strip(&Module::parse(text), StripPass::All, Declares::AsLlvm).unwrap().text.into_owned()
}

/// A call that is always inlined, with attributes of the caller.
pub(crate) fn inlined(attributes: &str) -> String {
    INLINED.replace("i32 %a) !dbg", &format!("i32 %a){attributes} !dbg"))
}

/// Modules of both dialects.
pub(crate) struct Modules {
    typed: String,
    modern: String,
}

impl Modules {
    pub(crate) fn read() -> Self {
        // Both kernels of one unit.
        let alone = |text: &str| {
            let text = text.replace("unit: !14", "unit: !0");
            text.split_inclusive('\n').filter(|line| !line.starts_with("!14 = ")).collect()
        };
        Self { typed: alone(TYPED), modern: alone(MODERN) }
    }

    /// A module of a dialect with an emission kind, or without debug information.
    pub(crate) fn kind(&self, dialect: &str, kind: &str) -> String {
        let text = if dialect == "typed" { &self.typed } else { &self.modern };
        if kind == "no debug information" {
            return stripped(&text.replace("KIND_OF_K", "FullDebug"));
        }
        text.replace("KIND_OF_K", kind)
    }

    /// The same with these operands of `!nvvmir.version`.
    pub(crate) fn version(&self, dialect: &str, kind: &str, operands: &str) -> String {
        let own = if dialect == "typed" {
            "!{i32 2, i32 0, i32 3, i32 1}"
        } else {
            "!{i32 2, i32 0, i32 3, i32 2}"
        };
        let text = self.kind(dialect, kind);
        assert!(text.contains(own), "{text}");
        text.replace(own, &format!("!{{{operands}}}"))
    }

    /// A variable and a location in blocks that stand in each other.
    pub(crate) fn deep(&self, depth: usize, kind: &str) -> String {
        let mut text = self.kind("modern", kind).replace("scope: !7, inlinedAt: !9)", "scope: !6)");
        text = text.replace(
            "!8 = !DILocation(line: 4, column: 2, scope: !6)",
            &format!("!8 = !DILocation(line: 4, column: 2, scope: !{})", 99 + depth),
        );
        text = text.replace(
            "!DILocalVariable(name: \"v\", scope: !6",
            &format!("!DILocalVariable(name: \"v\", scope: !{}", 99 + depth),
        );
        for number in 100..100 + depth {
            let scope = if number == 100 { 6 } else { number - 1 };
            writeln!(
                text,
                "!{number} = distinct !DILexicalBlock(scope: !{scope}, file: !3, line: 4, column: {number})"
            )
            .unwrap();
        }
        text
    }

    /// A module that asks for a version of DWARF.
    pub(crate) fn dwarf_version(&self, version: u32) -> String {
        let text =
            self.kind("modern", "FullDebug").replace("module.flags = !{!1}", "module.flags = !{!1, !99}");
        format!("{text}!99 = !{{i32 2, !\"Dwarf Version\", i32 {version}}}\n")
    }

    /// The modern module with a call of an intrinsic instead of a record.
    pub(crate) fn intrinsics(&self) -> String {
        let text = self.kind("modern", "FullDebug");
        let call =
            "call void @llvm.dbg.value(metadata i32 %v, metadata !12, metadata !DIExpression()), !dbg !8";
        let text = text.replace("  #dbg_value(i32 %v, !12, !DIExpression(), !8)", call);
        assert!(text.contains(call), "{text}");
        text.replace(
            "!llvm.dbg.cu",
            "declare void @llvm.dbg.value(metadata, metadata, metadata)\n\n!llvm.dbg.cu",
        )
    }
}
