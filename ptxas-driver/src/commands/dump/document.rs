//! The document of `dump --json`.

use cubin_debuginfo::dump::{Header, Section};
use serde::Serialize;

/// The document of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    pub(super) schema: &'static str,
    pub(super) schema_version: u32,
    pub(super) file: &'a str,
    pub(super) sm: u32,
    pub(super) e_type: u16,
    /// Where the machine code is: `here`, `other-file` or `none`.
    pub(super) code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section_table: Option<Vec<Header>>,
    pub(super) sections: Vec<Section<'a>>,
}
