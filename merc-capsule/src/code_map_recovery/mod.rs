//! Recovery of the address maps of a cubin from its sections, which have the same facts at native
//! and at Mercury addresses.

mod addresses;
mod line_tables;

use crate::address_map::AddressMap;
use crate::code_map::{CodeMap, CodeSizes, FunctionMap, MercuryFunction};
use crate::imnmx::imnmx_instructions;
use crate::section_pairs::SectionPairs;
use foldhash::{HashMap, HashMapExt as _};
use line_tables::{LineTable, MercuryLines, NativeLines};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{CODE_PREFIX, SectionKind, Space};
use nv_debug_sections::cubin::{Cubin, SectionIndex, Symbol, SymbolIndex};
use nv_debug_sections::line::{self, LineOp};
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::relocated::RelocatedCubin;
use std::borrow::Cow;

/// Recovers the address maps of all code sections that have Mercury code, in file order.
///
/// Recovered from the symbols of both spaces, the PTX line tables, register ranges, frame rules,
/// addresses in debug sections, and what `.nv.info.F` lists. Where two of them contradict each
/// other, the first counts. Code that comes from no PTX instruction has the line of the function's
/// `{`, which a flagged row of the Mercury table says.
///
/// # Errors
///
/// That of [`SectionPairs::of`]; a table cannot be read, a sequence is of no code section or, in
/// files that are not linked, the second of one, or a capsule has no PTX lines although its native
/// code does.
pub fn code_maps(cubin: &Cubin<'_>) -> Result<Vec<CodeMap>> {
    let pairs = SectionPairs::of(cubin)?;
    let native_lines = LineTable::read(cubin, SectionKind::NvDebugLineSass, Space::Native)?;
    let mercury_lines = LineTable::read(cubin, SectionKind::NvDebugLineSass, Space::Mercury)?;
    let source_lines = LineTable::read(cubin, SectionKind::DebugLine, Space::Mercury)?;
    let others = cubin.mercury_symbols();
    let kept_sizes = addresses::kept_sizes(cubin, &pairs)?;
    let mut maps = Vec::new();
    for (native, functions) in code_sections(cubin) {
        let Some(mercury) = pairs.mercury_section(native) else { continue };
        let mercury_function = |symbol| {
            let other = others.get(pairs.mercury_symbol_of(symbol)?.as_usize())?;
            Some(MercuryFunction { value: other.value, size: other.size })
        };
        let mut code = code_map(cubin, native, functions, mercury_function)?;
        let starts: Vec<AddressPair> = starts(&code.functions).collect();
        let kept_size = kept_sizes.get(&mercury).copied();
        let imnmx = imnmx_instructions(cubin.target(), &cubin.bytes(native)?, &cubin.bytes(mercury)?);
        let native = NativeLines { section: native, ptx_lines: &native_lines, imnmx: &imnmx };
        let mercury =
            MercuryLines { section: mercury, ptx_lines: &mercury_lines, source_lines: &source_lines };
        code.map = line_tables::map(native, mercury, &starts, kept_size)?;
        maps.push(code);
    }
    addresses::add(cubin, &pairs, &kept_sizes, &mut maps)?;
    Ok(maps)
}

/// These maps, or those that [`code_maps`] recovers.
pub(crate) fn maps_or_recovered<'m>(
    cubin: &Cubin<'_>,
    maps: Option<&'m [CodeMap]>,
) -> Result<Cow<'m, [CodeMap]>> {
    maps.map_or_else(|| code_maps(cubin).map(Cow::Owned), |maps| Ok(Cow::Borrowed(maps)))
}

/// Returns maps in which every Mercury address equals the native address, for cubins without
/// Mercury code.
///
/// # Errors
///
/// A line table or `.nv_debug_info_reg_sass` cannot be read.
pub fn identity_maps(cubin: &Cubin<'_>) -> Result<Vec<CodeMap>> {
    let view = RelocatedCubin::new(cubin);
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
            let mercury_function = |symbol: SymbolIndex| {
                let Symbol { value, size, .. } = *symbols.get(symbol.as_usize())?;
                Some(MercuryFunction { value, size })
            };
            let mut code = code_map(cubin, native, functions, mercury_function)?;
            let lines = changes.remove(&native).unwrap_or_default();
            code.map = AddressMap::identity(code.starts.iter().copied().chain(lines));
            Ok(code)
        })
        .collect::<Result<Vec<_>>>();
    let mut maps = maps?;
    addresses::add_copies(cubin, &mut maps)?;
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
    mercury_function: impl Fn(SymbolIndex) -> Option<MercuryFunction>,
) -> Result<CodeMap> {
    let own = cubin.section_name(native).strip_prefix(CODE_PREFIX);
    let mut mercury_size = 0;
    let mut all = Vec::with_capacity(functions.len());
    for (symbol, entry) in functions {
        let Some(mercury) = mercury_function(symbol) else { continue };
        if own == Some(cubin.symbol_name(symbol)) {
            mercury_size = mercury.size;
        }
        all.push(FunctionMap { symbol, native: entry.value, native_size: entry.size, mercury });
    }
    let size = cubin.bytes(native)?.len() as u64;
    let sizes = CodeSizes { native: size, mercury: mercury_size };
    Ok(CodeMap::new(native, all, sizes, AddressMap::default()))
}

/// Where functions start, each native address once.
fn starts(functions: &[FunctionMap]) -> impl Iterator<Item = AddressPair> {
    functions
        .chunk_by(|a, b| a.native == b.native)
        .filter_map(|same| same.first())
        .map(|first| AddressPair { native: first.native, mercury: first.mercury.value })
}
