use super::NameTable;
pub const DW_TAG_array_type: u16 = 0x01;
pub const DW_TAG_class_type: u16 = 0x02;
pub const DW_TAG_entry_point: u16 = 0x03;
pub const DW_TAG_enumeration_type: u16 = 0x04;
pub const DW_TAG_formal_parameter: u16 = 0x05;
pub const DW_TAG_imported_declaration: u16 = 0x08;
pub const DW_TAG_label: u16 = 0x0a;
pub const DW_TAG_lexical_block: u16 = 0x0b;
pub const DW_TAG_member: u16 = 0x0d;
pub const DW_TAG_pointer_type: u16 = 0x0f;
pub const DW_TAG_reference_type: u16 = 0x10;
pub const DW_TAG_compile_unit: u16 = 0x11;
pub const DW_TAG_string_type: u16 = 0x12;
pub const DW_TAG_structure_type: u16 = 0x13;
pub const DW_TAG_subroutine_type: u16 = 0x15;
pub const DW_TAG_typedef: u16 = 0x16;
pub const DW_TAG_union_type: u16 = 0x17;
pub const DW_TAG_unspecified_parameters: u16 = 0x18;
pub const DW_TAG_variant: u16 = 0x19;
pub const DW_TAG_common_block: u16 = 0x1a;
pub const DW_TAG_common_inclusion: u16 = 0x1b;
pub const DW_TAG_inheritance: u16 = 0x1c;
pub const DW_TAG_inlined_subroutine: u16 = 0x1d;
pub const DW_TAG_module: u16 = 0x1e;
pub const DW_TAG_ptr_to_member_type: u16 = 0x1f;
pub const DW_TAG_set_type: u16 = 0x20;
pub const DW_TAG_subrange_type: u16 = 0x21;
pub const DW_TAG_with_stmt: u16 = 0x22;
pub const DW_TAG_access_declaration: u16 = 0x23;
pub const DW_TAG_base_type: u16 = 0x24;
pub const DW_TAG_catch_block: u16 = 0x25;
pub const DW_TAG_const_type: u16 = 0x26;
pub const DW_TAG_constant: u16 = 0x27;
pub const DW_TAG_enumerator: u16 = 0x28;
pub const DW_TAG_file_type: u16 = 0x29;
pub const DW_TAG_friend: u16 = 0x2a;
pub const DW_TAG_namelist: u16 = 0x2b;
pub const DW_TAG_namelist_item: u16 = 0x2c;
pub const DW_TAG_packed_type: u16 = 0x2d;
pub const DW_TAG_subprogram: u16 = 0x2e;
pub const DW_TAG_template_type_parameter: u16 = 0x2f;
pub const DW_TAG_template_value_parameter: u16 = 0x30;
pub const DW_TAG_thrown_type: u16 = 0x31;
pub const DW_TAG_try_block: u16 = 0x32;
pub const DW_TAG_variant_part: u16 = 0x33;
pub const DW_TAG_variable: u16 = 0x34;
pub const DW_TAG_volatile_type: u16 = 0x35;
pub const DW_TAG_dwarf_procedure: u16 = 0x36;
pub const DW_TAG_restrict_type: u16 = 0x37;
pub const DW_TAG_interface_type: u16 = 0x38;
pub const DW_TAG_namespace: u16 = 0x39;
pub const DW_TAG_imported_module: u16 = 0x3a;
pub const DW_TAG_unspecified_type: u16 = 0x3b;
pub const DW_TAG_partial_unit: u16 = 0x3c;
pub const DW_TAG_imported_unit: u16 = 0x3d;
pub const DW_TAG_condition: u16 = 0x3f;
pub const DW_TAG_shared_type: u16 = 0x40;
pub const DW_TAG_type_unit: u16 = 0x41;
pub const DW_TAG_rvalue_reference_type: u16 = 0x42;
pub const DW_TAG_template_alias: u16 = 0x43;
pub const DW_TAG_atomic_type: u16 = 0x47;
pub const DW_TAG_GNU_formal_parameter_pack: u16 = 0x4108;
pub const DW_TAG_GNU_call_site: u16 = 0x4109;

// Found by name only, as a tag in between has a meaning of its own.
pub const DW_TAG_lo_user: u16 = 0x4080;
pub const DW_TAG_hi_user: u16 = 0xffff;

/// Tags of entries (DWARF 2.0.0 §7.5.4, figure 14; from 0x36 on DWARF 3, from 0x41 on DWARF 4, from
/// 0x44 on DWARF 5; the last ones are those of GCC and LLVM). Where versions differ, it has the
/// later name.
pub static DW_TAG: NameTable<u16> = NameTable {
    prefix: "DW_TAG_",
    entries: &[
        (DW_TAG_array_type, "DW_TAG_array_type"),
        (DW_TAG_class_type, "DW_TAG_class_type"),
        (DW_TAG_entry_point, "DW_TAG_entry_point"),
        (DW_TAG_enumeration_type, "DW_TAG_enumeration_type"),
        (DW_TAG_formal_parameter, "DW_TAG_formal_parameter"),
        (DW_TAG_imported_declaration, "DW_TAG_imported_declaration"),
        (DW_TAG_label, "DW_TAG_label"),
        (DW_TAG_lexical_block, "DW_TAG_lexical_block"),
        (DW_TAG_member, "DW_TAG_member"),
        (DW_TAG_pointer_type, "DW_TAG_pointer_type"),
        (DW_TAG_reference_type, "DW_TAG_reference_type"),
        (DW_TAG_compile_unit, "DW_TAG_compile_unit"),
        (DW_TAG_string_type, "DW_TAG_string_type"),
        (DW_TAG_structure_type, "DW_TAG_structure_type"),
        (DW_TAG_subroutine_type, "DW_TAG_subroutine_type"),
        (DW_TAG_typedef, "DW_TAG_typedef"),
        (DW_TAG_union_type, "DW_TAG_union_type"),
        (DW_TAG_unspecified_parameters, "DW_TAG_unspecified_parameters"),
        (DW_TAG_variant, "DW_TAG_variant"),
        (DW_TAG_common_block, "DW_TAG_common_block"),
        (DW_TAG_common_inclusion, "DW_TAG_common_inclusion"),
        (DW_TAG_inheritance, "DW_TAG_inheritance"),
        (DW_TAG_inlined_subroutine, "DW_TAG_inlined_subroutine"),
        (DW_TAG_module, "DW_TAG_module"),
        (DW_TAG_ptr_to_member_type, "DW_TAG_ptr_to_member_type"),
        (DW_TAG_set_type, "DW_TAG_set_type"),
        (DW_TAG_subrange_type, "DW_TAG_subrange_type"),
        (DW_TAG_with_stmt, "DW_TAG_with_stmt"),
        (DW_TAG_access_declaration, "DW_TAG_access_declaration"),
        (DW_TAG_base_type, "DW_TAG_base_type"),
        (DW_TAG_catch_block, "DW_TAG_catch_block"),
        (DW_TAG_const_type, "DW_TAG_const_type"),
        (DW_TAG_constant, "DW_TAG_constant"),
        (DW_TAG_enumerator, "DW_TAG_enumerator"),
        (DW_TAG_file_type, "DW_TAG_file_type"),
        (DW_TAG_friend, "DW_TAG_friend"),
        (DW_TAG_namelist, "DW_TAG_namelist"),
        (DW_TAG_namelist_item, "DW_TAG_namelist_item"),
        (DW_TAG_packed_type, "DW_TAG_packed_type"),
        (DW_TAG_subprogram, "DW_TAG_subprogram"),
        (DW_TAG_template_type_parameter, "DW_TAG_template_type_parameter"),
        (DW_TAG_template_value_parameter, "DW_TAG_template_value_parameter"),
        (DW_TAG_thrown_type, "DW_TAG_thrown_type"),
        (DW_TAG_try_block, "DW_TAG_try_block"),
        (DW_TAG_variant_part, "DW_TAG_variant_part"),
        (DW_TAG_variable, "DW_TAG_variable"),
        (DW_TAG_volatile_type, "DW_TAG_volatile_type"),
        (DW_TAG_dwarf_procedure, "DW_TAG_dwarf_procedure"),
        (DW_TAG_restrict_type, "DW_TAG_restrict_type"),
        (DW_TAG_interface_type, "DW_TAG_interface_type"),
        (DW_TAG_namespace, "DW_TAG_namespace"),
        (DW_TAG_imported_module, "DW_TAG_imported_module"),
        (DW_TAG_unspecified_type, "DW_TAG_unspecified_type"),
        (DW_TAG_partial_unit, "DW_TAG_partial_unit"),
        (DW_TAG_imported_unit, "DW_TAG_imported_unit"),
        (DW_TAG_condition, "DW_TAG_condition"),
        (DW_TAG_shared_type, "DW_TAG_shared_type"),
        (DW_TAG_type_unit, "DW_TAG_type_unit"),
        (DW_TAG_rvalue_reference_type, "DW_TAG_rvalue_reference_type"),
        (DW_TAG_template_alias, "DW_TAG_template_alias"),
        // Of DWARF 5 and of GCC and LLVM, as compilers write them.
        (0x44, "DW_TAG_coarray_type"),
        (0x45, "DW_TAG_generic_subrange"),
        (0x46, "DW_TAG_dynamic_type"),
        (DW_TAG_atomic_type, "DW_TAG_atomic_type"),
        (0x48, "DW_TAG_call_site"),
        (0x49, "DW_TAG_call_site_parameter"),
        (0x4a, "DW_TAG_skeleton_unit"),
        (0x4b, "DW_TAG_immutable_type"),
        (0x4104, "DW_TAG_GNU_BINCL"),
        (0x4105, "DW_TAG_GNU_EINCL"),
        (0x4106, "DW_TAG_GNU_template_template_param"),
        (0x4107, "DW_TAG_GNU_template_parameter_pack"),
        (DW_TAG_GNU_formal_parameter_pack, "DW_TAG_GNU_formal_parameter_pack"),
        (DW_TAG_GNU_call_site, "DW_TAG_GNU_call_site"),
        (0x410a, "DW_TAG_GNU_call_site_parameter"),
        (0x4200, "DW_TAG_APPLE_property"),
    ],
    aliases: &[
        (DW_TAG_template_type_parameter, "DW_TAG_template_type_param"),
        (DW_TAG_template_value_parameter, "DW_TAG_template_value_param"),
        (DW_TAG_lo_user, "DW_TAG_lo_user"),
        (DW_TAG_hi_user, "DW_TAG_hi_user"),
    ],
};
