//! Why a variable has no location.

/// Why a variable has no location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unavailable {
    /// The variable's entry has no location: the compiler has removed the variable, or never gave
    /// it a register or memory.
    NoLocation,
    /// The entry is that of a function's source (`DW_AT_inline`); only its inlined calls have
    /// locations.
    Abstract,
    /// The entry is a declaration; the definition of the variable is elsewhere.
    Declaration,
    /// The code of the variable's scope is not in the file.
    NoCode,
    /// The variable's location list has no entry for this range of code.
    Gap,
    /// The location expression is empty, which means that the variable is optimised out (DWARF 3
    /// §2.6.1.1).
    Empty,
    /// A range of the location list starts or ends at a label to which ptxas gave no address; the
    /// list has 0 there (docs/formats/relocations.md, what a name in PTX becomes).
    OpenRange,
    /// A range of the location list ends before it starts, or ends in another section.
    BadRange,
    /// No entry of the location list certainly contains this range of code, but one whose start or
    /// end is not known, or that cannot be read, may contain it.
    Unknown,
    /// The location list, or a part of it, cannot be read. The value is the error in words.
    BadList(String),
    /// The variable's address is this number without relocation, but addresses in its memory need
    /// one: ptxas did not know the symbol, or the PTX has a number there.
    NoAddress(u64),
    /// The variable is in local memory and its address is this number, but locations in local
    /// memory are offsets in a stack frame. ptxas did not know the symbol, the entry belongs to no
    /// function, or the PTX has a number there.
    NoFrameOffset(u64),
    /// The variable's address is this number, which is outside every kernel's shared window, the
    /// shared variable of that name, or all parameters.
    OutsideMemory(u64),
    /// The symbol of the variable's address is local and undefined, so no file can define it. The
    /// value is its name.
    NoSymbol(String),
    /// The address of the shared variable is -1, which stands for none; on SMs with a
    /// [reserve](nv_debug_sections::address_space::shared_window_reserve) it is that much higher.
    /// ptxas writes it if the code does not use the variable, nvlink for a dynamic one (`extern
    /// __shared__`), which in each kernel is after the kernel's own.
    NoSharedAddress,
    /// The number at the address of a shared variable in a relocatable file is not an address:
    /// `nvlink -r` has replaced the relocation of `ptxas -c` by the variable's alignment.
    NotRelocated,
    /// No SASS register holds the variable's PTX register in this range of code. The value is the
    /// PTX register.
    NotInRegister(String),
    /// The variable is in the PTX register in the value, and the file has no register map that can
    /// be read: it was not compiled with `-G`, is stripped, or damaged
    /// ([`Variables::faults`](super::Variables::faults)).
    NoRegisterMap(String),
    /// The location names a register that the chip does not have, or a number that is not that of a
    /// register. The value is that register or number.
    UnknownRegister(String),
}
