//! Why each rule of [`super::RULES`] is one, and what to do about what breaks it.

use super::rules::RuleId;

/// What is said of a rule beside its row in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reason {
    /// What a debugger, a profiler or ptxas loses. Where findings of the rule have two severities, which has which, and why.
    pub(super) why: &'static str,
    /// What to do about it; empty where nothing can be.
    pub(super) mend: &'static str,
}

/// The reason of a rule.
pub(super) fn reason(rule: RuleId) -> Option<Reason> {
    use RuleId as Id;
    let (why, mend) = match rule {
        Id::DebugMeansO0 => (
            "The code is as slow as with -g. A note where `.debug_info` describes functions or variables, for then \
             somebody asked for full debugging: ptxas without options and with -g writes the same code. A warning where it \
             describes nothing: lines are all that is there, and -lineinfo gives them for optimised code.",
            "Take `, debug` out, and call ptxas with -lineinfo.",
        ),
        Id::FileNameCharacters => (
            "ptxas cuts the path at its last separator, and readers join the parts with one. A note where the path is one of \
             Windows, for nothing is lost of it. A warning where readers do not find the source: the path holds escapes, as of \
             NVCC for names beyond ASCII (`\\320\\277`), or doubled backslashes, both of which ptxas keeps as they are; it \
             begins with `/`, and the backslash is a letter of a name; or it holds a line break.",
            "Give the source a name in ASCII without a backslash, or write `/` and single backslashes.",
        ),
        Id::FilePlaceholder => (
            "Debuggers and profilers show no source. A warning where the name is one that compilers and front ends invent when \
             they are given none: modules cannot be told apart by it. A note for any other name in angle brackets, such as \
             `<expression 1>`: whoever made the source chose it, readers show it, and it says that there is no file.",
            "Give the compiler the name of the source (the name of the program in NVRTC), or map it with `--path-map`.",
        ),
        Id::LineZero => (
            "Code without a row is shown with the row before it. A note for the form in which LLVM, and so NVCC, Clang, Triton, \
             Numba and Warp, marks instructions that have no place in the source, as hoisted ones: line 0 with file and column of \
             the `.loc` before. No place is lost, for there was none, and ptxas does what LLVM does with \
             -use-unknown-locations=Disable. Of 179,342 instructions of 221 modules 954 change their line when these `.loc` are \
             taken out. A note too where line 0 has no code, or code that only computes. A warning where more is lost: the line \
             overflows to 0; no row stands before, so that the code has no line; or the `.loc` has a place of its own, and its \
             code is shown in another file or another inlined call, or does what tools stop at: it reads or writes memory, \
             calls, waits or traps.",
            "Write the line of the statement that the code belongs to; `compile --line-table full` keeps line 0.",
        ),
        Id::RedundantLoc => (
            "Nothing is lost: ptxas writes the same line table without it, in all 244 modules of compilers that were tried. LLVM \
             writes a `.loc` again at the end of a prologue and at labels. It takes room in the PTX, and in the text of it that \
             the cubin holds.",
            "",
        ),
        _ => return None,
    };
    Some(Reason { why, mend })
}
