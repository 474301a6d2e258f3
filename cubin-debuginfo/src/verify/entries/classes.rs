//! The classes of values that attributes can have (DWARF 2.0.0 figure 14; later versions allow
//! more).

use crate::entries::{Attribute, Value};
use dwarf2_reader::constants as dw;

/// The class of a value in a word.
pub(super) fn class_of_value(value: &Value) -> &'static str {
    match value {
        Value::Address(_) => "address",
        Value::String(_) => "string",
        Value::Unsigned(_) | Value::Signed(_) => "constant",
        Value::Entry(_) => "reference",
        Value::Block(_) => "block",
        Value::Offset(..) => "offset",
        Value::Other(_) => "unknown",
    }
}

/// What a value that an attribute cannot have should be. Attributes that are not in the table may
/// be anything.
pub(super) fn misfit(attribute: &Attribute<'_>) -> Option<String> {
    let (_, allowed) = CLASSES.iter().find(|(names, _)| names.contains(&attribute.name))?;
    (!allowed.contains(&class_of_value(&attribute.value))).then(|| allowed.join(" or "))
}

const CLASSES: [(&[u16], &[&str]); 9] = [
    (&[dw::DW_AT_low_pc, dw::DW_AT_entry_pc], &["address"]),
    (&[dw::DW_AT_high_pc], &["address", "constant"]),
    (
        &[
            dw::DW_AT_name,
            dw::DW_AT_comp_dir,
            dw::DW_AT_producer,
            dw::DW_AT_linkage_name,
            dw::DW_AT_MIPS_linkage_name,
        ],
        &["string"],
    ),
    (
        &[
            dw::DW_AT_type,
            dw::DW_AT_sibling,
            dw::DW_AT_abstract_origin,
            dw::DW_AT_specification,
            dw::DW_AT_import,
            dw::DW_AT_containing_type,
        ],
        &["reference"],
    ),
    (
        &[
            dw::DW_AT_decl_file,
            dw::DW_AT_decl_line,
            dw::DW_AT_decl_column,
            dw::DW_AT_call_file,
            dw::DW_AT_call_line,
            dw::DW_AT_call_column,
            dw::DW_AT_language,
            dw::DW_AT_encoding,
            dw::DW_AT_inline,
            dw::DW_AT_external,
            dw::DW_AT_declaration,
            dw::DW_AT_artificial,
            dw::DW_AT_prototyped,
            dw::DW_AT_accessibility,
            dw::DW_AT_virtuality,
        ],
        &["constant"],
    ),
    (&[dw::DW_AT_byte_size, dw::DW_AT_bit_size, dw::DW_AT_bit_offset], &["constant", "reference", "block"]),
    (&[dw::DW_AT_stmt_list, dw::DW_AT_macro_info, dw::DW_AT_ranges], &["offset"]),
    (&[dw::DW_AT_location, dw::DW_AT_frame_base], &["block", "offset"]),
    (&[dw::DW_AT_data_member_location], &["block", "offset", "constant"]),
];
