//! The tree: what a module consists of, in text order, borrowed from the text.

use crate::at_dwarf::AtDwarf;
use crate::directives::{Alias, Attributes, Directives, Pragma};
use crate::initializer::Initializer;
use crate::section::SectionBlock;
use crate::statement::Statement;
use crate::text::{Name, TextRange};
use crate::types::{FunctionKind, Linkage, ScalarType, StateSpace};

/// A module: the text and its items in text order.
#[derive(Debug, Clone)]
pub struct Module<'a> {
    /// The whole text, unchanged; every range points into it.
    pub text: &'a str,
    /// The items, ascending and disjoint. Comments and blanks lie between them.
    pub items: Vec<Item<'a>>,
}

impl<'a> Module<'a> {
    /// The first `.version`.
    pub fn version(&self) -> Option<&VersionDirective> {
        self.items.iter().find_map(|item| match item {
            Item::Version(version) => Some(version),
            _ => None,
        })
    }

    /// The first `.target`.
    pub fn target(&self) -> Option<&TargetDirective<'a>> {
        self.items.iter().find_map(|item| match item {
            Item::Target(target) => Some(target),
            _ => None,
        })
    }

    /// All `.target`: those at module scope, and those in bodies, where ptxas takes them too.
    pub fn targets(&self) -> impl Iterator<Item = &TargetDirective<'a>> {
        self.items.iter().flat_map(|item| {
            let (own, body) = match item {
                Item::Target(target) => (Some(target), None),
                Item::Function(function) => (None, function.body.as_ref()),
                _ => (None, None),
            };
            let in_body =
                body.into_iter().flat_map(|body| &body.statements).filter_map(|statement| match statement {
                    Statement::Target(target) => Some(&**target),
                    _ => None,
                });
            own.into_iter().chain(in_body)
        })
    }

    /// The architecture that the module is for: the last one of all `.target`.
    pub fn arch(&self) -> Option<&Name<'a>> {
        self.targets().filter_map(TargetDirective::arch).last()
    }

    /// Whether `debug` is among the words of any `.target`.
    pub fn is_debug(&self) -> bool {
        self.targets().any(TargetDirective::is_debug)
    }

    /// The `.file` directives at module scope.
    pub fn files(&self) -> impl Iterator<Item = &FileDirective<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::File(file) => Some(file),
            _ => None,
        })
    }

    /// Functions and prototypes.
    pub fn functions(&self) -> impl Iterator<Item = &Function<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(&**function),
            _ => None,
        })
    }

    /// The `.section` blocks at module scope.
    pub fn sections(&self) -> impl Iterator<Item = &SectionBlock<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::Section(section) => Some(section),
            _ => None,
        })
    }

    /// The `@@DWARF` lines; [`crate::section_data::assemble_at_dwarf`] joins them to sections.
    pub fn at_dwarf(&self) -> impl Iterator<Item = &AtDwarf<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::AtDwarf(line) => Some(line),
            _ => None,
        })
    }

    /// Variables at module scope.
    pub fn variables(&self) -> impl Iterator<Item = &Variable<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(variable),
            _ => None,
        })
    }
}

/// One item of a module.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Item<'a> {
    /// `.version`
    Version(VersionDirective),
    /// `.target`
    Target(TargetDirective<'a>),
    /// `.address_size`
    AddressSize(AddressSizeDirective),
    /// `.file`
    File(FileDirective<'a>),
    /// `.section`
    Section(SectionBlock<'a>),
    /// An `@@DWARF` line.
    AtDwarf(AtDwarf<'a>),
    /// A variable declaration.
    Variable(Variable<'a>),
    /// A function or a prototype.
    Function(Box<Function<'a>>),
    /// `.pragma`
    Pragma(Pragma<'a>),
    /// `.alias`
    Alias(Alias<'a>),
    /// Not PTX; an error says why.
    Unknown(TextRange),
}

impl Item<'_> {
    /// Where the item stands.
    pub fn range(&self) -> TextRange {
        match self {
            Self::Version(node) => node.range,
            Self::Target(node) => node.range,
            Self::AddressSize(node) => node.range,
            Self::File(node) => node.range,
            Self::Section(node) => node.range,
            Self::AtDwarf(node) => node.range,
            Self::Variable(node) => node.range,
            Self::Function(node) => node.range,
            Self::Pragma(node) => node.range,
            Self::Alias(node) => node.range,
            Self::Unknown(range) => *range,
        }
    }
}

/// `.version MAJOR.MINOR` (PTX ISA §.version): two integers, so 7.10 is not 7.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionDirective {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
    /// The whole directive.
    pub range: TextRange,
}

/// `.target sm_90a, debug` (PTX ISA §.target).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetDirective<'a> {
    /// The words as written, not checked against a list.
    pub specifiers: Vec<Name<'a>>,
    /// The whole directive.
    pub range: TextRange,
}

impl<'a> TargetDirective<'a> {
    /// The specifier that names an architecture (`sm_90a`, `compute_75`); of several the last, which ptxas goes by.
    pub fn arch(&self) -> Option<&Name<'a>> {
        self.specifiers
            .iter()
            .rev()
            .find(|name| name.text.starts_with("sm_") || name.text.starts_with("compute_"))
    }

    /// Whether `debug` is among the specifiers.
    pub fn is_debug(&self) -> bool {
        self.specifiers.iter().any(|name| name.text == "debug")
    }
}

/// `.address_size 64` (PTX ISA §.address_size).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressSizeDirective {
    /// In bits; 32 or 64 unless an error says otherwise.
    pub bits: u32,
    /// The whole directive.
    pub range: TextRange,
}

/// `.file INDEX "PATH" [, TIMESTAMP [, SIZE]]` (PTX ISA §.file; ptxas 13.0.88 takes a time alone).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDirective<'a> {
    /// The number that `.loc` uses, as ptxas reads it (32 bits).
    pub index: u64,
    /// The text between the quotes: ptxas decodes no escapes.
    pub path: &'a str,
    /// Where `path` stands, without the quotes.
    pub path_range: TextRange,
    /// Seconds since 1970, modulo 2^64.
    pub timestamp: Option<u64>,
    /// Bytes of the source file, modulo 2^64.
    pub size: Option<u64>,
    /// No error cut it short.
    pub(crate) whole: bool,
    /// The whole directive.
    pub range: TextRange,
}

/// `.loc FILE LINE COLUMN [, function_name NAME[+N], inlined_at FILE LINE COLUMN]` (PTX ISA §.loc).
///
/// Numbers are those ptxas sees: 32 bits, an error where it reports an overflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocDirective<'a> {
    /// Index of a `.file`, which need not exist.
    pub file: u64,
    /// 1-based line; 0 for none.
    pub line: u64,
    /// 1-based column; 0 for none.
    pub column: u64,
    /// The call this place was inlined at.
    pub inlined_at: Option<Box<InlinedAt<'a>>>,
    /// The whole directive.
    pub range: TextRange,
}

/// The inline part of a `.loc`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinedAt<'a> {
    /// A label of `.debug_str`, or `.debug_str` itself.
    pub function_name: Name<'a>,
    /// Bytes added to it, cut to 32 bits as ptxas does.
    pub name_offset: u64,
    /// File of the call.
    pub file: u64,
    /// Line of the call.
    pub line: u64,
    /// Column of the call.
    pub column: u64,
    /// From `function_name` to the last number.
    pub range: TextRange,
}

/// A variable declaration with one or more declarators (PTX ISA §Variables).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Where it lives.
    pub space: StateSpace,
    /// Who sees it.
    pub linkage: Linkage,
    /// Alignment in bytes, as written.
    pub align: Option<u64>,
    /// Element type.
    pub ty: ScalarType,
    /// Elements of a vector type: 2, 4 or 8.
    pub vector: Option<u8>,
    /// N of `.const[N]` (PTX 1.x to 2.1); 0 for `.const[]`.
    pub bank: Option<u64>,
    /// `.attribute(...)` before the type.
    pub attributes: Option<Attributes<'a>>,
    /// The names declared. May be empty: ptxas accepts `.reg .b32 ;`.
    pub declarators: Vec<Declarator<'a>>,
    /// With the `;`.
    pub range: TextRange,
}

impl Variable<'_> {
    /// Size in bytes of what `declarator` names (one register of `%r<N>`).
    ///
    /// None without a size: `.pred`, a flexible array `[]`, a size beyond 64 bits.
    pub fn size(&self, declarator: &Declarator<'_>) -> Option<u64> {
        let element = self.ty.size()?.checked_mul(self.vector.map_or(1, u64::from))?;
        if declarator.dimensions.contains(&0) {
            return None;
        }
        declarator.dimensions.iter().try_fold(element, |size, &dimension| size.checked_mul(dimension))
    }

    /// Alignment in bytes: as written, else that of the type (of the whole vector).
    pub fn alignment(&self) -> u64 {
        self.align.unwrap_or_else(|| natural_alignment(self.ty, self.vector))
    }
}

fn natural_alignment(ty: ScalarType, vector: Option<u8>) -> u64 {
    ty.size().unwrap_or(1) * vector.map_or(1, u64::from)
}

/// One name of a [`Variable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarator<'a> {
    /// The name, or the prefix of a register range.
    pub name: Name<'a>,
    /// `N` of `%r<N>`: the names `%r0` to `%r(N-1)`.
    pub registers: Option<u32>,
    /// `[4][5]`; 0 for an empty `[]`.
    pub dimensions: Vec<u64>,
    /// What follows the `=`.
    pub initializer: Option<Initializer<'a>>,
}

/// A function or a prototype (PTX ISA §Kernel and Function Directives).
#[derive(Debug, Clone)]
pub struct Function<'a> {
    /// Kernel or device function.
    pub kind: FunctionKind,
    /// Its name; empty where it is missing.
    pub name: Name<'a>,
    /// Who sees it.
    pub linkage: Linkage,
    /// Return parameters.
    pub returns: Vec<Parameter<'a>>,
    /// Parameters.
    pub params: Vec<Parameter<'a>>,
    /// `.attribute(...)` behind `.func`.
    pub attributes: Option<Attributes<'a>>,
    /// Those between parameters and body (`.maxntid 128`).
    pub directives: Directives<'a>,
    /// None for a prototype.
    pub body: Option<Body<'a>>,
    /// From the linkage word to `}` or `;`.
    pub range: TextRange,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// `.param` or `.reg`.
    pub space: StateSpace,
    /// `_` in a call prototype. None where it is missing; an error says so.
    pub name: Option<Name<'a>>,
    /// Element type.
    pub ty: ScalarType,
    /// Elements of a vector type.
    pub vector: Option<u8>,
    /// Alignment in bytes, as written.
    pub align: Option<u64>,
    /// Elements of an array; 0 for `[]`.
    pub array: Option<u64>,
    /// `.ptr` of a kernel parameter.
    pub pointer: Option<Pointer>,
    /// From the state space to the end of the declarator.
    pub range: TextRange,
}

impl Parameter<'_> {
    /// Size in bytes; none for `.pred` and beyond 64 bits.
    pub fn size(&self) -> Option<u64> {
        let element = self.ty.size()?.checked_mul(self.vector.map_or(1, u64::from))?;
        element.checked_mul(self.array.unwrap_or(1))
    }

    /// Alignment in bytes: as written, else that of the type (of the whole vector).
    pub fn alignment(&self) -> u64 {
        self.align.unwrap_or_else(|| natural_alignment(self.ty, self.vector))
    }
}

/// `.ptr [SPACE] [.align N]` (PTX ISA §Kernel Parameter Attribute: .ptr).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// What it points into; none for generic addresses.
    pub space: Option<StateSpace>,
    /// Alignment in bytes of what it points to.
    pub align: Option<u64>,
}

/// The statements of a function, nested blocks inline.
#[derive(Debug, Clone)]
pub struct Body<'a> {
    /// The `{`.
    pub open: TextRange,
    /// The `}`; empty where it is missing.
    pub close: TextRange,
    /// In text order; a nested block is `BlockOpen` ... `BlockClose`.
    pub statements: Vec<Statement<'a>>,
}
