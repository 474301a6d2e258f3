//! What a ptxas is asked of a command line that is wrong, so that it says so in its own words.

use super::message::{PtxasQuestion, PtxasWord};
use super::table::{Id, Spec};
use super::value::{self, split_at_equals};
use super::{CodeChoice, MessageStyle};
use std::ffi::{OsStr, OsString};

/// The words of a command line that a ptxas has, noted while it is read.
#[derive(Debug, Default)]
pub(super) struct NotedWords {
    words: Vec<PtxasWord>,
    /// Where the option that is read now begins.
    begin: usize,
    /// Whether that option is one of ours, or what is wrong is found by us only.
    pub(super) is_ours: bool,
    /// Whether the environment has other words, which cannot stand before these.
    pub(super) are_incomplete: bool,
}

impl NotedWords {
    /// Notes an input.
    pub(super) fn input(&mut self, word: &OsStr) {
        self.words.push(PtxasWord::Typed(word.to_owned()));
    }

    /// Notes an option, as it was typed.
    pub(super) fn option(&mut self, word: &OsStr, is_ours: bool) {
        self.is_ours = is_ours;
        self.begin = self.words.len();
        self.value(word);
    }

    /// Notes the argument of the option.
    pub(super) fn value(&mut self, word: &OsStr) {
        if !self.is_ours {
            self.words.push(PtxasWord::Typed(word.to_owned()));
        }
    }

    /// Notes that the option with its value is sound.
    pub(super) fn is_read(&mut self, spec: &Spec, value: &OsStr) {
        match spec.id {
            Id::Output => {
                self.words.truncate(self.begin);
                self.words.push(PtxasWord::Output(value.to_owned()));
            }
            // Its words come next.
            Id::OptionsFile => self.words.truncate(self.begin),
            _ => {}
        }
    }

    /// Forgets the words. Whether there were any.
    pub(super) fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.words).is_empty()
    }

    /// The question to a ptxas.
    pub(super) fn question(self, arch: u32, has_no_input: bool) -> Option<PtxasQuestion> {
        (!self.is_ours && !self.are_incomplete).then_some(PtxasQuestion {
            words: self.words,
            arch,
            has_no_input,
        })
    }
}

/// Whether the lines of a ptxas are wanted, by the options so far and the words that follow them.
pub(super) fn wants_ptxas(
    mut style: Option<MessageStyle>,
    mut code: Option<CodeChoice>,
    rest: impl Iterator<Item = OsString>,
) -> bool {
    let mut rest = rest;
    while let Some(word) = rest.next() {
        let (name, attached) = split_at_equals(&word);
        let mut value = || attached.clone().or_else(|| rest.next()).unwrap_or_default();
        match name.as_str() {
            "--messages" => style = value::messages(&value().to_string_lossy()).or(style),
            "--code" => code = value::code(&value()).or(code.take()),
            _ => {}
        }
    }
    style == Some(MessageStyle::Ptxas) && code.is_none_or(|code| code == CodeChoice::Ptxas)
}
