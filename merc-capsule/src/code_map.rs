//! The map of a code section between native and Mercury space: its functions, addresses and
//! register ranges.

use super::range_order::RangeOrder;
use crate::address_map::AddressMap;
use nv_debug_sections::catalog::CODE_PREFIX;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};

/// The map of one code section between native and Mercury space: its functions, addresses and
/// register ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeMap {
    /// The index of the native code section, `.text.F`.
    pub native: SectionIndex,
    /// The functions of the code section, by native address.
    pub functions: Vec<FunctionMap>,
    /// The Mercury address, and the number of the first function that starts there: ascending, each
    /// address once.
    by_mercury: Vec<(u64, usize)>,
    /// The native addresses at which functions start, ascending, without duplicates.
    pub starts: Vec<u64>,
    /// The size of the native code section in bytes, padding included.
    pub size: u64,
    /// The size in bytes of function `F` of `.text.F` in Mercury code. The sequences of the Mercury
    /// line tables for the section end there.
    pub mercury_size: u64,
    /// The pairs of native and Mercury addresses of the section.
    pub map: AddressMap,
    /// The orders of the register ranges of function `F` of `.text.F`, one for each time that the
    /// register sections list the function. nvlink leaves several lists if it drops duplicates of
    /// the code.
    pub register_orders: Vec<RangeOrder>,
}

/// The start and size of one function in native code and in Mercury code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionMap {
    /// The function's symbol in `.symtab`.
    pub symbol: SymbolIndex,
    /// The byte offset in `.text.F` at which the function starts.
    pub native: u64,
    /// The size of the function's native code in bytes.
    pub native_size: u64,
    /// The position of the function in the Mercury code.
    pub mercury: MercuryFunction,
}

/// The sizes of one code section in both spaces, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeSizes {
    /// The size of the native code section in bytes, padding included.
    pub native: u64,
    /// The size in bytes of function `F` of `.text.F` in Mercury code.
    pub mercury: u64,
}

/// The position and size of a function in Mercury code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MercuryFunction {
    /// The byte offset at which the function starts in the Mercury code of the section.
    pub value: u64,
    /// The size of the function's Mercury code in bytes.
    pub size: u64,
}

impl CodeMap {
    /// Creates the map of the code section with the index `native` from what a code generator
    /// knows. `functions` may be in any order.
    pub fn new(
        native: SectionIndex,
        mut functions: Vec<FunctionMap>,
        sizes: CodeSizes,
        map: AddressMap,
    ) -> Self {
        let CodeSizes { native: size, mercury: mercury_size } = sizes;
        functions.sort_by_key(|function| (function.native, function.symbol));
        let mut starts: Vec<u64> = functions.iter().map(|function| function.native).collect();
        starts.dedup();
        let mut by_mercury: Vec<_> =
            functions.iter().zip(0..).map(|(function, at)| (function.mercury.value, at)).collect();
        by_mercury.sort_unstable();
        by_mercury.dedup_by_key(|(address, _)| *address);
        Self { native, functions, by_mercury, starts, size, mercury_size, map, register_orders: Vec::new() }
    }

    /// Finds the map of a code section among `maps`, which are in the order of the sections.
    pub(crate) fn of(maps: &[Self], native: SectionIndex) -> Option<&Self> {
        let at = maps.binary_search_by_key(&native, |code| code.native).ok()?;
        maps.get(at)
    }

    /// Returns the first function that starts at a native address.
    pub fn function_at_native(&self, native: u64) -> Option<&FunctionMap> {
        let at = self.functions.partition_point(|function| function.native < native);
        self.functions.get(at).filter(|function| function.native == native)
    }

    /// Returns the first function that starts at a Mercury address.
    pub fn function_at_mercury(&self, mercury: u64) -> Option<&FunctionMap> {
        let at = self.by_mercury.binary_search_by_key(&mercury, |(address, _)| *address).ok()?;
        self.functions.get(self.by_mercury.get(at)?.1)
    }
}

impl CodeMap {
    /// The symbol of `F`, by which line tables name the section.
    pub(crate) fn own_symbol(&self, cubin: &Cubin<'_>) -> Option<SymbolIndex> {
        let own = cubin.section_name(self.native).strip_prefix(CODE_PREFIX)?;
        let mut symbols = self.functions.iter().map(|function| function.symbol);
        symbols.find(|symbol| cubin.symbol_name(*symbol) == own)
    }

    /// Bytes of native code from where a function starts, up to the next or its end: functions that
    /// have others folded into their section count these in their size.
    pub(crate) fn native_range(&self, function: &FunctionMap) -> u64 {
        let next = self.starts.get(self.starts.partition_point(|start| *start <= function.native));
        let range = next.map_or(u64::MAX, |next| next - function.native);
        range.min(function.native_size)
    }

    /// Returns the range of the function in Mercury code.
    pub(crate) fn mercury_range(&self, function: &FunctionMap) -> u64 {
        let MercuryFunction { value, size } = function.mercury;
        let next = self.by_mercury.get(self.by_mercury.partition_point(|(address, _)| *address <= value));
        next.map_or(u64::MAX, |(next, _)| next - value).min(size)
    }
}
