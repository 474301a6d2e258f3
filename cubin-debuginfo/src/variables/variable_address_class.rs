//! The address class of a variable, and what a debugger makes of it.

use nv_debug_sections::address_class::AddressClass;

/// The address class of a variable: the memory that its entry states, and the one that CUDA-GDB
/// reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableAddressClass {
    /// The value of `DW_AT_address_class`; `None` if the variable's entry has none.
    pub stated: Option<u64>,
    /// The address class that CUDA-GDB uses for the variable: [`AddressClass::Global`] where none
    /// is stated; `None` for a value that is not a class.
    pub taken: Option<AddressClass>,
}

/// A mistake that a debugger may make with a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DebuggerMistake {
    /// The variable's entry states no address class, so CUDA-GDB reads global memory at its
    /// address. The variable may be in another memory, such as shared memory.
    NoClass,
    /// The variable's entry states the address class of another memory than the one that has the
    /// variable. CUDA-GDB reads the stated memory.
    OtherClass,
    /// The variable's address is a number without relocation, but addresses in the memory that its
    /// entry states need one.
    Unplaced,
    /// The number that the variable has as its address may stand for a name that the module does
    /// not define: ptxas writes a number for these too, and the file has such an undefined symbol.
    MaybeUndefined,
    /// The variable is in a register, but its entry states the address class of a memory. An entry
    /// without a class is usual: nvcc leaves it out in inlined calls.
    RegisterOfOtherClass,
}
