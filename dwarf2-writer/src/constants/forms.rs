use super::NameTable;

pub const DW_FORM_addr: u16 = 0x01;
pub const DW_FORM_block2: u16 = 0x03;
pub const DW_FORM_block4: u16 = 0x04;
pub const DW_FORM_data2: u16 = 0x05;
pub const DW_FORM_data4: u16 = 0x06;
pub const DW_FORM_data8: u16 = 0x07;
pub const DW_FORM_string: u16 = 0x08;
pub const DW_FORM_block: u16 = 0x09;
pub const DW_FORM_block1: u16 = 0x0a;
pub const DW_FORM_data1: u16 = 0x0b;
pub const DW_FORM_flag: u16 = 0x0c;
pub const DW_FORM_sdata: u16 = 0x0d;
pub const DW_FORM_strp: u16 = 0x0e;
pub const DW_FORM_udata: u16 = 0x0f;
pub const DW_FORM_ref_addr: u16 = 0x10;
pub const DW_FORM_ref1: u16 = 0x11;
pub const DW_FORM_ref2: u16 = 0x12;
pub const DW_FORM_ref4: u16 = 0x13;
pub const DW_FORM_ref8: u16 = 0x14;
pub const DW_FORM_ref_udata: u16 = 0x15;
pub const DW_FORM_indirect: u16 = 0x16;
pub const DW_FORM_sec_offset: u16 = 0x17;
pub const DW_FORM_exprloc: u16 = 0x18;
pub const DW_FORM_flag_present: u16 = 0x19;
pub const DW_FORM_ref_sig8: u16 = 0x20;

/// Attribute encodings (DWARF 2.0.0 §7.5.4, figure 18; from 0x17 on DWARF 4).
pub static DW_FORM: NameTable<u16> = NameTable {
    prefix: "DW_FORM_",
    entries: &[
        (DW_FORM_addr, "DW_FORM_addr"),
        (DW_FORM_block2, "DW_FORM_block2"),
        (DW_FORM_block4, "DW_FORM_block4"),
        (DW_FORM_data2, "DW_FORM_data2"),
        (DW_FORM_data4, "DW_FORM_data4"),
        (DW_FORM_data8, "DW_FORM_data8"),
        (DW_FORM_string, "DW_FORM_string"),
        (DW_FORM_block, "DW_FORM_block"),
        (DW_FORM_block1, "DW_FORM_block1"),
        (DW_FORM_data1, "DW_FORM_data1"),
        (DW_FORM_flag, "DW_FORM_flag"),
        (DW_FORM_sdata, "DW_FORM_sdata"),
        (DW_FORM_strp, "DW_FORM_strp"),
        (DW_FORM_udata, "DW_FORM_udata"),
        (DW_FORM_ref_addr, "DW_FORM_ref_addr"),
        (DW_FORM_ref1, "DW_FORM_ref1"),
        (DW_FORM_ref2, "DW_FORM_ref2"),
        (DW_FORM_ref4, "DW_FORM_ref4"),
        (DW_FORM_ref8, "DW_FORM_ref8"),
        (DW_FORM_ref_udata, "DW_FORM_ref_udata"),
        (DW_FORM_indirect, "DW_FORM_indirect"),
        (DW_FORM_sec_offset, "DW_FORM_sec_offset"),
        (DW_FORM_exprloc, "DW_FORM_exprloc"),
        (DW_FORM_flag_present, "DW_FORM_flag_present"),
        (DW_FORM_ref_sig8, "DW_FORM_ref_sig8"),
    ],
    aliases: &[],
};

pub const DW_CHILDREN_no: u8 = 0x00;
pub const DW_CHILDREN_yes: u8 = 0x01;

/// Values of an abbreviation's flag that says whether its entries have children (DWARF 2.0.0
/// §7.5.4, figure 16).
pub static DW_CHILDREN: NameTable = NameTable {
    prefix: "DW_CHILDREN_",
    entries: &[(DW_CHILDREN_no, "DW_CHILDREN_no"), (DW_CHILDREN_yes, "DW_CHILDREN_yes")],
    aliases: &[],
};
