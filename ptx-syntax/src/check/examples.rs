//! Lines of PTX that break a rule, for rules whose summary alone is not enough.

use super::rules::RuleId as Id;

/// The position of an example's lines in a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// They are a module.
    Whole,
    /// Beside functions.
    Module,
    /// In a function.
    Body,
}

use At::{Body, Module, Whole};

/// Returns lines of PTX that break a rule; `None` if the rule has no example.
pub(crate) fn example(rule: Id) -> Option<&'static str> {
    EXAMPLES.iter().find(|(of, ..)| *of == rule).map(|(_, _, lines)| *lines)
}

#[rustfmt::skip] // one example, one place
static EXAMPLES: [(Id, At, &str); 63] = [
    (Id::NonAscii, Module, "// caf\u{e9}"),
    (Id::UnterminatedComment, Module, "/* to the end of the file"),
    (Id::ConstantOverflow, Body, ".loc 1 4294967303 3"),
    (Id::DuplicateDefinition, Module, ".func f() { ret; }\n.func f() { ret; }"),
    (Id::InconsistentDeclaration, Module, ".extern .func f(.param .b32 x);\n.extern .func f(.param .b64 x);"),
    (Id::FunctionUndefined, Module, ".func g;    // and no body of it"),
    (Id::AliasTarget, Module, ".func f() { ret; }\n.alias g, f;    // no `.func g;` before"),
    (Id::ModuleScope, Module, ".local .b8 x[4];"),
    (Id::Alignment, Module, ".global .align 3 .b32 v;"),
    (Id::UnknownOpcode, Body, "moov.u32 %r1, 1;"),
    (Id::MissingVersion, Whole, ".target sm_90\n.entry k() { ret; }"),
    (Id::UnsupportedVersion, Whole, ".version 99.0\n.target sm_90"),
    (Id::MinorVersion, Whole, ".version 7.10\n.target sm_90"),
    (Id::MissingTarget, Whole, ".version 9.0\n.entry k() { ret; }"),
    (Id::UnknownTarget, Whole, ".version 9.0\n.target sm_91"),
    (Id::TargetNeedsVersion, Whole, ".version 7.0\n.target sm_90"),
    (Id::Address32, Whole, ".version 9.0\n.target sm_90\n.address_size 32"),
    (Id::GateSectionLabel, Whole, ".version 7.1\n.target sm_80\n.entry k() { ret; }\n.section .debug_str {\nname: .b8 107, 0\n}"),
    (Id::GateInline, Whole, ".version 7.0\n.target sm_80\n.file 1 \"a.cu\"\n.entry k() {\n.loc 1 5 1\n.loc 1 2 1, function_name name, inlined_at 1 5 1\nret;\n}\n.section .debug_str {\nname: .b8 102, 0\n}"),
    (Id::GateDifference, Whole, ".version 7.0\n.target sm_80\n.entry k() { ret; }\n.section .debug_pubnames {\nfrom:\n.b32 to-from\nto:\n}"),
    (Id::UnterminatedSource, Whole, ".version 9.4\n.target sm_90\n.file 1 \"k.ir\"\n.nv_intermediate_source_section {\n.code_block {\n.ir_name: \"ir\"\n.sourceFileName: 1\n.source_begin\nload %x\n}\n}"),
    (Id::GateIntermediateLoc, Body, ".loc_intermediate 2 1 1"),
    (Id::GateIntermediateSources, Module, ".nv_intermediate_source_section {\n.code_block {\n.ir_name: \"ir\"\n.sourceFileName: 1\n.source_begin\nload %x\n.source_end\n}\n}"),
    (Id::GateLanguage, Whole, ".version 9.0\n.target sm_90\n.entry k() .language 1 { ret; }"),
    (Id::GateHidden, Whole, ".version 8.0\n.target sm_80\n.entry k(.hidden .param .u32 n) { ret; }"),
    (Id::SourceTextFile, Module, ".nv_intermediate_source_section {\n.code_block {\n.ir_name: \"ir\"\n.sourceFileName: 7    // and no `.file 7` before\n.source_begin\nload %x\n.source_end\n}\n}"),
    (Id::IntermediateLine, Body, ".loc_intermediate 1 5 1    // and no text of file 1 with 5 lines"),
    (Id::DebugWithoutSection, Whole, ".version 9.0\n.target sm_90, debug\n.entry k() { ret; }"),
    (Id::DebugMeansO0, Whole, ".version 9.0\n.target sm_90, debug\n.entry k() { ret; }\n.section .debug_loc { }"),
    (Id::DuplicateFileIndex, Module, ".file 2 \"a.cu\"\n.file 2 \"b.cu\""),
    (Id::FileIndexGap, Module, ".file 7 \"b.cu\"    // and no `.file` 2 to 6"),
    (Id::FileNameEmpty, Module, ".file 2 \"\""),
    (Id::FileNameCharacters, Module, ".file 2 \"/src/odd\\name.cu\""),
    (Id::FilePlaceholder, Module, ".file 2 \"<stdin>\""),
    (Id::FileInside, Body, ".file 2 \"a.cuh\""),
    (Id::FileTimeAlone, Module, ".file 2 \"a.cu\", 1700000000"),
    (Id::FileFolder, Module, ".file 2 \"/usr/include\" \"fma.h\""),
    (Id::UndeclaredFile, Body, ".loc 5 1 1    // and no `.file 5`"),
    (Id::NoFile, Whole, ".version 9.0\n.target sm_90\n.entry k() {\n.loc 1 1 1\nret;\n}"),
    (Id::LocOutside, Module, ".loc 1 3 1"),
    (Id::LineZero, Body, ".loc 1 0 0"),
    (Id::LineRange, Body, ".loc 1 2147483648 1"),
    (Id::RedundantLoc, Body, ".reg .b32 %r<3>;\n.loc 1 3 3\nmov.u32 %r1, 1;\n.loc 1 3 3\nmov.u32 %r2, 2;"),
    (Id::ColumnLost, Body, ".reg .b32 %r<3>;\n.loc 1 6 4\nmov.u32 %r1, 1;\n.loc 1 6 31\nmov.u32 %r2, 2;"),
    (Id::CallSiteUnseen, Body, ".loc 1 5 1\n.loc 1 2 1, function_name name, inlined_at 1 6 1    // no `.loc 1 6 1` before"),
    (Id::NameUnresolved, Body, ".loc 1 5 1\n.loc 1 2 1, function_name nobody, inlined_at 1 5 1"),
    (Id::NamePastEnd, Body, ".loc 1 5 1\n.loc 1 2 1, function_name name+100, inlined_at 1 5 1"),
    (Id::InlinedCallLost, Whole, ".version 8.0\n.target sm_80\n.file 1 \"a.cu\"\n.entry k() {\n.reg .b32 %r<3>;\n.loc 1 5 1\n.loc 1 2 1, function_name name, inlined_at 1 5 1\nmov.u32 %r1, 1;\n.loc 1 2 9, function_name other, inlined_at 1 5 1\nmov.u32 %r2, 2;\nret;\n}\n.section .debug_str {\nname: .b8 102, 0\nother: .b8 103, 0\n}"),
    (Id::LocWithoutCode, Body, ".loc 1 3 1\nadd.u32 %r1, %r1, 1;\n.loc 1 4 1    // and no instruction\n.loc 1 5 1"),
    (Id::FileChangeLost, Whole, ".version 8.0\n.target sm_80\n.file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n.entry k() {\n.reg .b32 %r<3>;\n.loc 1 5 1\nmov.u32 %r1, 1;\n.loc 2 5 9\nmov.u32 %r2, 2;\nret;\n}"),
    (Id::SectionInside, Body, ".section .debug_loc { .b8 0 }"),
    (Id::SectionRepeated, Module, ".section .debug_loc { .b8 1 }\n.section .debug_loc { .b8 2 }"),
    (Id::SectionReserved, Module, ".section .debug_frame { .b8 1, 2, 3, 0 }"),
    (Id::AtDwarfWithoutSection, Whole, ".version 9.0\n.target sm_90\n.entry k() { ret; }\n@@DWARF .byte 1"),
    (Id::InfoWithoutAbbrev, Module, ".section .debug_info { .b8 1 }"),
    (Id::ValueRange, Module, ".section .debug_loc { .b8 256 }"),
    (Id::DataType, Module, ".section .debug_loc { .u8 1 }"),
    (Id::NarrowLabel, Module, ".section .debug_loc { .b8 k }"),
    (Id::DottedSymbol, Body, "bra a._b;"),
    (Id::DuplicateLabel, Module, ".section .debug_loc {\nhere: .b8 1\nhere: .b8 2\n}"),
    (Id::UndefinedSymbol, Module, ".section .debug_loc { .b64 nobody }"),
    (Id::DifferenceUndefined, Module, ".section .debug_loc {\nhere: .b32 here-nobody\n}"),
    (Id::DifferenceSections, Module, ".section .debug_loc {\nhere: .b32 here-there\n}\n.section .debug_ranges {\nthere: .b8 1\n}"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckContext, RuleTable as _, check};
    use crate::parse;

    fn module(at: At, lines: &str) -> String {
        let head = ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"k.cu\"\n";
        let names = ".section .debug_str {\nname: .b8 102, 0\n}\n";
        match at {
            Whole => lines.to_owned(),
            Module => format!("{head}.entry k() {{ ret; }}\n{names}{lines}\n"),
            Body => format!("{head}.entry k() {{\n{lines}\nret;\n}}\n{names}"),
        }
    }

    #[test]
    fn each_example_breaks_its_rule() {
        let mut wrong = Vec::new();
        for (rule, at, lines) in EXAMPLES {
            let report = check(&parse(&module(at, lines)), &CheckContext::default());
            let codes: Vec<&str> = report.findings.iter().map(|finding| finding.rule.code).collect();
            if !codes.contains(&rule.rule().code) {
                wrong.push(format!("{} {}: {codes:?}", rule.rule().code, rule.rule().name));
            }
        }
        assert_eq!(wrong, [""; 0]);
    }
}
