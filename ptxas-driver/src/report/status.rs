//! The effect of answers on the exit status.

use std::process::ExitCode;

/// The exit status of every command except `compile`, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Exit {
    /// Every query has an answer, and nothing was found that makes the command fail (exit status
    /// 0).
    #[default]
    Answered,
    /// Something was found that makes the command fail, or a query has no answer (exit status 1).
    Findings,
    /// The command line is wrong, or a file cannot be read or written (exit status 2).
    Unreadable,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Exit {
    /// Returns [`Findings`](Self::Findings) if there are findings.
    pub fn findings_if(has_findings: bool) -> Self {
        if has_findings { Self::Findings } else { Self::Answered }
    }
}

/// The effect that the result for one file or image has on the exit status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// Whether the result has findings that make the command fail.
    pub has_findings: bool,
    /// For each query, in the order of the command line, whether this image answers it. Empty if no
    /// query was given that another image of the file could answer instead.
    pub queries: Vec<bool>,
}

/// What came of all images of one file.
#[derive(Debug, Default)]
pub(super) struct FileOutcome {
    exit: Exit,
    has_answer: bool,
    has_refused: bool,
    queries: Vec<bool>,
}

impl FileOutcome {
    pub(super) fn add(&mut self, status: Status) {
        self.has_answer = true;
        self.exit = self.exit.max(Exit::findings_if(status.has_findings));
        self.add_queries(status);
    }

    fn add_queries(&mut self, status: Status) {
        if self.queries.is_empty() {
            self.queries = status.queries;
        } else {
            for (any, this) in self.queries.iter_mut().zip(status.queries) {
                *any |= this;
            }
        }
    }

    /// An image has nothing of what was asked.
    pub(super) fn pass_over(&mut self, status: Status) {
        self.has_refused = true;
        self.add_queries(status);
    }

    /// An image answers no query.
    pub(super) fn refuse(&mut self) {
        self.has_refused = true;
    }

    /// Something cannot be read.
    pub(super) fn fault(&mut self) {
        self.exit = Exit::Unreadable;
    }

    /// Whether there are images, and none has an answer.
    pub(super) fn is_unanswered(&self) -> bool {
        self.has_refused && !self.has_answer
    }

    pub(super) fn exit(&self) -> Exit {
        self.exit.max(Exit::findings_if(self.is_unanswered() || self.queries.contains(&false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_fails_when_no_image_answers_it() {
        let exit = |all: &[Option<&[bool]>]| {
            let mut tally = FileOutcome::default();
            for queries in all {
                match queries {
                    Some(queries) => tally.add(Status { queries: queries.to_vec(), ..Status::default() }),
                    None => tally.refuse(),
                }
            }
            tally.exit()
        };
        let answered: [&[Option<&[bool]>]; 5] = [
            &[],
            &[Some(&[])],
            &[Some(&[true, true])],
            &[Some(&[true, false]), None, Some(&[false, true])],
            &[None, Some(&[])],
        ];
        for all in answered {
            assert_eq!(exit(all), Exit::Answered, "{all:?}");
        }
        let not: [&[Option<&[bool]>]; 2] = [&[Some(&[true, false]), Some(&[true, false])], &[None, None]];
        for all in not {
            assert_eq!(exit(all), Exit::Findings, "{all:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_worse_than_what_was_found() {
        let mut tally = FileOutcome::default();
        tally.add(Status { has_findings: true, queries: vec![true] });
        assert_eq!(tally.exit(), Exit::Findings);
        tally.fault();
        tally.add(Status::default());
        assert_eq!(tally.exit(), Exit::Unreadable);
    }
}
