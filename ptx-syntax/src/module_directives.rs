//! Directives that end what stands before them, where a `}` or a `;` is missing.

/// Directives that begin something at module scope: inside a body or a section they show a missing
/// `}`.
pub(crate) const MODULE_DIRECTIVES: &[&str] = &[
    ".version",
    ".target",
    ".address_size",
    ".entry",
    ".func",
    ".visible",
    ".weak",
    ".extern",
    ".common",
    ".alias",
];

/// Whether a word is a directive that is not a suffix of any opcode: in an instruction it shows
/// that a `;` is missing. (`.weak` is a suffix, and so are most state spaces.) To ptxas the last
/// two are strings.
#[rustfmt::skip] // as many in a line as fit
pub(crate) fn is_never_a_suffix(word: &str) -> bool {
    matches!(
        word,
        ".reg" | ".sreg" | ".loc" | ".loc_intermediate" | ".file" | ".section" | ".pragma" | ".branchtargets" | ".calltargets"
        | ".callprototype" | ".version" | ".target" | ".address_size" | ".entry" | ".func" | ".visible"
        | ".extern" | ".align" | ".ptr" | ".maxntid" | ".reqntid" | ".byte" | ".4byte"
    )
}
