//! Address maps from a cubin alone: from what its tables have at addresses of both spaces.

mod lines;
mod places;

use crate::address_map::AddressMap;
use crate::imnmx::imnmx_instructions;
use crate::registers::RangeOrder;
use crate::spaces::Spaces;
use crate::symtab::MercuryFunction;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{CODE_PREFIX, SectionKind, Space};
use nv_debug_sections::cubin::{Cubin, SectionIndex, Symbol, SymbolIndex};
use nv_debug_sections::line::{self, LineOp};
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::relocated::Relocated;
use std::borrow::Cow;

/// One code section in both spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeMap {
    /// The native section, `.text.F`.
    pub native: SectionIndex,
    /// Its functions, by native address.
    pub functions: Vec<FunctionMap>,
    /// Address in Mercury code and number of the first of them that starts there: ascending, each address once.
    by_mercury: Vec<(u64, usize)>,
    /// Native addresses of functions, ascending, each once.
    pub starts: Vec<u64>,
    /// Native size in bytes, padding included.
    pub size: u64,
    /// Size of `F` in Mercury code, where sequences of its line tables end.
    pub mercury_size: u64,
    /// Which addresses are the same.
    pub map: AddressMap,
    /// Which register ranges are the same, for each time that the sections have the function: nvlink keeps what they say of code that
    /// it drops as a duplicate.
    pub register_orders: Vec<RangeOrder>,
}

/// One function in both spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionMap {
    /// Its symbol in `.symtab`.
    pub symbol: SymbolIndex,
    /// Where it starts in `.text.F`.
    pub native: u64,
    /// Its size there in bytes.
    pub native_size: u64,
    /// Where it is in the capsule.
    pub mercury: MercuryFunction,
}

impl CodeMap {
    /// The map of the code section at `native`, as a code generator knows it. `functions` come in any order, `sizes` are the native and the
    /// Mercury one in bytes.
    pub fn new(
        native: SectionIndex,
        mut functions: Vec<FunctionMap>,
        (size, mercury_size): (u64, u64),
        map: AddressMap,
    ) -> Self {
        functions.sort_by_key(|function| (function.native, function.symbol));
        let mut starts: Vec<u64> = functions.iter().map(|function| function.native).collect();
        starts.dedup();
        let mut by_mercury: Vec<_> =
            functions.iter().zip(0..).map(|(function, at)| (function.mercury.value, at)).collect();
        by_mercury.sort_unstable();
        by_mercury.dedup_by_key(|(address, _)| *address);
        Self { native, functions, by_mercury, starts, size, mercury_size, map, register_orders: Vec::new() }
    }

    /// The map of a code section among `maps`, which are in the order of these.
    pub(crate) fn of(maps: &[Self], native: SectionIndex) -> Option<&Self> {
        let at = maps.binary_search_by_key(&native, |code| code.native).ok()?;
        maps.get(at)
    }

    /// The first function that starts at a native address.
    pub fn function_at(&self, native: u64) -> Option<&FunctionMap> {
        let at = self.functions.partition_point(|function| function.native < native);
        self.functions.get(at).filter(|function| function.native == native)
    }

    /// The first function that starts at a Mercury address.
    pub fn function_from(&self, mercury: u64) -> Option<&FunctionMap> {
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

    /// Bytes of native code from where a function starts, up to the next or its end: functions that have others folded into their
    /// section count these in their size.
    pub(crate) fn native_range(&self, function: &FunctionMap) -> u64 {
        let next = self.starts.get(self.starts.partition_point(|start| *start <= function.native));
        let range = next.map_or(u64::MAX, |next| next - function.native);
        range.min(function.native_size)
    }

    /// The same in Mercury code.
    pub(crate) fn mercury_range(&self, function: &FunctionMap) -> u64 {
        let MercuryFunction { value, size } = function.mercury;
        let next = self.by_mercury.get(self.by_mercury.partition_point(|(address, _)| *address <= value));
        next.map_or(u64::MAX, |(next, _)| next - value).min(size)
    }
}

/// The maps of all code sections that have a capsule, in file order.
///
/// Recovered from the symbols of both spaces, the PTX line tables, register ranges, frame rules, addresses in debug sections, and what
/// `.nv.info.F` lists. Where two of them contradict each other, the first counts. Code that comes from no PTX instruction has the line
/// of the function's `{`, which a flagged row of the Mercury table says.
///
/// # Errors
///
/// That of [`Spaces::of`]; a table cannot be read, a sequence is of no code section or, in files that are not linked, the second of one,
/// or a capsule has no PTX lines although its native code does.
pub fn code_maps(cubin: &Cubin<'_>) -> Result<Vec<CodeMap>> {
    let spaces = Spaces::of(cubin)?;
    let here = lines::Table::read(cubin, SectionKind::NvDebugLineSass, Space::Native)?;
    let there = lines::Table::read(cubin, SectionKind::NvDebugLineSass, Space::Mercury)?;
    let sources = lines::Table::read(cubin, SectionKind::DebugLine, Space::Mercury)?;
    let others = cubin.mercury_symbols();
    let kept_sizes = places::kept_sizes(cubin, &spaces)?;
    let mut maps = Vec::new();
    for (native, functions) in code_sections(cubin) {
        let Some(mercury) = spaces.mercury(native) else { continue };
        let place = |symbol| {
            let other = others.get(spaces.mercury_symbol(symbol)?.as_usize())?;
            Some(MercuryFunction { value: other.value, size: other.size })
        };
        let mut code = code_map(cubin, native, functions, place)?;
        let starts: Vec<AddressPair> = starts(&code.functions).collect();
        let mercury_lines = (mercury, &there, &sources);
        let imnmx = imnmx_instructions(cubin.header.sm(), &cubin.bytes(native)?, &cubin.bytes(mercury)?);
        let native_lines = (native, &here, &*imnmx);
        code.map = lines::map(native_lines, mercury_lines, &starts, kept_sizes.get(&mercury).copied())?;
        maps.push(code);
    }
    places::add(cubin, &spaces, &kept_sizes, &mut maps)?;
    Ok(maps)
}

/// These maps, or those that [`code_maps`] recovers.
pub(crate) fn maps_or_recovered<'m>(
    cubin: &Cubin<'_>,
    maps: Option<&'m [CodeMap]>,
) -> Result<Cow<'m, [CodeMap]>> {
    maps.map_or_else(|| code_maps(cubin).map(Cow::Owned), |maps| Ok(Cow::Borrowed(maps)))
}

/// The maps of native code that stands for Mercury code too: every address is the same in both.
///
/// # Errors
///
/// A line table or `.nv_debug_info_reg_sass` cannot be read.
pub fn identity_maps(cubin: &Cubin<'_>) -> Result<Vec<CodeMap>> {
    let view = Relocated::new(cubin);
    let mut changes: HashMap<SectionIndex, Vec<u64>> = HashMap::new();
    for kind in [SectionKind::NvDebugLineSass, SectionKind::DebugLine] {
        let Some(index) = cubin.section_by_name(kind.name()) else { continue };
        let section = view.section(index)?;
        for sequence in line::decode(kind.name(), &section.bytes)?.iter().flat_map(|table| &table.sequences) {
            if let Some(code) = section.target(sequence.base_offset).and_then(|target| target.section) {
                let addresses = sequence.ops.iter().filter_map(|op| match *op {
                    LineOp::Row { address, .. } | LineOp::Advance(address) => Some(address),
                    _ => None,
                });
                changes.entry(code).or_default().extend(addresses);
            }
        }
    }
    let maps = code_sections(cubin)
        .into_iter()
        .map(|(native, functions)| {
            let symbols = cubin.symbols();
            let place = |symbol: SymbolIndex| {
                let Symbol { value, size, .. } = *symbols.get(symbol.as_usize())?;
                Some(MercuryFunction { value, size })
            };
            let mut code = code_map(cubin, native, functions, place)?;
            let lines = changes.remove(&native).unwrap_or_default();
            code.map = AddressMap::identity(code.starts.iter().copied().chain(lines));
            Ok(code)
        })
        .collect::<Result<Vec<_>>>();
    let mut maps = maps?;
    places::add_copies(cubin, &mut maps)?;
    Ok(maps)
}

/// The native code sections in file order, each with its functions.
fn code_sections<'c>(cubin: &'c Cubin<'_>) -> Vec<(SectionIndex, Vec<(SymbolIndex, &'c Symbol)>)> {
    let mut functions: HashMap<SectionIndex, Vec<(SymbolIndex, &Symbol)>> = HashMap::new();
    for (number, symbol) in cubin.functions() {
        if let Some(section) = symbol.section() {
            functions.entry(section).or_default().push((number, symbol));
        }
    }
    let is_code = |name: &str| name.starts_with(CODE_PREFIX);
    let sections = cubin.iter().filter(|(_, name, section)| is_code(name) && !section.is_mercury());
    sections.map(|(index, ..)| (index, functions.remove(&index).unwrap_or_default())).collect()
}

/// The code section without its addresses. `place` is where a function is in Mercury code.
fn code_map(
    cubin: &Cubin<'_>,
    native: SectionIndex,
    functions: Vec<(SymbolIndex, &Symbol)>,
    place: impl Fn(SymbolIndex) -> Option<MercuryFunction>,
) -> Result<CodeMap> {
    let own = cubin.section_name(native).strip_prefix(CODE_PREFIX);
    let mut mercury_size = 0;
    let mut all = Vec::with_capacity(functions.len());
    for (symbol, entry) in functions {
        let Some(mercury) = place(symbol) else { continue };
        if own == Some(cubin.symbol_name(symbol)) {
            mercury_size = mercury.size;
        }
        all.push(FunctionMap { symbol, native: entry.value, native_size: entry.size, mercury });
    }
    let size = cubin.bytes(native)?.len() as u64;
    Ok(CodeMap::new(native, all, (size, mercury_size), AddressMap::default()))
}

/// Where functions start, each native address once.
fn starts(functions: &[FunctionMap]) -> impl Iterator<Item = AddressPair> {
    functions
        .chunk_by(|a, b| a.native == b.native)
        .filter_map(|same| same.first())
        .map(|first| AddressPair { native: first.native, mercury: first.mercury.value })
}
