//! The facts in the entries of `.debug_info` about files and addresses, for rules that compare them
//! with the module.

/// A number and its byte offset in `.debug_info`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) offset: u64,
    pub(crate) value: u64,
}

/// An entry whose location is `DW_OP_addr ADDRESS`, and what is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryWithAddress {
    /// Byte offset of the address in `.debug_info`.
    pub(crate) address: u64,
    /// Its `DW_AT_address_class`.
    pub(crate) class: Option<Number>,
}

/// `DW_AT_low_pc` or `DW_AT_high_pc` of an entry that is not a unit's first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeAddress {
    pub(crate) offset: u64,
    pub(crate) attribute: u16,
}

/// Start and length of a name in `.debug_info`.
pub(crate) type NameBytes = Option<(usize, usize)>;

/// A function with code and a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SubprogramFile {
    pub(crate) file: Number,
    /// Byte offset of its `DW_AT_low_pc`.
    pub(crate) low_pc: u64,
    pub(crate) unit_name: NameBytes,
}

/// All facts, ascending by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) locations: Vec<EntryWithAddress>,
    pub(crate) pcs: Vec<CodeAddress>,
    /// `DW_AT_decl_file` or `DW_AT_call_file`, the number, and the entry's name.
    pub(crate) files: Vec<(u16, Number, NameBytes)>,
    pub(crate) subprograms: Vec<SubprogramFile>,
    /// The ranges of the entries of functions, without those inside of others and those without a
    /// name.
    pub(crate) functions: Vec<(u64, u64)>,
    /// The lowest place in its unit of a function with a name. Local variables that ptxas can place
    /// come after it.
    pub(crate) first_function: Option<u64>,
    /// There is an entry beside those of units.
    pub(crate) describes: bool,
}

/// The numbers of each kind of fact at a point of the reading, and the first function.
pub(super) struct Mark([usize; 5], Option<u64>);

impl Facts {
    pub(super) fn mark(&self) -> Mark {
        let counts = [
            self.locations.len(),
            self.pcs.len(),
            self.files.len(),
            self.subprograms.len(),
            self.functions.len(),
        ];
        Mark(counts, self.first_function)
    }

    pub(super) fn back_to(&mut self, &Mark([locations, pcs, files, subprograms, functions], first): &Mark) {
        self.first_function = first;
        self.locations.truncate(locations);
        self.pcs.truncate(pcs);
        self.files.truncate(files);
        self.subprograms.truncate(subprograms);
        self.functions.truncate(functions);
    }
}
