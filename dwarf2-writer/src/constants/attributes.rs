use super::NameTable;

pub const DW_AT_sibling: u16 = 0x01;
pub const DW_AT_location: u16 = 0x02;
pub const DW_AT_name: u16 = 0x03;
pub const DW_AT_ordering: u16 = 0x09;
pub const DW_AT_byte_size: u16 = 0x0b;
pub const DW_AT_bit_offset: u16 = 0x0c;
pub const DW_AT_bit_size: u16 = 0x0d;
pub const DW_AT_stmt_list: u16 = 0x10;
pub const DW_AT_low_pc: u16 = 0x11;
pub const DW_AT_high_pc: u16 = 0x12;
pub const DW_AT_language: u16 = 0x13;
pub const DW_AT_discr: u16 = 0x15;
pub const DW_AT_discr_value: u16 = 0x16;
pub const DW_AT_visibility: u16 = 0x17;
pub const DW_AT_import: u16 = 0x18;
pub const DW_AT_string_length: u16 = 0x19;
pub const DW_AT_common_reference: u16 = 0x1a;
pub const DW_AT_comp_dir: u16 = 0x1b;
pub const DW_AT_const_value: u16 = 0x1c;
pub const DW_AT_containing_type: u16 = 0x1d;
pub const DW_AT_default_value: u16 = 0x1e;
pub const DW_AT_inline: u16 = 0x20;
pub const DW_AT_is_optional: u16 = 0x21;
pub const DW_AT_lower_bound: u16 = 0x22;
pub const DW_AT_producer: u16 = 0x25;
pub const DW_AT_prototyped: u16 = 0x27;
pub const DW_AT_return_addr: u16 = 0x2a;
pub const DW_AT_start_scope: u16 = 0x2c;
pub const DW_AT_bit_stride: u16 = 0x2e;
pub const DW_AT_upper_bound: u16 = 0x2f;
pub const DW_AT_abstract_origin: u16 = 0x31;
pub const DW_AT_accessibility: u16 = 0x32;
pub const DW_AT_address_class: u16 = 0x33;
pub const DW_AT_artificial: u16 = 0x34;
pub const DW_AT_base_types: u16 = 0x35;
pub const DW_AT_calling_convention: u16 = 0x36;
pub const DW_AT_count: u16 = 0x37;
pub const DW_AT_data_member_location: u16 = 0x38;
pub const DW_AT_decl_column: u16 = 0x39;
pub const DW_AT_decl_file: u16 = 0x3a;
pub const DW_AT_decl_line: u16 = 0x3b;
pub const DW_AT_declaration: u16 = 0x3c;
pub const DW_AT_discr_list: u16 = 0x3d;
pub const DW_AT_encoding: u16 = 0x3e;
pub const DW_AT_external: u16 = 0x3f;
pub const DW_AT_frame_base: u16 = 0x40;
pub const DW_AT_friend: u16 = 0x41;
pub const DW_AT_identifier_case: u16 = 0x42;
pub const DW_AT_macro_info: u16 = 0x43;
pub const DW_AT_namelist_item: u16 = 0x44;
pub const DW_AT_priority: u16 = 0x45;
pub const DW_AT_segment: u16 = 0x46;
pub const DW_AT_specification: u16 = 0x47;
pub const DW_AT_static_link: u16 = 0x48;
pub const DW_AT_type: u16 = 0x49;
pub const DW_AT_use_location: u16 = 0x4a;
pub const DW_AT_variable_parameter: u16 = 0x4b;
pub const DW_AT_virtuality: u16 = 0x4c;
pub const DW_AT_vtable_elem_location: u16 = 0x4d;
pub const DW_AT_allocated: u16 = 0x4e;
pub const DW_AT_associated: u16 = 0x4f;
pub const DW_AT_data_location: u16 = 0x50;
pub const DW_AT_byte_stride: u16 = 0x51;
pub const DW_AT_entry_pc: u16 = 0x52;
pub const DW_AT_use_UTF8: u16 = 0x53;
pub const DW_AT_extension: u16 = 0x54;
pub const DW_AT_ranges: u16 = 0x55;
pub const DW_AT_trampoline: u16 = 0x56;
pub const DW_AT_call_column: u16 = 0x57;
pub const DW_AT_call_file: u16 = 0x58;
pub const DW_AT_call_line: u16 = 0x59;
pub const DW_AT_description: u16 = 0x5a;
pub const DW_AT_binary_scale: u16 = 0x5b;
pub const DW_AT_decimal_scale: u16 = 0x5c;
pub const DW_AT_small: u16 = 0x5d;
pub const DW_AT_decimal_sign: u16 = 0x5e;
pub const DW_AT_digit_count: u16 = 0x5f;
pub const DW_AT_picture_string: u16 = 0x60;
pub const DW_AT_mutable: u16 = 0x61;
pub const DW_AT_threads_scaled: u16 = 0x62;
pub const DW_AT_explicit: u16 = 0x63;
pub const DW_AT_object_pointer: u16 = 0x64;
pub const DW_AT_endianity: u16 = 0x65;
pub const DW_AT_elemental: u16 = 0x66;
pub const DW_AT_pure: u16 = 0x67;
pub const DW_AT_recursive: u16 = 0x68;
pub const DW_AT_signature: u16 = 0x69;
pub const DW_AT_main_subprogram: u16 = 0x6a;
pub const DW_AT_data_bit_offset: u16 = 0x6b;
pub const DW_AT_const_expr: u16 = 0x6c;
pub const DW_AT_enum_class: u16 = 0x6d;
pub const DW_AT_linkage_name: u16 = 0x6e;
pub const DW_AT_MIPS_linkage_name: u16 = 0x2007;

// Found by name only, as an attribute in between has a meaning of its own.
pub const DW_AT_lo_user: u16 = 0x2000;
pub const DW_AT_hi_user: u16 = 0x3fff;

/// Attributes of entries (DWARF 2.0.0 §7.5.4, figure 17; from 0x4e on DWARF 3, from 0x69 on DWARF
/// 4, from 0x6f on DWARF 5; the last ones are those of GCC and LLVM). Where versions differ, it has
/// the later name.
pub static DW_AT: NameTable<u16> = NameTable {
    prefix: "DW_AT_",
    entries: &[
        (DW_AT_sibling, "DW_AT_sibling"),
        (DW_AT_location, "DW_AT_location"),
        (DW_AT_name, "DW_AT_name"),
        (DW_AT_ordering, "DW_AT_ordering"),
        (DW_AT_byte_size, "DW_AT_byte_size"),
        (DW_AT_bit_offset, "DW_AT_bit_offset"),
        (DW_AT_bit_size, "DW_AT_bit_size"),
        (DW_AT_stmt_list, "DW_AT_stmt_list"),
        (DW_AT_low_pc, "DW_AT_low_pc"),
        (DW_AT_high_pc, "DW_AT_high_pc"),
        (DW_AT_language, "DW_AT_language"),
        (DW_AT_discr, "DW_AT_discr"),
        (DW_AT_discr_value, "DW_AT_discr_value"),
        (DW_AT_visibility, "DW_AT_visibility"),
        (DW_AT_import, "DW_AT_import"),
        (DW_AT_string_length, "DW_AT_string_length"),
        (DW_AT_common_reference, "DW_AT_common_reference"),
        (DW_AT_comp_dir, "DW_AT_comp_dir"),
        (DW_AT_const_value, "DW_AT_const_value"),
        (DW_AT_containing_type, "DW_AT_containing_type"),
        (DW_AT_default_value, "DW_AT_default_value"),
        (DW_AT_inline, "DW_AT_inline"),
        (DW_AT_is_optional, "DW_AT_is_optional"),
        (DW_AT_lower_bound, "DW_AT_lower_bound"),
        (DW_AT_producer, "DW_AT_producer"),
        (DW_AT_prototyped, "DW_AT_prototyped"),
        (DW_AT_return_addr, "DW_AT_return_addr"),
        (DW_AT_start_scope, "DW_AT_start_scope"),
        (DW_AT_bit_stride, "DW_AT_bit_stride"),
        (DW_AT_upper_bound, "DW_AT_upper_bound"),
        (DW_AT_abstract_origin, "DW_AT_abstract_origin"),
        (DW_AT_accessibility, "DW_AT_accessibility"),
        (DW_AT_address_class, "DW_AT_address_class"),
        (DW_AT_artificial, "DW_AT_artificial"),
        (DW_AT_base_types, "DW_AT_base_types"),
        (DW_AT_calling_convention, "DW_AT_calling_convention"),
        (DW_AT_count, "DW_AT_count"),
        (DW_AT_data_member_location, "DW_AT_data_member_location"),
        (DW_AT_decl_column, "DW_AT_decl_column"),
        (DW_AT_decl_file, "DW_AT_decl_file"),
        (DW_AT_decl_line, "DW_AT_decl_line"),
        (DW_AT_declaration, "DW_AT_declaration"),
        (DW_AT_discr_list, "DW_AT_discr_list"),
        (DW_AT_encoding, "DW_AT_encoding"),
        (DW_AT_external, "DW_AT_external"),
        (DW_AT_frame_base, "DW_AT_frame_base"),
        (DW_AT_friend, "DW_AT_friend"),
        (DW_AT_identifier_case, "DW_AT_identifier_case"),
        (DW_AT_macro_info, "DW_AT_macro_info"),
        (DW_AT_namelist_item, "DW_AT_namelist_item"),
        (DW_AT_priority, "DW_AT_priority"),
        (DW_AT_segment, "DW_AT_segment"),
        (DW_AT_specification, "DW_AT_specification"),
        (DW_AT_static_link, "DW_AT_static_link"),
        (DW_AT_type, "DW_AT_type"),
        (DW_AT_use_location, "DW_AT_use_location"),
        (DW_AT_variable_parameter, "DW_AT_variable_parameter"),
        (DW_AT_virtuality, "DW_AT_virtuality"),
        (DW_AT_vtable_elem_location, "DW_AT_vtable_elem_location"),
        (DW_AT_allocated, "DW_AT_allocated"),
        (DW_AT_associated, "DW_AT_associated"),
        (DW_AT_data_location, "DW_AT_data_location"),
        (DW_AT_byte_stride, "DW_AT_byte_stride"),
        (DW_AT_entry_pc, "DW_AT_entry_pc"),
        (DW_AT_use_UTF8, "DW_AT_use_UTF8"),
        (DW_AT_extension, "DW_AT_extension"),
        (DW_AT_ranges, "DW_AT_ranges"),
        (DW_AT_trampoline, "DW_AT_trampoline"),
        (DW_AT_call_column, "DW_AT_call_column"),
        (DW_AT_call_file, "DW_AT_call_file"),
        (DW_AT_call_line, "DW_AT_call_line"),
        (DW_AT_description, "DW_AT_description"),
        (DW_AT_binary_scale, "DW_AT_binary_scale"),
        (DW_AT_decimal_scale, "DW_AT_decimal_scale"),
        (DW_AT_small, "DW_AT_small"),
        (DW_AT_decimal_sign, "DW_AT_decimal_sign"),
        (DW_AT_digit_count, "DW_AT_digit_count"),
        (DW_AT_picture_string, "DW_AT_picture_string"),
        (DW_AT_mutable, "DW_AT_mutable"),
        (DW_AT_threads_scaled, "DW_AT_threads_scaled"),
        (DW_AT_explicit, "DW_AT_explicit"),
        (DW_AT_object_pointer, "DW_AT_object_pointer"),
        (DW_AT_endianity, "DW_AT_endianity"),
        (DW_AT_elemental, "DW_AT_elemental"),
        (DW_AT_pure, "DW_AT_pure"),
        (DW_AT_recursive, "DW_AT_recursive"),
        (DW_AT_signature, "DW_AT_signature"),
        (DW_AT_main_subprogram, "DW_AT_main_subprogram"),
        (DW_AT_data_bit_offset, "DW_AT_data_bit_offset"),
        (DW_AT_const_expr, "DW_AT_const_expr"),
        (DW_AT_enum_class, "DW_AT_enum_class"),
        (DW_AT_linkage_name, "DW_AT_linkage_name"),
        // Of DWARF 5, which some producers write into units of earlier versions.
        (0x6f, "DW_AT_string_length_bit_size"),
        (0x70, "DW_AT_string_length_byte_size"),
        (0x71, "DW_AT_rank"),
        (0x72, "DW_AT_str_offsets_base"),
        (0x73, "DW_AT_addr_base"),
        (0x74, "DW_AT_rnglists_base"),
        (0x76, "DW_AT_dwo_name"),
        (0x77, "DW_AT_reference"),
        (0x78, "DW_AT_rvalue_reference"),
        (0x79, "DW_AT_macros"),
        (0x7a, "DW_AT_call_all_calls"),
        (0x7b, "DW_AT_call_all_source_calls"),
        (0x7c, "DW_AT_call_all_tail_calls"),
        (0x7d, "DW_AT_call_return_pc"),
        (0x7e, "DW_AT_call_value"),
        (0x7f, "DW_AT_call_origin"),
        (0x80, "DW_AT_call_parameter"),
        (0x81, "DW_AT_call_pc"),
        (0x82, "DW_AT_call_tail_call"),
        (0x83, "DW_AT_call_target"),
        (0x84, "DW_AT_call_target_clobbered"),
        (0x85, "DW_AT_call_data_location"),
        (0x86, "DW_AT_call_data_value"),
        (0x87, "DW_AT_noreturn"),
        (0x88, "DW_AT_alignment"),
        (0x89, "DW_AT_export_symbols"),
        (0x8a, "DW_AT_deleted"),
        (0x8b, "DW_AT_defaulted"),
        (0x8c, "DW_AT_loclists_base"),
        // Of vendors, as compilers write them.
        (DW_AT_MIPS_linkage_name, "DW_AT_MIPS_linkage_name"),
        (0x2107, "DW_AT_GNU_vector"),
        (0x2108, "DW_AT_GNU_guarded_by"),
        (0x2109, "DW_AT_GNU_pt_guarded_by"),
        (0x210a, "DW_AT_GNU_guarded"),
        (0x210b, "DW_AT_GNU_pt_guarded"),
        (0x210c, "DW_AT_GNU_locks_excluded"),
        (0x210d, "DW_AT_GNU_exclusive_locks_required"),
        (0x210e, "DW_AT_GNU_shared_locks_required"),
        (0x210f, "DW_AT_GNU_odr_signature"),
        (0x2110, "DW_AT_GNU_template_name"),
        (0x2111, "DW_AT_GNU_call_site_value"),
        (0x2112, "DW_AT_GNU_call_site_data_value"),
        (0x2113, "DW_AT_GNU_call_site_target"),
        (0x2114, "DW_AT_GNU_call_site_target_clobbered"),
        (0x2115, "DW_AT_GNU_tail_call"),
        (0x2116, "DW_AT_GNU_all_tail_call_sites"),
        (0x2117, "DW_AT_GNU_all_call_sites"),
        (0x2118, "DW_AT_GNU_all_source_call_sites"),
        (0x2119, "DW_AT_GNU_macros"),
        (0x211a, "DW_AT_GNU_deleted"),
        (0x2130, "DW_AT_GNU_dwo_name"),
        (0x2131, "DW_AT_GNU_dwo_id"),
        (0x2132, "DW_AT_GNU_ranges_base"),
        (0x2133, "DW_AT_GNU_addr_base"),
        (0x2134, "DW_AT_GNU_pubnames"),
        (0x2135, "DW_AT_GNU_pubtypes"),
        (0x2136, "DW_AT_GNU_discriminator"),
        (0x2137, "DW_AT_GNU_locviews"),
        (0x2138, "DW_AT_GNU_entry_view"),
        (0x2303, "DW_AT_GNU_numerator"),
        (0x2304, "DW_AT_GNU_denominator"),
        (0x2305, "DW_AT_GNU_bias"),
        (0x3e00, "DW_AT_LLVM_include_path"),
        (0x3e01, "DW_AT_LLVM_config_macros"),
        (0x3e02, "DW_AT_LLVM_isysroot"),
        (0x3fe1, "DW_AT_APPLE_optimized"),
        (0x3fe2, "DW_AT_APPLE_flags"),
        (0x3fe3, "DW_AT_APPLE_isa"),
        (0x3fe4, "DW_AT_APPLE_block"),
        (0x3fe5, "DW_AT_APPLE_major_runtime_vers"),
        (0x3fe6, "DW_AT_APPLE_runtime_class"),
        (0x3fe7, "DW_AT_APPLE_omit_frame_ptr"),
        (0x3fe8, "DW_AT_APPLE_property_name"),
        (0x3fe9, "DW_AT_APPLE_property_getter"),
        (0x3fea, "DW_AT_APPLE_property_setter"),
        (0x3feb, "DW_AT_APPLE_property_attribute"),
        (0x3fec, "DW_AT_APPLE_objc_complete_type"),
        (0x3fed, "DW_AT_APPLE_property"),
    ],
    aliases: &[
        (DW_AT_bit_stride, "DW_AT_stride_size"),
        (DW_AT_lo_user, "DW_AT_lo_user"),
        (DW_AT_hi_user, "DW_AT_hi_user"),
    ],
};
