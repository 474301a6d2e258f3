//! The two spaces of a section, native and Mercury, and the two forms of relocation section, `.rel`
//! and `.rela`.

use schemars::JsonSchema;
use serde::Serialize;

/// Whether a section is native or a Mercury clone: files for sm_100 and later have two copies of
/// many sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// A native section, such as `.debug_line`. Its addresses are those of the code in the file.
    Native,
    /// A Mercury section (`.nv.merc.*`). Its addresses are those of the Mercury code, from which
    /// the native code is made (formats/capsule.md).
    Mercury,
}
