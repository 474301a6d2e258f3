//! Words with a fixed meaning: types, state spaces, linkage, each in one table.

/// Makes an enum of words, its `keyword` and its `from_keyword` from one table.
macro_rules! keywords {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name { $($(#[$vmeta])* #[doc = concat!("`", $text, "`")] $variant),+ }

        impl $name {
            /// The PTX word for this variant; empty for variants that stand for no word.
            pub const fn keyword(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// Returns the variant for a PTX word, its dot included; `None` for other words.
            pub fn from_keyword(word: &str) -> Option<Self> {
                match word { _ if word.is_empty() => None, $($text => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

keywords! {
    /// The declared type (PTX ISA §Types).
    ScalarType {
        B8 = ".b8", B16 = ".b16", B32 = ".b32", B64 = ".b64", B128 = ".b128",
        U8 = ".u8", U16 = ".u16", U32 = ".u32", U64 = ".u64",
        S8 = ".s8", S16 = ".s16", S32 = ".s32", S64 = ".s64",
        F16 = ".f16", F16x2 = ".f16x2", Bf16 = ".bf16", Bf16x2 = ".bf16x2", F32 = ".f32", F64 = ".f64",
        Pred = ".pred", Texref = ".texref", Samplerref = ".samplerref", Surfref = ".surfref",
        /// No type was written; an error says so.
        Missing = "",
    }
}

impl ScalarType {
    /// Returns the size of one element in bytes; 8 for opaque handles such as `.texref`. `None` for
    /// `.pred`, and if no type was written.
    pub const fn size(self) -> Option<u64> {
        Some(match self {
            Self::B8 | Self::U8 | Self::S8 => 1,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 2,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 | Self::F16x2 | Self::Bf16x2 => 4,
            Self::B64
            | Self::U64
            | Self::S64
            | Self::F64
            | Self::Texref
            | Self::Samplerref
            | Self::Surfref => 8,
            Self::B128 => 16,
            Self::Pred | Self::Missing => return None,
        })
    }
}

keywords! {
    /// Where a variable lives (PTX ISA §State Spaces).
    StateSpace {
        Reg = ".reg", Sreg = ".sreg", Const = ".const", Global = ".global", Local = ".local", Param = ".param",
        Shared = ".shared", Tex = ".tex",
    }
}

/// Whether a word begins the type of a declaration. ptxas reports a missing state space only after
/// the first name.
pub(crate) fn begins_type(word: &str) -> bool {
    ScalarType::from_keyword(word).is_some()
        || matches!(word, ".align" | ".v2" | ".v4" | ".v8" | ".attribute")
}

keywords! {
    /// Who sees a name (PTX ISA §Linking Directives).
    Linkage { Visible = ".visible", Weak = ".weak", Extern = ".extern", Common = ".common",
        /// Only this module.
        None = "",
    }
}

/// The kinds of function: a kernel, which the host launches, or a function that device code calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`
    Entry,
    /// `.func`
    Func,
}

/// Directives that may stand between a function's parameters and its body (PTX ISA
/// §Performance-Tuning Directives, §Cluster Dimension Directives, §.noreturn, §.abi_preserve).
/// Places and numbers of arguments: ptxas 13.0.88.
const FUNCTION_DIRECTIVES: &[(&str, Arguments, DirectiveOwner)] = &[
    (".maxnreg", Arguments::Integers(1), DirectiveOwner::Kernel),
    (".maxntid", Arguments::Integers(3), DirectiveOwner::Kernel),
    (".reqntid", Arguments::Integers(3), DirectiveOwner::Kernel),
    (".minnctapersm", Arguments::Integers(1), DirectiveOwner::Kernel),
    (".maxnctapersm", Arguments::Integers(1), DirectiveOwner::Kernel),
    (".pragma", Arguments::Strings, DirectiveOwner::Kernel),
    (".reqnctapercluster", Arguments::Integers(3), DirectiveOwner::Kernel),
    (".explicitcluster", Arguments::None, DirectiveOwner::Kernel),
    (".maxclusterrank", Arguments::Integers(1), DirectiveOwner::Kernel),
    (".blocksareclusters", Arguments::None, DirectiveOwner::Kernel),
    (".noreturn", Arguments::None, DirectiveOwner::CallableFirst),
    (".abi_preserve", Arguments::Integers(1), DirectiveOwner::Callable),
    (".abi_preserve_control", Arguments::Integers(1), DirectiveOwner::Callable),
    // Of any length. Observed: ptxas 13.2.86 and 13.5.37.
    (".language", Arguments::Integers(u8::MAX), DirectiveOwner::Any),
];

/// What follows a function directive, and what it may belong to; none for other words.
pub(crate) fn function_directive(word: &str) -> Option<(Arguments, DirectiveOwner)> {
    FUNCTION_DIRECTIVES
        .iter()
        .find(|(directive, ..)| *directive == word)
        .map(|&(_, what, place)| (what, place))
}

/// What follows a function directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arguments {
    None,
    /// A list of integers such as `128, 1, 1`; the value is the most that are allowed.
    Integers(u8),
    /// A list of strings such as `"nounroll"`.
    Strings,
}

/// What a function directive belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirectiveOwner {
    /// The directive belongs to a function of any kind.
    Any,
    /// The directive belongs to an `.entry`.
    Kernel,
    /// The directive belongs to a `.func` or a `.callprototype`.
    Callable,
    /// The directive belongs to a `.func` or a `.callprototype`, and stands before any other.
    CallableFirst,
}

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

pub(crate) fn natural_alignment(ty: ScalarType, vector: Option<u8>) -> u64 {
    ty.size().unwrap_or(1) * vector.map_or(1, u64::from)
}
