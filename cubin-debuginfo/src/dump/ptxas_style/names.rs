//! The names that cuobjdump 13.0.88 gives to tags, attributes and forms: those of DWARF 2 and some
//! of DWARF 3, some by older names. Other numbers have an empty name. Observed by putting every
//! number in place of another in a cubin.

use dwarf2_reader::constants::{DW_AT, DW_FORM, DW_TAG, NameTable};

/// Tags that have another name than in our table.
const TAGS: &[(u16, &str)] = &[(0x3e, "DW_TAG_mutable_type")];

/// Attributes that have another name than in our table.
const ATTRIBUTES: &[(u16, &str)] = &[
    (0x0a, "DW_AT_subscr_data"),
    (0x0f, "DW_AT_element_list"),
    (0x14, "DW_AT_member"),
    (0x2e, "DW_AT_stride_size"),
    (0x51, "DW_AT_stride"),
    (0x2007, "DW_AT_MIPS_linkage_name"),
    (0x2134, "DW_AT_GNU_pubnames"),
];

/// The last attribute with a name in the row from 1, plus one.
const LAST_ATTRIBUTE: u16 = 0x5a;
const SIGNATURE_LIKE: u16 = 0x6a;

/// The last form of DWARF 2.
const LAST_FORM: u16 = 0x16;

/// Attributes whose blocks are shown as operations: `DW_AT_location`, `DW_AT_bit_stride`,
/// `DW_AT_data_member_location`, `DW_AT_stride`. `DW_AT_frame_base` is not among them.
const LOCATIONS: [u16; 4] = [0x02, 0x2e, 0x38, 0x51];

fn name(
    number: u16,
    own: &'static [(u16, &'static str)],
    table: &NameTable<u16>,
    is_known: impl Fn(u16) -> bool,
) -> &'static str {
    let own = own.iter().find(|(known, _)| *known == number).map(|(_, name)| *name);
    own.or_else(|| table.name(number).filter(|_| is_known(number))).unwrap_or_default()
}

/// Returns the name that cuobjdump prints for a tag. Above the highest tag that cuobjdump knows, it
/// is the DWARF name, if any.
pub fn tag(number: u16) -> &'static str {
    name(number, TAGS, &DW_TAG, |_| true)
}

/// Returns the name that cuobjdump prints for an attribute, or an empty text if it has none.
pub fn attribute(number: u16) -> &'static str {
    name(number, ATTRIBUTES, &DW_AT, |number| number <= LAST_ATTRIBUTE || number == SIGNATURE_LIKE)
}

/// Returns the name that cuobjdump prints for a form, or an empty text if it has none.
pub fn form(number: u16) -> &'static str {
    name(number, &[], &DW_FORM, |number| number <= LAST_FORM)
}

/// Whether blocks of the attribute are shown as operations.
pub(super) fn is_location(attribute: u16) -> bool {
    LOCATIONS.contains(&attribute)
}
