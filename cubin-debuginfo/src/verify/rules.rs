//! The rules of [`verify`](super) in one table: code, severity, requirement, and the tools known to
//! break each.

use super::rule_details::Details;
use RuleId as Id;
use Severity::{Error, Note, Warning};
use findings::{RuleDetails, RuleTable, Severity};

/// A rule of [`verify`](super): a requirement on the debug information of a cubin.
pub type Rule = findings::Rule<RuleId>;

/// The rules of [`verify`](super), by subject. The number of each variant is the index of its row
/// in [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)] // the table says what each one is
pub enum RuleId {
    RelocationType,
    RelocationSymbol,
    RelocationField,
    RelocationOverlap,
    RelocationValue,
    RelocationPlace,
    SectionHeader,
    SectionMissing,
    SectionExtra,
    RelocationWidth,
    SymbolLinks,
    RelocationFlags,
    LineUnreadable,
    LineHeader,
    LineDirectory,
    LineSequence,
    LineTwice,
    LineEnd,
    LineOrder,
    LineOutside,
    LineContext,
    LineName,
    LineNameInside,
    LineNameBase,
    LinePtx,
    LinePastEnd,
    LineInside,
    LineSourceMissing,
    LineUndeclaredFile,
    LineUnrelatedBase,
    LineDropped,
    LineNameless,
    LinePlaceholder,
    LineForgottenFile,
    LineInlinedCall,
    LineContextCounted,
    LineFileChange,
    TextUnreadable,
    TextName,
    EntriesUnreadable,
    EntriesVersion,
    EntriesUnit,
    EntriesForm,
    EntriesReference,
    EntriesSibling,
    EntriesTag,
    EntriesLineTable,
    EntriesRange,
    EntriesParent,
    EntriesFile,
    EntriesString,
    EntriesExpression,
    EntriesInside,
    EntriesUnplaced,
    EntriesClass,
    EntriesNoClass,
    EntriesOtherFile,
    EntriesDoubt,
    EntriesDropped,
    EntriesUnresolved,
    LookupUnreadable,
    LookupUnit,
    LookupEntry,
    LookupName,
    ArangesRange,
    ListUnreadable,
    ListOffset,
    ListRange,
    ListExpression,
    ListInside,
    ListUnresolved,
    RegistersUnreadable,
    RegistersFunction,
    RegistersRange,
    RegistersTypes,
    RegistersClass,
    RegistersPart,
    RegistersNumber,
    RegistersInside,
    RegistersEmpty,
    RegistersTwice,
    RegistersMissing,
    RegistersDropped,
    RegistersReversed,
    RegistersNoStart,
    FramesUnreadable,
    FramesCie,
    FramesRange,
    FramesOverlap,
    FramesMissing,
    FramesShort,
    FramesNoCfa,
    FramesCieNowhere,
    FramesDropped,
    FramesLastInstruction,
    LevelsMixed,
}

/// A rule, and the place where a cubin breaks it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BrokenRule<'s> {
    pub(super) rule: RuleId,
    /// Name of the section.
    pub(super) section: &'s str,
    /// Byte offset in the section.
    pub(super) offset: u64,
}

impl RuleId {
    /// The rule broken at a byte of a section.
    pub(super) fn at(self, section: &str, offset: u64) -> BrokenRule<'_> {
        BrokenRule { rule: self, section, offset }
    }
}

impl RuleTable for RuleId {
    type Details = Details;
    const SUBJECTS: &'static [(char, &'static str)] = &[
        ('E', "container, relocations"),
        ('L', "`.debug_line`, `.nv_debug_line_sass`"),
        ('X', "`.nv_debug_ptx_txt`"),
        ('I', "`.debug_info`"),
        ('T', "`.debug_pubnames`, `.debug_pubtypes`, `.debug_aranges`"),
        ('O', "`.debug_loc`, `.debug_ranges`"),
        ('R', "`.nv_debug_info_reg_sass`, `.nv_debug_info_reg_type`"),
        ('F', "`.debug_frame`"),
        ('M', "levels of linked files"),
    ];

    fn rules() -> &'static [Rule] {
        &RULES
    }

    fn index(self) -> usize {
        self as usize
    }

    fn details_of(rule: &'static Rule) -> RuleDetails {
        let Details { why, fault_of } = rule.details;
        let mend = match rule.id {
            Id::SectionHeader | Id::SectionExtra => Some("`sections --check` says what differs."),
            Id::SectionMissing => {
                Some("`sections --check` lists them; `compile` makes all of a level from the PTX.")
            }
            Id::LinePastEnd => {
                Some("`check` says what the PTX has; the compiler that wrote it has the wrong file or line.")
            }
            Id::LineSourceMissing => Some(
                "`compile --path-map OLD=NEW` writes the paths where the sources are; --source-dir looks there.",
            ),
            Id::LineUndeclaredFile => {
                Some("Declare each file that a `.loc` names; `check` finds those that are not.")
            }
            Id::LinePlaceholder => {
                Some("`check --fix=path-map --path-map OLD=NEW` gives the PTX another name.")
            }
            Id::LevelsMixed => Some("Compile all objects with the same option: -G, -lineinfo or none."),
            _ => None,
        };
        let mend = mend.into_iter().map(Into::into).collect();
        RuleDetails { why: Some(why.into()), known_fault_of: fault_of, mend, ..RuleDetails::default() }
    }
}

const fn row(
    id: RuleId,
    code: &'static str,
    name: &'static str,
    severity: Severity,
    summary: &'static str,
    why: &'static str,
) -> Rule {
    Rule { id, code, name, severity, summary, details: Details { why, fault_of: None } }
}

const fn fault(
    id: RuleId,
    code: &'static str,
    name: &'static str,
    of: &'static str,
    summary: &'static str,
    why: &'static str,
) -> Rule {
    Rule { id, code, name, severity: Note, summary, details: Details { why, fault_of: Some(of) } }
}

/// Number of rules.
const COUNT: usize = RuleId::LevelsMixed as usize + 1;

/// All rules of [`verify`](super), by subject. Rules of the Mercury capsule are in
/// `merc_capsule::self_check`.
#[rustfmt::skip]
pub static RULES: [Rule; COUNT] = [
    row(Id::RelocationType, "E001", "relocation-type", Error, "A relocation of a debug section is of a type that occurs there.", "The types are those of 679 cubins of ptxas and nvlink; nobody else can say what another one does."),
    row(Id::RelocationSymbol, "E002", "relocation-symbol", Error, "A relocation names a symbol of the table that its section links to.", "Without the symbol nobody knows which function an address is in."),
    row(Id::RelocationField, "E003", "relocation-field", Error, "The field of a relocation lies in its section.", "Readers that do not check it write past the end of the section."),
    row(Id::RelocationOverlap, "E004", "relocation-overlap", Error, "Fields of relocations do not overlap.", "The value would depend on the order in which they are applied."),
    row(Id::RelocationValue, "E005", "relocation-value", Error, "A relocated value fits its field.", "The upper half of the value would get lost."),
    row(Id::RelocationPlace, "E006", "relocation-place", Error, "A relocation refers to a place in a section, its end included.", "An address after the end is in no function."),
    row(Id::SectionHeader, "E007", "section-header", Warning, "A debug section has type, flags, alignment and target as the tools give it.", "As `sections --check` has it; loaders and linkers go by type and flags."),
    row(Id::SectionMissing, "E008", "section-missing", Warning, "A file has all debug sections of its level.", "As `sections --check` has it, for the least level that has all sections of the file."),
    row(Id::SectionExtra, "E009", "section-extra", Warning, "A file has no debug section of another level or kind of file, and none twice.", "Readers take the first section of a name."),
    row(Id::RelocationWidth, "E010", "relocation-width", Error, "The relocation of an address has its 8 bytes.", "Half of the address would stay as it is. What is too wide for its field is found by what it overwrites."),
    fault(Id::SymbolLinks, "E101", "symbol-links", "ptxas 12.0 to 12.2", "A section that uses the symbol table links to it.", "These releases write sh_link 5 into executables, whatever section 5 is. A cubin has one symbol table, so that it can be read all the same; readers that go by the link refuse it."),
    fault(Id::RelocationFlags, "E102", "relocation-flags", "ptxas before 12.4", "A relocation section of a debug section has the flag SHF_INFO_LINK.", "These releases write no flags there. Tools that move sections go by the flag."),

    row(Id::LineUnreadable, "L001", "line-unreadable", Error, "A line table can be decoded.", "DWARF 2.0.0 6.2 with the vendor's opcodes 0x90-0x92."),
    row(Id::LineHeader, "L002", "line-header", Warning, "The numbers of a line table's header are those of the tools.", "minimum_instruction_length 1, line_base -5, line_range 14, opcode_base 10: readers that take them for granted go wrong."),
    row(Id::LineDirectory, "L003", "line-directory", Error, "The directory of a file is in the table.", "The file's path cannot be told."),
    row(Id::LineSequence, "L004", "line-sequence", Error, "A sequence starts in a code section.", "All functions of a cubin start at address 0: without a relocation nobody knows whose rows these are."),
    row(Id::LineTwice, "L005", "line-twice", Error, "Sequences of one code section do not overlap.", "Two rows would claim one address."),
    row(Id::LineEnd, "L006", "line-end", Error, "A sequence ends where its code section does.", "Rows would miss the last instructions, or run past them."),
    row(Id::LineOrder, "L007", "line-order", Error, "Addresses of rows do not go back.", "DWARF 2.0.0 6.2.5: readers search by address."),
    row(Id::LineOutside, "L008", "line-outside", Error, "Rows lie in their sequence.", "The row covers nothing."),
    row(Id::LineContext, "L009", "line-context", Error, "The context of a row is the number of an earlier row of its sequence.", "Counted from 1, without doubled rows (docs/formats/line-tables.md); else the callers of inlined code are lost."),
    row(Id::LineName, "L010", "line-name", Error, "The name of an inlined function is in .debug_str.", "The function's name is missing."),
    row(Id::LineNameInside, "L011", "line-name-inside", Warning, "The name of an inlined function is where a string of .debug_str starts, if its table's base of names is in doubt.", "The base is wrong, or strings share their ends. With a sure base an offset inside a string names its end."),
    row(Id::LineNameBase, "L012", "line-name-base", Warning, "A header has a base of names if rows are of inlined code.", "Name offsets are relative to it; observed in every table of ptxas."),
    row(Id::LinePtx, "L013", "line-ptx", Error, "A line of .nv_debug_line_sass is in the embedded PTX text.", "The PTX cannot be shown beside the code."),
    row(Id::LinePastEnd, "L014", "line-past-end", Warning, "A line is one that the source file has.", "Looked at where the source is at hand and of the size that the table records. Likely causes: inlined code filed under its caller's file, or lines counted up inside one construct."),
    row(Id::LineInside, "L015", "line-inside", Error, "A row starts where an instruction does.", "No instruction would be on its line alone; 16 bytes each, before sm_70 8."),
    row(Id::LineSourceMissing, "L016", "line-source-missing", Note, "All source files of a table are there, if one of them is.", "Looked at in the working folder, that of the file, and those of --source-dir. Nothing is said where none is there, as of a cubin from elsewhere."),
    fault(Id::LineUndeclaredFile, "L101", "line-undeclared-file", "ptxas 13.0", "The file of a row is in the table.", "ptxas closes gaps in the numbers of .file but not in rows, takes a .loc of a file that is not declared, and drops the table where rows use file 0. nvdisasm -g crashes on such a file."),
    fault(Id::LineUnrelatedBase, "L102", "line-unrelated-base", "nvlink 13.0", "The base of a table's names is where its names are in .debug_str.", "nvlink joins .debug_str and leaves the bases of sm_90 and later at 0: names of inlined functions are those of the first object."),
    fault(Id::LineDropped, "L103", "line-dropped", "nvlink 13.0", "A sequence has the relocation that says whose it is.", "nvlink keeps the rows of functions that it drops, without relocation, so that they seem to be of any function."),
    fault(Id::LineNameless, "L104", "line-nameless", "ptxas 13.0", "A file with names of inlined functions has a .debug_str.", "ptxas takes function_name without that section too, and the table then names nothing."),
    fault(Id::LinePlaceholder, "L105", "line-placeholder", "NVRTC and nvcc 13.0, front ends", "A file of a table is a source, and no placeholder such as `default_program` or `<stdin>`.", "What compiles from memory puts it where it was given no name; no reader will find this source. `check --fix=path-map` writes another name."),
    fault(Id::LineForgottenFile, "L106", "line-forgotten-file", "ptxas 13.0", "A call site is in the file that its row is in.", "From sm_90 on ptxas forgets to set the file of a call site that is in the context of the row before: the row has the line of one file and the name of another. Seen where the line is past that file's end, as in L014."),
    fault(Id::LineInlinedCall, "L107", "line-inlined-call", "ptxas 13.0", "An instruction has the inlined calls of its `.loc`.", "Looked at with --ptx. ptxas drops a call whose line is that of the row before, gives a call site the name of the first function that is inlined there, and from sm_90 on drops the call around the first instruction of a function. `lines --ptx` shows the calls of the PTX."),
    fault(Id::LineContextCounted, "L108", "line-context-counted", "ptxas before 12.8", "The context of a row is the number of an earlier row of its sequence.", "On sm_90 these releases also count rows that they leave out, since address and line are those of the row before: the call site of inlined code is then another row, or none."),
    fault(Id::LineFileChange, "L109", "line-file-change", "ptxas 13.0", "An instruction has the file of its `.loc`.", "Looked at with --ptx. ptxas writes no row for code whose line number is that of the row before, whatever the file: line 7 of a header is shown as line 7 of the file that includes it. `lines --ptx` shows the file of the PTX."),

    row(Id::TextUnreadable, "X001", "text-unreadable", Error, "The lines of a PTX text end in NUL.", "docs/formats/ptx-text.md."),
    row(Id::TextName, "X002", "text-name", Warning, "What follows the name of a PTX text is a checksum.", "The Adler-32 of the PTX file, in decimal; nvlink tells texts apart by it."),

    row(Id::EntriesUnreadable, "I001", "entries-unreadable", Error, ".debug_info can be decoded with .debug_abbrev.", "Sizes of units, abbreviation codes, forms."),
    row(Id::EntriesVersion, "I002", "entries-version", Warning, "A unit is DWARF version 2.", "ptxas copies what it gets, and CUDA's tools are documented for version 2; later ones are read here up to version 4."),
    row(Id::EntriesUnit, "I003", "entries-unit", Error, "A unit has addresses of 8 bytes and is one tree below a DW_TAG_compile_unit.", "DWARF 2.0.0 3.1."),
    row(Id::EntriesForm, "I004", "entries-form", Error, "The form of an attribute is of a class that the attribute can have.", "DWARF 2.0.0 figure 14."),
    row(Id::EntriesReference, "I005", "entries-reference", Error, "A reference leads to an entry.", "The type or the abstract instance is lost."),
    row(Id::EntriesSibling, "I006", "entries-sibling", Error, "DW_AT_sibling leads to the next sibling.", "Readers that skip children by it land elsewhere."),
    row(Id::EntriesTag, "I007", "entries-tag", Error, "DW_AT_type leads to a type, DW_AT_abstract_origin and DW_AT_specification to an entry of the kind.", "A variable's origin is a variable, an inlined call's a subprogram."),
    row(Id::EntriesLineTable, "I008", "entries-line-table", Error, "DW_AT_stmt_list is where a line table starts.", "The unit's files would be those of nobody."),
    row(Id::EntriesRange, "I009", "entries-range", Error, "DW_AT_low_pc to DW_AT_high_pc does not go back and lies in one code section, that of a subprogram in one function.", "The end of a function may be that of its section."),
    row(Id::EntriesParent, "I010", "entries-parent", Error, "The code of a block or inlined call lies in that of the entry it belongs to.", "Debuggers look no further than the outer entry."),
    row(Id::EntriesFile, "I011", "entries-file", Error, "DW_AT_decl_file and DW_AT_call_file are in the unit's file table.", "The place of a declaration cannot be told."),
    row(Id::EntriesString, "I012", "entries-string", Error, "A string's offset leads into .debug_str.", "The name is lost."),
    row(Id::EntriesExpression, "I013", "entries-expression", Error, "A location expression can be decoded.", "DWARF 2.0.0 2.4."),
    row(Id::EntriesInside, "I014", "entries-inside", Error, "Code of an entry starts and ends where an instruction does.", "16 bytes each, before sm_70 8."),

    row(Id::EntriesUnplaced, "I015", "entries-unplaced", Error, "An address of an entry has the relocation that says which code or data it is in.", "Every code section starts at address 0, and variables of constant and global memory are known by their sections: a number alone is not a place. ptxas writes one for a symbol that the module does not define, and for a number that the PTX has there. Places of shared variables in executables and of kernel parameters are numbers; a place in local memory is an offset from the frame, and no address."),
    row(Id::EntriesClass, "I016", "entries-class", Error, "The DW_AT_address_class of a variable is that of the memory that it is in.", "Debuggers read the memory that the class names, at the address of another one. The section tells the memory, for undefined variables the symbol; a frame is in local memory. A number is in the shared window where a shared variable of the entry's name has it, among the parameters where the entry is a parameter of a kernel with enough bytes of parameters, and else in the window of its class."),
    row(Id::EntriesNoClass, "I017", "entries-no-class", Warning, "A variable in shared or constant memory or among the parameters has a DW_AT_address_class.", "Without one CUDA-GDB reads global memory. What is in a frame it reads from local memory."),
    row(Id::EntriesOtherFile, "I018", "entries-other-file", Warning, "The DW_AT_decl_file of a function is a file that its unit's name or the rows of its code name.", "The number is one of the unit's file table, but of another module's: two modules were joined, and their tables were not."),
    row(Id::EntriesDoubt, "I019", "entries-doubt", Warning, "A number that is the address of a variable is not that of an undefined symbol.", "For a name that the module does not define, ptxas writes 0 or the number after the name. Where such a name is in the symbol table and is not a label of the embedded PTX text, a number that may be a place can be that name as well."),
    fault(Id::EntriesDropped, "I101", "entries-dropped", "nvlink 13.0", "An address of an entry has the relocation that says which code or data it is in.", "nvlink keeps the entries of functions and variables that it drops, without relocations, so that they seem to be of any function."),
    fault(Id::EntriesUnresolved, "I102", "entries-unresolved", "ptxas 13.0", "A code address of an entry has the relocation that says where it is.", "ptxas leaves some labels open that stand before code under a .loc of line 0: address 0 without relocation, as in lists (O101). Known where the embedded PTX text has the label."),

    row(Id::LookupUnreadable, "T001", "lookup-unreadable", Error, ".debug_pubnames, .debug_pubtypes and .debug_aranges can be decoded.", "DWARF 2.0.0 6.1."),
    row(Id::LookupUnit, "T002", "lookup-unit", Error, "A set of a look-up table is about a unit of .debug_info.", "By its offset, and in name tables its size."),
    row(Id::LookupEntry, "T003", "lookup-entry", Error, "A name of a look-up table leads to an entry of the set's unit.", "The look-up ends in nothing."),
    row(Id::LookupName, "T004", "lookup-name", Warning, "A name of a look-up table is that of the entry.", "It may have the names of scopes before it."),
    row(Id::ArangesRange, "T005", "aranges-range", Error, "A range of .debug_aranges lies in a code section.", "The address belongs to no code."),

    row(Id::ListUnreadable, "O001", "list-unreadable", Error, ".debug_loc and .debug_ranges are lists with an end.", "DWARF 2.0.0 7.7.3."),
    row(Id::ListOffset, "O002", "list-offset", Error, "An attribute leads to the start of a list.", "A list that starts elsewhere is another variable's."),
    row(Id::ListRange, "O003", "list-range", Error, "A range of a list does not go back and lies in one code section, that of a variable in its function.", "The variable would seem to be where it is not."),
    row(Id::ListExpression, "O004", "list-expression", Error, "A location expression of a list can be decoded.", "DWARF 2.0.0 2.4."),
    row(Id::ListInside, "O005", "list-inside", Error, "A range of a list starts and ends where an instruction does.", "16 bytes each, before sm_70 8."),
    fault(Id::ListUnresolved, "O101", "list-unresolved", "ptxas 13.0", "A range of a list has both addresses.", "ptxas leaves labels open that stand before code under a .loc of line 0: address 0 without relocation."),

    row(Id::RegistersUnreadable, "R001", "registers-unreadable", Error, ".nv_debug_info_reg_sass and .nv_debug_info_reg_type can be decoded.", "docs/formats/register-maps.md."),
    row(Id::RegistersFunction, "R002", "registers-function", Error, "A function of a register map is in the file, and once in the map.", "The map is looked up by name."),
    row(Id::RegistersRange, "R003", "registers-range", Error, "A range of a register lies in its function and is not empty.", "Byte offsets in the function."),
    row(Id::RegistersTypes, "R004", "registers-types", Error, "Both maps have the same functions with as many ranges as types.", "Type n belongs to range n."),
    row(Id::RegistersClass, "R005", "registers-class", Error, "Classes of SASS registers and types of PTX registers are known ones.", "docs/formats/register-maps.md has the lists."),
    row(Id::RegistersPart, "R006", "registers-part", Error, "The part of a register is one that its type has.", "0 and 1 of 64 bits, 0 to 3 of 128."),
    row(Id::RegistersNumber, "R007", "registers-number", Error, "A SASS register is one that the chip has.", "As nvdisasm names them: R0 to R254, UR0 to UR62 and from sm_100 on to UR254, P0 to P6, UP0 to UP6; RZ and URZ."),
    row(Id::RegistersInside, "R008", "registers-inside", Error, "A range of a register starts and ends where an instruction does.", "16 bytes each, before sm_70 8."),
    fault(Id::RegistersEmpty, "R101", "registers-empty", "ptxas 13.0", "A range of a register has bytes.", "Of registers that are set and never read, ptxas writes ranges that start where they end."),
    fault(Id::RegistersTwice, "R102", "registers-twice", "nvlink 13.0", "A function of a linked file is in the map once.", "Helpers such as __cuda_sm3x_div_rn_noftz_f32_slowpath come with each object; nvlink keeps all maps and not all functions, so that the name alone does not tell which is meant."),
    fault(Id::RegistersMissing, "R103", "registers-missing", "ptxas 13.0", "A register that a location uses is one of its function in the map.", "ptxas leaves out registers that get no place, so that the variable cannot be shown."),
    fault(Id::RegistersDropped, "R104", "registers-dropped", "nvlink 13.0", "A function of a linked file's register map is in the file.", "nvlink keeps the maps of functions that it drops."),
    fault(Id::RegistersReversed, "R105", "registers-reversed", "ptxas 13.0", "A range of a register ends after it begins.", "In code with several exits, and for the registers of division helpers, ptxas writes ranges whose end is before their start. They hold nowhere."),
    fault(Id::RegistersNoStart, "R106", "registers-no-start", "ptxas 13.0", "A range of a register has a start.", "From sm_100 on ptxas writes 0xffffffff as the start of a range whose first Mercury instruction has no native one. The range holds nowhere."),

    row(Id::FramesUnreadable, "F001", "frames-unreadable", Error, ".debug_frame can be decoded.", "DWARF 3 in the 64-bit format (docs/formats/frames.md)."),
    row(Id::FramesCie, "F002", "frames-cie", Error, "An FDE's CIE_pointer leads to a CIE.", "The rules at the start of the function are lost."),
    row(Id::FramesRange, "F003", "frames-range", Error, "An FDE covers code of one function.", "From a function's start, no further than its end."),
    row(Id::FramesOverlap, "F004", "frames-overlap", Error, "FDEs do not overlap.", "Two rules would claim one address."),
    row(Id::FramesMissing, "F005", "frames-missing", Error, "Each function has an FDE.", "Observed: 556 of 556 sections. The stack cannot be unwound there."),
    row(Id::FramesShort, "F006", "frames-short", Error, "An FDE covers all of its function.", "Observed: 556 of 556 sections. The stack cannot be unwound after it."),
    row(Id::FramesNoCfa, "F007", "frames-no-cfa", Error, "Each row of an FDE has a rule for the CFA, from the start of the function on.", "DWARF 2.0.0 6.4.1: all other rules count from the CFA. Debuggers stop with an internal error there."),
    fault(Id::FramesCieNowhere, "F101", "frames-cie-nowhere", "ptxas -c and nvlink 13.0", "A relocated CIE_pointer leads to a CIE.", "From sm_90 on ptxas -c writes the CIE's offset in the Mercury .debug_frame, which may be past the end of this one, and nvlink keeps what it gets. Each FDE's CIE is the one before it."),
    fault(Id::FramesDropped, "F102", "frames-dropped", "nvlink 13.0", "An FDE has the relocation that says whose it is.", "nvlink keeps the entries of functions that it drops, without relocation, so that they seem to be of any function."),
    fault(Id::FramesLastInstruction, "F103", "frames-last-instruction", "ptxas 11.7", "An FDE covers all of its function.", "The FDE ends where the last instruction of the function begins."),

    row(Id::LevelsMixed, "M001", "levels-mixed", Warning, "All code of a linked file has debug information of one level.", "nvlink says nothing when it links -G, -lineinfo and plain objects; readers that go by compile units see the first kind only."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        assert_eq!(findings::rule_table_faults::<RuleId>(), [""; 0]);
        for Rule { code, severity, details, .. } in &RULES {
            let number: u16 = code[1..].parse().unwrap();
            assert!(number < 200, "{code}");
            assert_eq!(number > 100, details.fault_of.is_some(), "{code}");
            assert!(*severity == Note || details.fault_of.is_none(), "{code}");
            assert!(details.why.ends_with('.'), "{code}");
        }
    }
}
