//! For each rule its reason, and what to do about a finding.

use super::rules::RuleId;

/// The explanation of a rule, beside its row in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleExplanation {
    /// What is lost, and how it comes about.
    pub(super) why: &'static str,
    /// What to do about it.
    pub(super) mend: &'static str,
}

/// The reason of a rule.
#[allow(clippy::too_many_lines, reason = "one rule, one place")]
pub(super) const fn explain(rule: RuleId) -> RuleExplanation {
    use RuleId as Id;
    let (why, mend) = match rule {
        Id::Text => (
            "Reading ends at the first error, so that nothing of the module is compiled.",
            "Write what was expected there. Text of a newer LLVM may have to be written by an older one.",
        ),
        Id::Field => (
            "Reading ends there. Fields come and go with releases of LLVM: below compute_100 libNVVM reads those of LLVM 7.",
            "Take the field out, or write a value that fits.",
        ),
        Id::UndefinedNode => (
            "Reading ends there. Mostly a node was cut out of the text by hand.",
            "Put the node back, or write `null` where the field may be null.",
        ),
        Id::NotDistinct => (
            "Nodes that are not distinct are merged with equal ones, which would make one of two functions.",
            "Write `distinct` before the node.",
        ),
        Id::DebugInfoVersion => (
            "LLVM strips all debug metadata whose version is not 3, older or newer. libNVVM does not say so, and the PTX has no `.loc`.",
            "Set the value of the flag to `i32 3`. Where the flag is missing, add `!{i32 2, !\"Debug Info Version\", i32 3}` to `!llvm.module.flags`.",
        ),
        Id::ModuleFlag => (
            "libNVVM refuses a malformed flag; from compute_100 on it ends the process.",
            "Write `!{i32 behavior, !\"name\", value}`, and each name once.",
        ),
        Id::IrVersion => (
            "libNVVM takes a module without the version for one of NVVM IR 1.0. LLVM's own backend does not look at it.",
            "Write `!nvvmir.version = !{!N}`, with `!N = !{i32 2, i32 0, i32 3, i32 1}` for typed pointers and `!{i32 2, i32 0, i32 3, i32 2}` for opaque ones.",
        ),
        Id::DebugVersion => (
            "The version says which debug metadata the module has; libNVVM refuses one that it does not know.",
            "Write 3 and 1 for typed pointers, 3 and 2 for modern IR.",
        ),
        Id::UnitNotListed => (
            "Only listed units are emitted. Below compute_100 the module is refused; from compute_100 on its debug information is dropped.",
            "Add the unit to `!llvm.dbg.cu`.",
        ),
        Id::ListedNoUnit => (
            "A list with anything else is refused, and its units with it.",
            "Take the entry that is not a `DICompileUnit` out of `!llvm.dbg.cu`.",
        ),
        Id::UnitWithoutLines => (
            "The kind in the IR decides, not the options of libNVVM: the locations are there, and no `.loc` comes of them.",
            "Write `emissionKind: DebugDirectivesOnly` for lines, `FullDebug` for lines and variables.",
        ),
        Id::OptimizedDebugging => (
            "Both kinds write DWARF entries and `.target ..., debug`, which means -O0 to ptxas. clang -gline-tables-only writes `LineTablesOnly` where device code is not optimized.",
            "Write `emissionKind: DebugDirectivesOnly` to have lines of optimized code.",
        ),
        Id::SeveralNamesTables => (
            "Each unit writes a `.debug_pubnames` of its own, and ptxas merges sections of one name only if they are equal.",
            "Write `nameTableKind: None` in all units but one.",
        ),
        Id::LinesOnlyVariable => (
            "libNVVM looks for a scope of the variable that it has not made for this kind.",
            "Strip with `ir strip --pass strip-nonlinetable-debuginfo`, or take another emission kind.",
        ),
        Id::WrongNode => (
            "LLVM's verifier refuses the node. Below compute_100 libNVVM returns an error; from compute_100 on it drops all debug information, says so on standard error only, and returns success.",
            "Write a node of the expected kind, or take the field out if it is optional.",
        ),
        Id::NodeValue => (
            "LLVM's verifier refuses the node, and with it all debug information.",
            "Write values that fit together.",
        ),
        Id::Unit => (
            "The unit says how much is emitted. A pass that clones functions between modules must take the unit along.",
            "Write `unit: !N`.",
        ),
        Id::DeclarationUnit => (
            "A declaration is emitted by each unit that refers to it, and so has no unit of its own.",
            "Take `unit:` out, or make it a definition with `spFlags: DISPFlagDefinition`.",
        ),
        Id::LinkageName => (
            "libNVVM writes the linkage name only, also in C. The call stack of inlined code then has a function without a name. clang writes no linkage names with `DebugDirectivesOnly`.",
            "Write `linkageName:`, in C the name once more.",
        ),
        Id::Expression => (
            "LLVM's verifier refuses it, and with it all debug information.",
            "Write an expression that LLVM knows.",
        ),
        Id::ScopeCycle => (
            "libNVVM follows the scopes for ever: the build hangs.",
            "Let the scope be the subprogram, or a block in it.",
        ),
        Id::SubprogramFile => {
            ("Lines of the function are then those of a file `<stdin>`.", "Write `file: !N`.")
        }
        Id::Unverified => (
            "LLVM's verifier does not look at it, and the writer of DWARF uses it. What happens then is not defined.",
            "Write the field as LLVM needs it, or give it a value that is not empty.",
        ),
        Id::FunctionAttachment => {
            ("The subprogram gives the function its name and its line.", "Attach one subprogram.")
        }
        Id::SharedSubprogram => (
            "A pass that clones a function must clone its subprogram too, else a debugger takes one for the other.",
            "Give each function a subprogram of its own.",
        ),
        Id::LocationWithoutSubprogram => (
            "The locations are dropped without a word. Mostly a pass made the function of parts of others.",
            "Attach a subprogram to the function.",
        ),
        Id::FunctionWithoutSubprogram => (
            "Passes that outline, specialise or wrap functions often make none. `opt -verify-debuginfo-preserve` says of a pass that makes one: did not generate DISubprogram.",
            "Attach a subprogram, also an artificial one: `flags: DIFlagArtificial`.",
        ),
        Id::LocationAttachment => {
            ("LLVM's verifier refuses it, and with it all debug information.", "Attach a `DILocation`.")
        }
        Id::OtherSubprogram => (
            "Mostly code was moved or inlined by hand, and its locations were left as they were.",
            "Give locations of inlined code an `inlinedAt:`.",
        ),
        Id::CallWithoutLocation => (
            "The inliner has no call site to give to the locations of the callee. Frontends forget locations at calls that they make themselves.",
            "Give the call a location; with line 0 where there is none.",
        ),
        Id::FunctionWithoutLocation => (
            "All code of the function then has the line of its beginning, or none.",
            "Give the instructions locations.",
        ),
        Id::LocationInNode => (
            "The inliner could not update the location there.",
            "Put the location where instructions have it.",
        ),
        Id::RecordOperand => (
            "LLVM's verifier refuses it, and with it all debug information.",
            "Write the operands that such a record has.",
        ),
        Id::RecordLocation => (
            "The location says in which inlined call the variable is.",
            "Give it a location in the scope of the variable.",
        ),
        Id::RecordSubprogram => (
            "A debugger would show the variable in another function. Mostly code was inlined by hand.",
            "Give the record a location in the subprogram of the variable, with `inlinedAt:` where that was inlined.",
        ),
        Id::ArgumentTwice => (
            "Two variables claim to be the same parameter. Mostly two functions were merged.",
            "Give each parameter its own `arg:`. For a variable of an inlined function, give the location of its record an `inlinedAt:`.",
        ),
        Id::Fragment => (
            "A fragment beyond its variable describes bits that do not exist, and one that covers all of it is not a fragment. Passes that split or widen variables make them.",
            "Write offset and size within the variable, or no fragment.",
        ),
        Id::VariableAttachment => (
            "LLVM's verifier refuses it, and with it all debug information.",
            "Attach a `DIGlobalVariableExpression`.",
        ),
        Id::AddressClass => (
            "CUDA's debuggers find the memory of a variable by its address class: 4 constant, 5 global, 8 shared. Without an expression libNVVM takes that of the address space.",
            "Write `!DIExpression()`, or the class of the space.",
        ),
        Id::AddressSpace => (
            "libNVVM refuses variables outside functions in other address spaces.",
            "Put it in address space 1 (global), 3 (shared) or 4 (constant).",
        ),
    };
    RuleExplanation { why, mend }
}
