//! Statements of a function body.

use super::instruction::Instruction;
use crate::branch_targets::Targets;
use crate::call_prototype::CallPrototype;
use crate::file_directive::FileDirective;
use crate::header::TargetDirective;
use crate::intermediate::IntermediateLoc;
use crate::loc::LocDirective;
use crate::name::Name;
use crate::pragma::Pragma;
use crate::section::SectionBlock;
use crate::text_range::TextRange;
use crate::variable::Variable;

/// One statement of a function body. The statements of nested blocks are in the same flat list, so
/// no input causes recursion.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Statement<'a> {
    /// `.loc`
    Loc(LocDirective<'a>),
    /// `.loc_intermediate`
    IntermediateLoc(IntermediateLoc),
    /// `NAME:`; the range is the name's.
    Label(Name<'a>),
    /// An instruction with its `;`.
    Instruction(Instruction<'a>),
    /// A declaration of variables or registers.
    Variable(Box<Variable<'a>>),
    /// The `{` that opens a nested block.
    BlockOpen(TextRange),
    /// The `}` that closes a nested block.
    BlockClose(TextRange),
    /// A `.file` in a function body, which ptxas refuses; a syntax error says so.
    File(Box<FileDirective<'a>>),
    /// A `.section` in a function body, which ptxas refuses; a syntax error says so.
    Section(Box<SectionBlock<'a>>),
    /// `.pragma`
    Pragma(Pragma<'a>),
    /// A `.target` in a function body. It has the same effect for ptxas as one at the start of the
    /// module.
    Target(Box<TargetDirective<'a>>),
    /// A `.branchtargets` list, with the label before it.
    BranchTargets(Targets<'a>),
    /// A `.calltargets` list, with the label before it.
    CallTargets(Targets<'a>),
    /// A `.callprototype`, with the label before it.
    CallPrototype(Box<CallPrototype<'a>>),
    /// A text that is not PTX; a syntax error says why.
    Unknown(TextRange),
}

impl Statement<'_> {
    /// The range of the statement in the text.
    pub fn range(&self) -> TextRange {
        match self {
            Self::Loc(node) => node.range,
            Self::IntermediateLoc(node) => node.range,
            Self::Label(node) => node.range,
            Self::Instruction(node) => node.range,
            Self::Variable(node) => node.range,
            Self::File(node) => node.range,
            Self::Section(node) => node.range,
            Self::Pragma(node) => node.range,
            Self::Target(node) => node.range,
            Self::BranchTargets(node) | Self::CallTargets(node) => node.range,
            Self::CallPrototype(node) => node.range,
            Self::BlockOpen(range) | Self::BlockClose(range) | Self::Unknown(range) => *range,
        }
    }
}
