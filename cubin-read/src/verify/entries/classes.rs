//! Classes of values that attributes can have (DWARF 2.0.0 figure 14; later versions allow more).

use crate::entries::{Attribute, Value};
use gimli::DwAt;

/// The class of a value in a word.
pub(super) fn of(value: &Value) -> &'static str {
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

/// What a value that an attribute cannot have should be. Attributes that are not in the table may be anything.
pub(super) fn misfit(attribute: &Attribute<'_>) -> Option<String> {
    let (_, allowed) = CLASSES.iter().find(|(names, _)| names.contains(&attribute.name))?;
    (!allowed.contains(&of(&attribute.value))).then(|| allowed.join(" or "))
}

const CLASSES: [(&[DwAt], &[&str]); 9] = [
    (&[gimli::DW_AT_low_pc, gimli::DW_AT_entry_pc], &["address"]),
    (&[gimli::DW_AT_high_pc], &["address", "constant"]),
    (
        &[
            gimli::DW_AT_name,
            gimli::DW_AT_comp_dir,
            gimli::DW_AT_producer,
            gimli::DW_AT_linkage_name,
            gimli::DW_AT_MIPS_linkage_name,
        ],
        &["string"],
    ),
    (
        &[
            gimli::DW_AT_type,
            gimli::DW_AT_sibling,
            gimli::DW_AT_abstract_origin,
            gimli::DW_AT_specification,
            gimli::DW_AT_import,
            gimli::DW_AT_containing_type,
        ],
        &["reference"],
    ),
    (
        &[
            gimli::DW_AT_decl_file,
            gimli::DW_AT_decl_line,
            gimli::DW_AT_decl_column,
            gimli::DW_AT_call_file,
            gimli::DW_AT_call_line,
            gimli::DW_AT_call_column,
            gimli::DW_AT_language,
            gimli::DW_AT_encoding,
            gimli::DW_AT_inline,
            gimli::DW_AT_external,
            gimli::DW_AT_declaration,
            gimli::DW_AT_artificial,
            gimli::DW_AT_prototyped,
            gimli::DW_AT_accessibility,
            gimli::DW_AT_virtuality,
        ],
        &["constant"],
    ),
    (
        &[gimli::DW_AT_byte_size, gimli::DW_AT_bit_size, gimli::DW_AT_bit_offset],
        &["constant", "reference", "block"],
    ),
    (&[gimli::DW_AT_stmt_list, gimli::DW_AT_macro_info, gimli::DW_AT_ranges], &["offset"]),
    (&[gimli::DW_AT_location, gimli::DW_AT_frame_base], &["block", "offset"]),
    (&[gimli::DW_AT_data_member_location], &["block", "offset", "constant"]),
];
