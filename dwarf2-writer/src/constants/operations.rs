use super::NameTable;

pub const DW_OP_addr: u8 = 0x03;
pub const DW_OP_deref: u8 = 0x06;
pub const DW_OP_const1u: u8 = 0x08;
pub const DW_OP_const1s: u8 = 0x09;
pub const DW_OP_const2u: u8 = 0x0a;
pub const DW_OP_const2s: u8 = 0x0b;
pub const DW_OP_const4u: u8 = 0x0c;
pub const DW_OP_const4s: u8 = 0x0d;
pub const DW_OP_const8u: u8 = 0x0e;
pub const DW_OP_const8s: u8 = 0x0f;
pub const DW_OP_constu: u8 = 0x10;
pub const DW_OP_consts: u8 = 0x11;
pub const DW_OP_dup: u8 = 0x12;
pub const DW_OP_drop: u8 = 0x13;
pub const DW_OP_over: u8 = 0x14;
pub const DW_OP_pick: u8 = 0x15;
pub const DW_OP_swap: u8 = 0x16;
pub const DW_OP_rot: u8 = 0x17;
pub const DW_OP_xderef: u8 = 0x18;
pub const DW_OP_abs: u8 = 0x19;
pub const DW_OP_and: u8 = 0x1a;
pub const DW_OP_div: u8 = 0x1b;
pub const DW_OP_minus: u8 = 0x1c;
pub const DW_OP_mod: u8 = 0x1d;
pub const DW_OP_mul: u8 = 0x1e;
pub const DW_OP_neg: u8 = 0x1f;
pub const DW_OP_not: u8 = 0x20;
pub const DW_OP_or: u8 = 0x21;
pub const DW_OP_plus: u8 = 0x22;
pub const DW_OP_plus_uconst: u8 = 0x23;
pub const DW_OP_shl: u8 = 0x24;
pub const DW_OP_shr: u8 = 0x25;
pub const DW_OP_shra: u8 = 0x26;
pub const DW_OP_xor: u8 = 0x27;
pub const DW_OP_bra: u8 = 0x28;
pub const DW_OP_eq: u8 = 0x29;
pub const DW_OP_ge: u8 = 0x2a;
pub const DW_OP_gt: u8 = 0x2b;
pub const DW_OP_le: u8 = 0x2c;
pub const DW_OP_lt: u8 = 0x2d;
pub const DW_OP_ne: u8 = 0x2e;
pub const DW_OP_skip: u8 = 0x2f;
pub const DW_OP_lit0: u8 = 0x30;
pub const DW_OP_reg0: u8 = 0x50;
pub const DW_OP_breg0: u8 = 0x70;
pub const DW_OP_regx: u8 = 0x90;
pub const DW_OP_fbreg: u8 = 0x91;
pub const DW_OP_bregx: u8 = 0x92;
pub const DW_OP_piece: u8 = 0x93;
pub const DW_OP_deref_size: u8 = 0x94;
pub const DW_OP_xderef_size: u8 = 0x95;
pub const DW_OP_nop: u8 = 0x96;
pub const DW_OP_push_object_address: u8 = 0x97;
pub const DW_OP_call2: u8 = 0x98;
pub const DW_OP_call4: u8 = 0x99;
pub const DW_OP_call_ref: u8 = 0x9a;
pub const DW_OP_form_tls_address: u8 = 0x9b;
pub const DW_OP_call_frame_cfa: u8 = 0x9c;
pub const DW_OP_bit_piece: u8 = 0x9d;
pub const DW_OP_implicit_value: u8 = 0x9e;
pub const DW_OP_stack_value: u8 = 0x9f;

// Found by name only, as an operation in between has a meaning of its own.
pub const DW_OP_lo_user: u8 = 0xe0;
pub const DW_OP_hi_user: u8 = 0xff;

/// Operations of location expressions (DWARF 2.0.0 §2.4.3, DWARF 3 §2.5, and
/// `DW_OP_implicit_value`, `DW_OP_stack_value` of DWARF 4). Of the families `lit`, `reg` and `breg`
/// only the first member, such as `DW_OP_lit0`, has a constant of its own.
pub static DW_OP: NameTable = NameTable {
    prefix: "DW_OP_",
    entries: &[
        (DW_OP_addr, "DW_OP_addr"),
        (DW_OP_deref, "DW_OP_deref"),
        (DW_OP_const1u, "DW_OP_const1u"),
        (DW_OP_const1s, "DW_OP_const1s"),
        (DW_OP_const2u, "DW_OP_const2u"),
        (DW_OP_const2s, "DW_OP_const2s"),
        (DW_OP_const4u, "DW_OP_const4u"),
        (DW_OP_const4s, "DW_OP_const4s"),
        (DW_OP_const8u, "DW_OP_const8u"),
        (DW_OP_const8s, "DW_OP_const8s"),
        (DW_OP_constu, "DW_OP_constu"),
        (DW_OP_consts, "DW_OP_consts"),
        (DW_OP_dup, "DW_OP_dup"),
        (DW_OP_drop, "DW_OP_drop"),
        (DW_OP_over, "DW_OP_over"),
        (DW_OP_pick, "DW_OP_pick"),
        (DW_OP_swap, "DW_OP_swap"),
        (DW_OP_rot, "DW_OP_rot"),
        (DW_OP_xderef, "DW_OP_xderef"),
        (DW_OP_abs, "DW_OP_abs"),
        (DW_OP_and, "DW_OP_and"),
        (DW_OP_div, "DW_OP_div"),
        (DW_OP_minus, "DW_OP_minus"),
        (DW_OP_mod, "DW_OP_mod"),
        (DW_OP_mul, "DW_OP_mul"),
        (DW_OP_neg, "DW_OP_neg"),
        (DW_OP_not, "DW_OP_not"),
        (DW_OP_or, "DW_OP_or"),
        (DW_OP_plus, "DW_OP_plus"),
        (DW_OP_plus_uconst, "DW_OP_plus_uconst"),
        (DW_OP_shl, "DW_OP_shl"),
        (DW_OP_shr, "DW_OP_shr"),
        (DW_OP_shra, "DW_OP_shra"),
        (DW_OP_xor, "DW_OP_xor"),
        (DW_OP_bra, "DW_OP_bra"),
        (DW_OP_eq, "DW_OP_eq"),
        (DW_OP_ge, "DW_OP_ge"),
        (DW_OP_gt, "DW_OP_gt"),
        (DW_OP_le, "DW_OP_le"),
        (DW_OP_lt, "DW_OP_lt"),
        (DW_OP_ne, "DW_OP_ne"),
        (DW_OP_skip, "DW_OP_skip"),
        (DW_OP_lit0, "DW_OP_lit0"),
        (0x31, "DW_OP_lit1"),
        (0x32, "DW_OP_lit2"),
        (0x33, "DW_OP_lit3"),
        (0x34, "DW_OP_lit4"),
        (0x35, "DW_OP_lit5"),
        (0x36, "DW_OP_lit6"),
        (0x37, "DW_OP_lit7"),
        (0x38, "DW_OP_lit8"),
        (0x39, "DW_OP_lit9"),
        (0x3a, "DW_OP_lit10"),
        (0x3b, "DW_OP_lit11"),
        (0x3c, "DW_OP_lit12"),
        (0x3d, "DW_OP_lit13"),
        (0x3e, "DW_OP_lit14"),
        (0x3f, "DW_OP_lit15"),
        (0x40, "DW_OP_lit16"),
        (0x41, "DW_OP_lit17"),
        (0x42, "DW_OP_lit18"),
        (0x43, "DW_OP_lit19"),
        (0x44, "DW_OP_lit20"),
        (0x45, "DW_OP_lit21"),
        (0x46, "DW_OP_lit22"),
        (0x47, "DW_OP_lit23"),
        (0x48, "DW_OP_lit24"),
        (0x49, "DW_OP_lit25"),
        (0x4a, "DW_OP_lit26"),
        (0x4b, "DW_OP_lit27"),
        (0x4c, "DW_OP_lit28"),
        (0x4d, "DW_OP_lit29"),
        (0x4e, "DW_OP_lit30"),
        (0x4f, "DW_OP_lit31"),
        (DW_OP_reg0, "DW_OP_reg0"),
        (0x51, "DW_OP_reg1"),
        (0x52, "DW_OP_reg2"),
        (0x53, "DW_OP_reg3"),
        (0x54, "DW_OP_reg4"),
        (0x55, "DW_OP_reg5"),
        (0x56, "DW_OP_reg6"),
        (0x57, "DW_OP_reg7"),
        (0x58, "DW_OP_reg8"),
        (0x59, "DW_OP_reg9"),
        (0x5a, "DW_OP_reg10"),
        (0x5b, "DW_OP_reg11"),
        (0x5c, "DW_OP_reg12"),
        (0x5d, "DW_OP_reg13"),
        (0x5e, "DW_OP_reg14"),
        (0x5f, "DW_OP_reg15"),
        (0x60, "DW_OP_reg16"),
        (0x61, "DW_OP_reg17"),
        (0x62, "DW_OP_reg18"),
        (0x63, "DW_OP_reg19"),
        (0x64, "DW_OP_reg20"),
        (0x65, "DW_OP_reg21"),
        (0x66, "DW_OP_reg22"),
        (0x67, "DW_OP_reg23"),
        (0x68, "DW_OP_reg24"),
        (0x69, "DW_OP_reg25"),
        (0x6a, "DW_OP_reg26"),
        (0x6b, "DW_OP_reg27"),
        (0x6c, "DW_OP_reg28"),
        (0x6d, "DW_OP_reg29"),
        (0x6e, "DW_OP_reg30"),
        (0x6f, "DW_OP_reg31"),
        (DW_OP_breg0, "DW_OP_breg0"),
        (0x71, "DW_OP_breg1"),
        (0x72, "DW_OP_breg2"),
        (0x73, "DW_OP_breg3"),
        (0x74, "DW_OP_breg4"),
        (0x75, "DW_OP_breg5"),
        (0x76, "DW_OP_breg6"),
        (0x77, "DW_OP_breg7"),
        (0x78, "DW_OP_breg8"),
        (0x79, "DW_OP_breg9"),
        (0x7a, "DW_OP_breg10"),
        (0x7b, "DW_OP_breg11"),
        (0x7c, "DW_OP_breg12"),
        (0x7d, "DW_OP_breg13"),
        (0x7e, "DW_OP_breg14"),
        (0x7f, "DW_OP_breg15"),
        (0x80, "DW_OP_breg16"),
        (0x81, "DW_OP_breg17"),
        (0x82, "DW_OP_breg18"),
        (0x83, "DW_OP_breg19"),
        (0x84, "DW_OP_breg20"),
        (0x85, "DW_OP_breg21"),
        (0x86, "DW_OP_breg22"),
        (0x87, "DW_OP_breg23"),
        (0x88, "DW_OP_breg24"),
        (0x89, "DW_OP_breg25"),
        (0x8a, "DW_OP_breg26"),
        (0x8b, "DW_OP_breg27"),
        (0x8c, "DW_OP_breg28"),
        (0x8d, "DW_OP_breg29"),
        (0x8e, "DW_OP_breg30"),
        (0x8f, "DW_OP_breg31"),
        (DW_OP_regx, "DW_OP_regx"),
        (DW_OP_fbreg, "DW_OP_fbreg"),
        (DW_OP_bregx, "DW_OP_bregx"),
        (DW_OP_piece, "DW_OP_piece"),
        (DW_OP_deref_size, "DW_OP_deref_size"),
        (DW_OP_xderef_size, "DW_OP_xderef_size"),
        (DW_OP_nop, "DW_OP_nop"),
        (DW_OP_push_object_address, "DW_OP_push_object_address"),
        (DW_OP_call2, "DW_OP_call2"),
        (DW_OP_call4, "DW_OP_call4"),
        (DW_OP_call_ref, "DW_OP_call_ref"),
        (DW_OP_form_tls_address, "DW_OP_form_tls_address"),
        (DW_OP_call_frame_cfa, "DW_OP_call_frame_cfa"),
        (DW_OP_bit_piece, "DW_OP_bit_piece"),
        (DW_OP_implicit_value, "DW_OP_implicit_value"),
        (DW_OP_stack_value, "DW_OP_stack_value"),
    ],
    aliases: &[(DW_OP_lo_user, "DW_OP_lo_user"), (DW_OP_hi_user, "DW_OP_hi_user")],
};
