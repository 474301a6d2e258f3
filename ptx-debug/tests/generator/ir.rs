//! The IR of a generated module.

use std::fmt::Write as _;

use super::{GeneratedFunction, GeneratedLocation, GeneratedModule, IrVersion, ScopeKind};

const LAYOUT: &str = "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-\
f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n\n";

// The first node of each kind.
const FILES: usize = 100;
const SUBPROGRAMS: usize = 200;
const SCOPES: usize = 300;
const CALL_SITES: usize = 500;
const KERNELS: usize = 900;

impl GeneratedModule {
    /// The text of the IR, with an emission kind as LLVM names it.
    pub(crate) fn ir(&self, version: IrVersion, emission_kind: &str) -> String {
        let modern = version == IrVersion::Modern;
        let mut out = String::from(LAYOUT);
        for function in &self.functions {
            self.function_ir(function, modern, &mut out);
        }
        out += "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1}\n!nvvmir.version = !{!2}\n";
        if !modern {
            let kernels: Vec<_> = (0..self.functions.len()).map(|at| format!("!{}", KERNELS + at)).collect();
            let _ = writeln!(out, "!nvvm.annotations = !{{{}}}", kernels.join(", "));
            for (at, function) in self.functions.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "!{} = !{{void ({})* @{}, !\"kernel\", i32 1}}",
                    KERNELS + at,
                    function.parameter("i32"),
                    function.name
                );
            }
        }
        let minor = if modern { 2 } else { 1 };
        let _ = write!(
            out,
            "!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !{FILES}, producer: \"p\", isOptimized: false, \
             runtimeVersion: 0, emissionKind: {emission_kind})\n\
             !1 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n!2 = !{{i32 2, i32 0, i32 3, i32 {minor}}}\n\
             !3 = !DISubroutineType(types: !4)\n!4 = !{{null}}\n"
        );
        for (at, (directory, name)) in self.files.iter().enumerate() {
            let name = name.replace('\\', "\\5C").replace('"', "\\22");
            let _ =
                writeln!(out, "!{} = !DIFile(filename: \"{name}\", directory: \"{directory}\")", FILES + at);
        }
        let definition =
            if modern { "spFlags: DISPFlagDefinition" } else { "isLocal: false, isDefinition: true" };
        for (at, of) in self.subprograms.iter().enumerate() {
            let linkage =
                (of.linkage_name.as_ref()).map_or(String::new(), |name| format!("linkageName: \"{name}\", "));
            let _ = writeln!(
                out,
                "!{} = distinct !DISubprogram(name: \"{}\", {linkage}scope: !{file}, file: !{file}, line: {}, type: !3, \
                 scopeLine: {}, {definition}, unit: !0)",
                SUBPROGRAMS + at,
                of.name,
                of.line,
                of.scope_line,
                file = FILES + of.file,
            );
        }
        for (at, scope) in self.scopes.iter().enumerate() {
            let node = SCOPES + at;
            let _ = match scope.kind {
                ScopeKind::Subprogram => Ok(()),
                ScopeKind::Block { parent, line, column } => {
                    let file = FILES + self.subprograms[scope.subprogram].file;
                    let parent = self.scope_node(parent);
                    writeln!(
                        out,
                        "!{node} = distinct !DILexicalBlock(scope: !{parent}, file: !{file}, line: {line}, column: {column})"
                    )
                }
                ScopeKind::OtherFile { parent, file } => {
                    let (parent, file) = (self.scope_node(parent), FILES + file);
                    writeln!(
                        out,
                        "!{node} = !DILexicalBlockFile(scope: !{parent}, file: !{file}, discriminator: 0)"
                    )
                }
            };
        }
        for (at, site) in self.call_sites.iter().enumerate() {
            let _ = writeln!(out, "!{} = distinct {}", CALL_SITES + at, self.location_ir(site));
        }
        out
    }

    fn function_ir(&self, function: &GeneratedFunction, modern: bool, out: &mut String) {
        let convention = if modern { "ptx_kernel " } else { "" };
        let node = SUBPROGRAMS + function.subprogram;
        let _ = writeln!(
            out,
            "define {convention}void @{}({}) !dbg !{node} {{",
            function.name,
            function.parameter("i32 %a")
        );
        for (at, block) in function.blocks.iter().enumerate() {
            let _ = writeln!(out, "b{at}:");
            let mut number = block.first_number;
            for location in &block.instructions {
                let (operand, constraints) =
                    if function.has_parameter { ("add.s32 $0, $1", "=r,r") } else { ("mov.b32 $0", "=r") };
                let _ = writeln!(
                    out,
                    "  %v{number} = call i32 asm sideeffect \"{operand}, {number};\", \"{constraints}\"({}){}",
                    function.parameter("i32 %a"),
                    self.attachment(location.as_ref())
                );
                number += 1;
            }
            let terminator = self.attachment(block.terminator.as_ref());
            let _ = match block.successors[..] {
                [] => writeln!(out, "  ret void{terminator}"),
                [next] => writeln!(out, "  br label %b{next}{terminator}"),
                [yes, no, ..] => {
                    let comparison = self.attachment(block.comparison.as_ref());
                    let last = number - 1;
                    let _ = writeln!(out, "  %c{at} = icmp sgt i32 %v{last}, 3{comparison}");
                    writeln!(out, "  br i1 %c{at}, label %b{yes}, label %b{no}{terminator}")
                }
            };
        }
        out.push_str("}\n\n");
    }

    fn attachment(&self, location: Option<&GeneratedLocation>) -> String {
        location.map_or(String::new(), |location| format!(", !dbg {}", self.location_ir(location)))
    }

    fn location_ir(&self, location: &GeneratedLocation) -> String {
        let GeneratedLocation { scope, line, column, inlined_at } = *location;
        let caller = inlined_at.map_or(String::new(), |site| format!(", inlinedAt: !{}", CALL_SITES + site));
        format!("!DILocation(line: {line}, column: {column}, scope: !{}{caller})", self.scope_node(scope))
    }

    fn scope_node(&self, scope: usize) -> usize {
        match self.scopes[scope].kind {
            ScopeKind::Subprogram => SUBPROGRAMS + self.scopes[scope].subprogram,
            _ => SCOPES + scope,
        }
    }
}

impl GeneratedFunction {
    /// A part of the text that is there if the function has a parameter.
    fn parameter<'a>(&self, text: &'a str) -> &'a str {
        if self.has_parameter { text } else { "" }
    }
}
