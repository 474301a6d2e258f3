//! What a command says of a cubin, and what that makes the exit status where several are looked at.
//!
//! The rule: a query fails when no image answers it. What is wrong with an image itself fails always.

use crate::stderr::FAILURE;
use std::process::ExitCode;
use thiserror::Error;

/// What was shown of a cubin.
#[derive(Debug)]
pub(in crate::commands) struct Shown {
    /// Whether nothing that was looked at is wrong.
    is_sound: bool,
    /// Whether each query, in the order of the command line, has an answer in this cubin; empty where nothing was asked
    /// that another cubin could answer instead.
    answers: Vec<bool>,
}

impl Shown {
    /// Without queries, or where all have an answer.
    pub(in crate::commands) fn all(is_sound: bool) -> Self {
        Self { is_sound, answers: Vec::new() }
    }

    /// Of queries that have an answer each, or not.
    pub(in crate::commands) fn answers(answers: Vec<bool>) -> Self {
        Self { is_sound: true, answers }
    }

    /// The same, if something that was looked at is wrong.
    pub(in crate::commands) fn unsound(self) -> Self {
        Self { is_sound: false, ..self }
    }

    /// The exit status where this is the only cubin.
    pub(super) fn code(self) -> ExitCode {
        Tally::of(self).code()
    }
}

/// Why a cubin answers no query: not a fault of it where another cubin of the file does.
#[derive(Debug, Error)]
#[error("{0}")]
pub(in crate::commands) struct Unanswered(pub(in crate::commands) String);

/// What came of all cubins of a file.
#[derive(Debug, Default)]
pub(super) struct Tally {
    has_fault: bool,
    has_shown: bool,
    has_refused: bool,
    answers: Vec<bool>,
}

impl Tally {
    fn of(shown: Shown) -> Self {
        let mut tally = Self::default();
        tally.add(shown);
        tally
    }

    pub(super) fn add(&mut self, shown: Shown) {
        self.has_shown = true;
        self.has_fault |= !shown.is_sound;
        if self.answers.is_empty() {
            self.answers = shown.answers;
        } else {
            for (any, this) in self.answers.iter_mut().zip(shown.answers) {
                *any |= this;
            }
        }
    }

    /// A cubin was [`Unanswered`].
    pub(super) fn refuse(&mut self) {
        self.has_refused = true;
    }

    /// Something cannot be read.
    pub(super) fn fault(&mut self) {
        self.has_fault = true;
    }

    /// Whether every cubin was [`Unanswered`].
    pub(super) fn is_unanswered(&self) -> bool {
        self.has_refused && !self.has_shown
    }

    pub(super) fn code(&self) -> ExitCode {
        let fails = self.has_fault || self.is_unanswered() || self.answers.contains(&false);
        if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_fails_when_no_image_answers_it() {
        let fails = |all: &[Option<&[bool]>]| {
            let mut tally = Tally::default();
            for answers in all {
                match answers {
                    Some(answers) => tally.add(Shown::answers(answers.to_vec())),
                    None => tally.refuse(),
                }
            }
            tally.code() == ExitCode::from(FAILURE)
        };
        assert!(!fails(&[]) && !fails(&[Some(&[])]) && !fails(&[Some(&[true, true])]));
        assert!(!fails(&[Some(&[true, false]), None, Some(&[false, true])]));
        assert!(fails(&[Some(&[true, false]), Some(&[true, false])]));
        assert!(fails(&[None, None]) && !fails(&[None, Some(&[])]));
        assert!(Tally::of(Shown::answers(vec![true]).unsound()).code() == ExitCode::from(FAILURE));
        assert!(Tally::of(Shown::all(false)).code() == ExitCode::from(FAILURE));
    }
}
