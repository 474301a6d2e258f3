//! The syntax tree: the items of a module in text order, borrowed from the text.

use super::function::Function;
use crate::alias::Alias;
use crate::at_dwarf::AtDwarf;
use crate::file_directive::FileDirective;
use crate::header::{AddressSizeDirective, TargetDirective, VersionDirective};
use crate::intermediate::{CodeBlock, IntermediateSources};
use crate::name::Name;
use crate::pragma::Pragma;
use crate::section::SectionBlock;
use crate::statement::Statement;
use crate::text_range::TextRange;
use crate::variable::Variable;

/// A PTX module: its text, and its items in text order.
#[derive(Debug, Clone)]
pub struct Module<'a> {
    /// The whole text of the module, unchanged. Every range counts from its start.
    pub text: &'a str,
    /// The items of the module, ascending and disjoint. Comments and blanks lie between them.
    pub items: Vec<Item<'a>>,
}

impl<'a> Module<'a> {
    /// Returns the first `.version` directive.
    pub fn version(&self) -> Option<&VersionDirective> {
        self.items.iter().find_map(|item| match item {
            Item::Version(version) => Some(version),
            _ => None,
        })
    }

    /// Returns the first `.target` directive.
    pub fn target(&self) -> Option<&TargetDirective<'a>> {
        self.items.iter().find_map(|item| match item {
            Item::Target(target) => Some(target),
            _ => None,
        })
    }

    /// Iterates over all `.target` directives: those at module scope, and those in bodies, where
    /// ptxas accepts them too.
    pub fn targets(&self) -> impl Iterator<Item = &TargetDirective<'a>> {
        self.items.iter().flat_map(|item| {
            let (own, body) = match item {
                Item::Target(target) => (Some(target), None),
                Item::Function(function) => (None, function.body.as_ref().filter(|body| body.has_targets)),
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

    /// Returns the architecture that the module is for: the last that any `.target` names.
    pub fn arch(&self) -> Option<&Name<'a>> {
        self.targets().filter_map(TargetDirective::arch).last()
    }

    /// Whether `debug` is among the words of any `.target` of the module.
    pub fn is_debug(&self) -> bool {
        self.targets().any(TargetDirective::is_debug)
    }

    /// Iterates over the `.file` directives at module scope.
    pub fn files(&self) -> impl Iterator<Item = &FileDirective<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::File(file) => Some(file),
            _ => None,
        })
    }

    /// Iterates over the functions and prototypes of the module.
    pub fn functions(&self) -> impl Iterator<Item = &Function<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(&**function),
            _ => None,
        })
    }

    /// Iterates over the `.section` blocks at module scope.
    pub fn sections(&self) -> impl Iterator<Item = &SectionBlock<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::Section(section) => Some(section),
            _ => None,
        })
    }

    /// Iterates over the texts of intermediate languages, in text order.
    pub fn code_blocks(&self) -> impl Iterator<Item = &CodeBlock<'a>> {
        let sources = self.items.iter().filter_map(|item| match item {
            Item::IntermediateSources(sources) => Some(sources),
            _ => None,
        });
        sources.flat_map(|sources| &sources.blocks)
    }

    /// Iterates over the `@@DWARF` lines. [`crate::assemble_at_dwarf`] joins them to
    /// sections.
    pub fn at_dwarf(&self) -> impl Iterator<Item = &AtDwarf<'a>> {
        self.items.iter().filter_map(|item| match item {
            Item::AtDwarf(line) => Some(line),
            _ => None,
        })
    }

    /// Iterates over the variables at module scope.
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
    /// `.nv_intermediate_source_section`
    IntermediateSources(IntermediateSources<'a>),
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
    /// A text that is not PTX; a syntax error says why.
    Unknown(TextRange),
}

impl Item<'_> {
    /// The range of the item in the text.
    pub fn range(&self) -> TextRange {
        match self {
            Self::Version(node) => node.range,
            Self::Target(node) => node.range,
            Self::AddressSize(node) => node.range,
            Self::File(node) => node.range,
            Self::Section(node) => node.range,
            Self::IntermediateSources(node) => node.range,
            Self::AtDwarf(node) => node.range,
            Self::Variable(node) => node.range,
            Self::Function(node) => node.range,
            Self::Pragma(node) => node.range,
            Self::Alias(node) => node.range,
            Self::Unknown(range) => *range,
        }
    }
}
