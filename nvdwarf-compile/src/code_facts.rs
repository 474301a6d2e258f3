//! The facts that a code generator knows about the code it made.

use crate::error::{ErrorKind, Result};
use crate::lower::ptx_facts::PtxFacts;
use merc_capsule::{AddressMap, Imnmx, LineChanges};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::frame;
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::register::SassRegister;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The code of one module, as facts. Symbols are indices in the symbol table of the file to be
/// written.
#[derive(Debug, Default)]
pub(crate) struct CodeFacts {
    /// Code sections in `.text.*` order.
    pub(crate) sections: Vec<CodeSection>,
    /// Call frame rules, in section order; `None` when the code generator has none to give.
    pub(crate) frame: Option<Vec<frame::Entry>>,
    /// Symbols by name.
    pub(crate) symbols: HashMap<String, ImageSymbol>,
    /// Section symbols by section name.
    pub(crate) section_symbols: HashMap<String, SymbolIndex>,
    /// Addresses of PTX labels that the code generator names; the others follow from the PTX lines.
    pub(crate) labels: HashMap<String, LabelAddress>,
    /// Labels that a section refers to and the code generator could not place: their fields stay 0.
    /// Seen with ptxas 13.0.88 for some labels before code under a `.loc` of line 0
    /// (docs/formats/relocations.md, what a name in PTX becomes).
    pub(crate) open_labels: HashSet<(SectionKind, String)>,
    /// Whether register ranges are known for this code.
    pub(crate) has_registers: bool,
}

/// The code of a module in Mercury space, the form that from sm_100 on lies in the file beside the
/// native code (docs/formats/capsule.md).
#[derive(Debug)]
pub(crate) struct MercuryFacts {
    /// The facts. Symbols are indices in `.nv.merc.symtab`; code sections are in the order of the
    /// native ones.
    pub(crate) image: CodeFacts,
    /// By code section: where native instructions come from.
    addresses: Vec<AddressMap>,
}

impl MercuryFacts {
    /// Joins both images of the same code.
    ///
    /// # Errors
    ///
    /// A native code section has no Mercury code.
    pub(crate) fn new(native: &CodeFacts, mut mercury: CodeFacts, facts: &PtxFacts<'_>) -> Result<Self> {
        let mut by_function: HashMap<String, CodeSection> =
            mercury.sections.drain(..).map(|section| (section.function.clone(), section)).collect();
        let mut addresses = Vec::with_capacity(native.sections.len());
        for section in &native.sections {
            let function = &section.function;
            let there = by_function.remove(function);
            let there = there.ok_or_else(|| ErrorKind::NoMercuryCode { function: function.clone() })?;
            addresses.push(address_map(section, &there, facts));
            mercury.sections.push(there);
        }
        Ok(Self { image: mercury, addresses })
    }

    /// Mercury code and origins of the native code section at `index`.
    pub(crate) fn section(&self, index: usize) -> Option<(&CodeSection, &AddressMap)> {
        self.image.sections.get(index).zip(self.addresses.get(index))
    }
}

fn address_map(native: &CodeSection, mercury: &CodeSection, facts: &PtxFacts<'_>) -> AddressMap {
    let there: HashMap<&str, u64> = mercury.parts.iter().map(|part| (&*part.name, part.address)).collect();
    let start =
        |part: &FunctionPart| Some(AddressPair { native: part.address, mercury: *there.get(&*part.name)? });
    let mut starts: Vec<AddressPair> = native.parts.iter().filter_map(start).collect();
    starts.dedup_by_key(|start| start.native);
    let opening = native.parts.iter().filter_map(|part| facts.functions.get(&*part.name));
    // What a `.loc` covers has a source location like any other code, be it on the line of a `{`.
    let opening =
        opening.map(|function| function.open_line).filter(|line| facts.loc_at_line(*line).is_none());
    let opening: Vec<u32> = opening.collect();
    AddressMap::recover(LineChanges {
        native: native.ptx_lines.as_deref().unwrap_or_default(),
        mercury: mercury.ptx_lines.as_deref().unwrap_or_default(),
        starts: &starts,
        opening_lines: &opening,
        imnmx: &native.imnmx,
    })
}

/// Size of an instruction since sm_70.
const INSTRUCTION_BYTES: u64 = 16;

/// One code section, `.text.F`: the function `F` and those folded into it.
#[derive(Debug, Clone)]
pub(crate) struct CodeSection {
    /// `F`.
    pub(crate) function: String,
    /// Symbol of `F`.
    pub(crate) symbol: SymbolIndex,
    /// Size in bytes, padding included.
    pub(crate) size: u64,
    /// Functions that start in this section, by address.
    pub(crate) parts: Vec<FunctionPart>,
    /// `(byte offset, 1-based PTX line)` wherever the PTX line of the instructions changes, in
    /// address order. Instructions that belong to no PTX instruction (prologues) have no entry.
    /// `None` for code that has no PTX, as helpers that ptxas adds.
    pub(crate) ptx_lines: Option<Vec<(u64, u32)>>,
    /// Register ranges and their type codes; empty without `-g`.
    pub(crate) registers: Vec<RegisterRange>,
    /// Byte offsets of `EXIT` instructions, ascending; only kernels have any.
    pub(crate) exits: Vec<u64>,
    /// Byte offsets of the instructions that come with a branch, ascending: `BSSY`, which sets up
    /// where threads meet again, and the `BMOV` before. They come from no PTX instruction, and are
    /// given the line of the one before.
    pub(crate) branch_setup: Vec<u64>,
    /// Byte offsets of the instructions that end a basic block, ascending: branches, returns and
    /// exits.
    pub(crate) block_ends: Vec<u64>,
    /// Byte offsets of `CALL` instructions, ascending. A call of the PTX that cannot be reached has
    /// none.
    pub(crate) calls: Vec<u64>,
    /// Native instructions that have the lines of others, ascending; sm_110 only.
    pub(crate) imnmx: Vec<Imnmx>,
}

impl CodeSection {
    /// Whether the code at a byte offset begins a basic block, or would but for what ptxas set up
    /// there ([`CodeSection::branch_setup`]).
    pub(crate) fn follows_block_end(&self, mut address: u64) -> bool {
        while let Some(before) = address.checked_sub(INSTRUCTION_BYTES) {
            if self.branch_setup.binary_search(&before).is_err() {
                return self.block_ends.binary_search(&before).is_ok();
            }
            address = before;
        }
        false
    }

    /// The rows of [`CodeSection::ptx_lines`] from the byte offset `start` on and before `end`.
    pub(crate) fn lines_between(&self, start: u64, end: u64) -> Option<&[(u64, u32)]> {
        let lines = self.ptx_lines.as_deref()?;
        let [first, after] = [start, end].map(|bound| lines.partition_point(|(at, _)| *at < bound));
        lines.get(first..after)
    }

    /// The PTX lines of the calls from the byte offset `start` on and before `end`. `None` if no
    /// PTX lines are known.
    pub(crate) fn call_lines(&self, start: u64, end: u64) -> Option<HashSet<u32>> {
        let rows = self.lines_between(start, end)?;
        let calls = self.calls.iter().filter(|call| (start..end).contains(*call));
        let row = |call: &u64| rows.partition_point(|(at, _)| at <= call).checked_sub(1);
        Some(calls.filter_map(row).filter_map(|row| Some(rows.get(row)?.1)).collect())
    }
}

/// A function inside a code section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FunctionPart {
    /// Its name in the PTX.
    pub(crate) name: String,
    /// Byte offset of its first instruction in the section.
    pub(crate) address: u64,
}

/// The SASS register of a PTX register over a range of code; see
/// [`nv_debug_sections::reg_sass::RegisterRange`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegisterRange {
    /// 32-bit word of the PTX register.
    pub(crate) part: u32,
    /// PTX name.
    pub(crate) ptx_name: Arc<[u8]>,
    /// SASS register.
    pub(crate) register: SassRegister,
    /// First byte offset.
    pub(crate) start: u32,
    /// Last byte offset, exclusive.
    pub(crate) end: u32,
    /// Declared type, a code of `.nv_debug_info_reg_type`.
    pub(crate) type_code: u8,
}

/// A symbol of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImageSymbol {
    /// Its index; `None` for a variable of a debug-only object that has a value and no symbol.
    pub(crate) index: Option<SymbolIndex>,
    /// `st_value`: offset in its section, or in the window of its state space.
    pub(crate) value: u64,
    /// Whether it is defined in this file.
    pub(crate) defined: bool,
}

/// Address of a label: a byte offset from a function's symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LabelAddress {
    /// The symbol of the code section's function.
    pub(crate) symbol: SymbolIndex,
    /// Byte offset.
    pub(crate) offset: u64,
}
