//! The answer to one query, before it has a form.

use crate::report::CubinKind;
use cubin_debuginfo::images::RequestKind;
use cubin_debuginfo::lines::AddressAnswer;

/// The answer to one query.
pub(super) struct Reply<'q, 'a> {
    /// The query as it is repeated.
    pub(super) asked: &'q str,
    pub(super) kind: RequestKind,
    /// The file that the query names, else the only file; empty if there are several.
    pub(super) module: &'q str,
    /// The number that the query is, if it is one.
    pub(super) number: Option<u64>,
    /// The cubin that answers.
    pub(super) cubin: Option<AnsweringCubin<'q>>,
    pub(super) addresses: Vec<AddressAnswer<'a, 'static>>,
    /// Why there is no answer, or no further one.
    pub(super) error: Option<ReplyError>,
}

/// A cubin that answers a query.
#[derive(Clone, Copy)]
pub(super) struct AnsweringCubin<'n> {
    pub(super) name: &'n str,
    /// Whether there is no other one that could answer.
    pub(super) is_only: bool,
    /// Whether the file that it was read from is its name, in whatever spelling.
    pub(super) is_named_by_file: bool,
    pub(super) kind: CubinKind,
}

/// Why a query has no answer.
pub(super) enum ReplyError {
    /// The file that it names cannot be read.
    File(String),
    /// Another reason.
    Query(String),
}

impl ReplyError {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::File(text) | Self::Query(text) => text,
        }
    }
}

impl<'q> Reply<'q, '_> {
    /// A reply without an answer.
    pub(super) fn failed(asked: &'q str, module: &'q str, error: ReplyError) -> Self {
        let (kind, addresses) = (RequestKind::Code, Vec::new());
        Self { asked, kind, module, number: None, cubin: None, addresses, error: Some(error) }
    }

    /// The name of the file or cubin that the reply is of; empty if none is known.
    pub(super) fn module_name(&self) -> &'q str {
        match self.cubin {
            Some(cubin) if self.module.is_empty() || !cubin.is_named_by_file => cubin.name,
            _ => self.module,
        }
    }

    /// Whether a line table covers every address that the query means.
    pub(super) fn is_answered(&self) -> bool {
        self.error.is_none() && self.addresses.iter().all(|address| !address.lines.is_empty())
    }
}
