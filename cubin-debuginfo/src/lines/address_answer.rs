//! The function, the source line and the PTX line of one address, as an answer.

use super::AddressLines;
use crate::names::Name;
use schemars::JsonSchema;
use serde::Serialize;

/// The function, the source line and the PTX line of one address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddressAnswer<'a, 's> {
    /// The name of the code section that contains the address.
    pub section: &'s str,
    /// The index of the code section in the section table.
    pub section_index: u32,
    /// Byte offset of the address in the code section.
    pub offset: u64,
    /// The function that contains the address, also if it is folded into the section of a kernel.
    /// `None` where no symbol covers the address.
    pub function: Option<Name>,
    /// Byte offset of the address in the function.
    pub function_offset: u64,
    /// The source lines and the PTX line of the address.
    #[serde(flatten)]
    pub lines: AddressLines<'a, 's>,
}
