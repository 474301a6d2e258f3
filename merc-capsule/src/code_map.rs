//! The map of a code section between native and Mercury space: its functions, addresses and
//! register ranges.

use crate::address_map::AddressMap;
use nv_debug_sections::catalog::CODE_PREFIX;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};

/// The map of one code section between native and Mercury space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeMap {
    /// The native section, `.text.F`.
    pub native: SectionIndex,
    /// Its functions, by native address.
    pub functions: Vec<FunctionMap>,
    /// The Mercury address, and the number of the first function that starts there: ascending, each
    /// address once.
    by_mercury: Vec<(u64, usize)>,
    /// Native addresses of functions, ascending, each once.
    pub starts: Vec<u64>,
    /// Native size in bytes, padding included.
    pub size: u64,
    /// Size of `F` in Mercury code, where sequences of its line tables end.
    pub mercury_size: u64,
    /// Which addresses are the same.
    pub map: AddressMap,
    /// Which register ranges are the same, for each time that the sections have the function:
    /// nvlink keeps what they say of code that it drops as a duplicate.
    pub register_orders: Vec<RangeOrder>,
}

/// The map of one function between native and Mercury space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionMap {
    /// Its symbol in `.symtab`.
    pub symbol: SymbolIndex,
    /// The byte offset in `.text.F` at which the function starts.
    pub native: u64,
    /// Its size there in bytes.
    pub native_size: u64,
    /// The position of the function in the capsule.
    pub mercury: MercuryFunction,
}

/// The sizes of one code section in both spaces, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeSizes {
    /// Native size, padding included.
    pub native: u64,
    /// Size of `F` in Mercury code.
    pub mercury: u64,
}

/// The position of a function in Mercury code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MercuryFunction {
    /// Byte offset in the capsule's code.
    pub value: u64,
    /// Its size in bytes.
    pub size: u64,
}

/// The order of a function's register ranges in both spaces, if the sections tell it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RangeOrder {
    /// As [`RangeMap::order`](crate::register_maps::RangeMap::order).
    pub numbers: Vec<u32>,
    /// As [`RangeMap::open_starts`](crate::register_maps::RangeMap::open_starts).
    pub open_starts: Vec<(u32, u32)>,
    /// As [`RangeMap::is_copy`](crate::register_maps::RangeMap::is_copy).
    pub is_copy: bool,
}

impl CodeMap {
    /// Creates the map of the code section at `native` from what a code generator knows.
    /// `functions` may be in any order.
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

    /// Returns the first function that starts at the native address `native`.
    pub fn function_at_native(&self, native: u64) -> Option<&FunctionMap> {
        let at = self.functions.partition_point(|function| function.native < native);
        self.functions.get(at).filter(|function| function.native == native)
    }

    /// Returns the first function that starts at the Mercury address `mercury`.
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
