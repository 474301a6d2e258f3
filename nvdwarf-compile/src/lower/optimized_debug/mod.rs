//! `--debug-opt keep` and `--path-map`: `.debug_info` entries that differ from those of the PTX.
//!
//! The PTX's entries were written for the code that the PTX describes. For optimised code their
//! places are taken from the line tables that go into the same file: an inlined call covers the
//! addresses whose chain of call sites is its own, a block those of the PTX lines it is made of,
//! and so does an inlined call of a function whose `.loc` directives name no call sites (nvcc -G,
//! clang -g up to 19), less the lines that are its caller's. Locations stay where the code still
//! shows them: variables with a symbol, and parameters in the constant bank.
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

mod called_instructions;
mod code_index;
mod error;
mod tables;
mod tree;

use super::{Context, LoweredSection};
use crate::limits::{KEEP_STEPS, MAX_ORIGINS};
use crate::options::NvdwarfOptions;
use code_index::{CodeIndex, FunctionCode, OwnedRanges};
use dwarf2_reader::PathMap;
#[allow(clippy::wildcard_imports, reason = "DW_AT_*, DW_FORM_*, DW_OP_* and DW_TAG_*")]
use dwarf2_reader::constants::*;
use dwarf2_reader::{WorkBudget, expression};
use error::{Error, Result};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use ptx_syntax::StateSpace;
use ptx_syntax::section_data::{Fixup, FixupTarget};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use tables::{Ranges, move_lookups};
use tree::{Attribute, Entry, NewAttribute};

/// Changes the sections of a PTX of `size` bytes as the options ask. Nothing changes where they ask
/// for nothing.
///
/// # Errors
///
/// Entries that cannot be read or written again, or that need too much work.
pub(super) fn apply(
    context: &Context<'_>,
    extras: &NvdwarfOptions,
    size: usize,
    lowered: &mut Vec<LoweredSection>,
) -> Result<()> {
    let keep = extras.keep_optimised && !context.debug_only;
    let strings = bytes_of(lowered, SectionKind::DebugStr).to_vec();
    let find = |kind| lowered.iter().position(|section| section.kind == Some(kind));
    let (debug_str, tree) =
        (find(SectionKind::DebugStr), find(SectionKind::DebugInfo).zip(find(SectionKind::DebugAbbrev)));
    let (units, addends) = match tree {
        Some((info, abbrev)) => (
            tree::read(&lowered[info].bytes, &lowered[abbrev].bytes)
                .map_err(|error| Error::Unread(error.into()))?,
            lowered[info].relocs.iter().map(|reloc| (reloc.offset as usize, reloc.addend)).collect(),
        ),
        None => (Vec::new(), HashMap::new()),
    };
    let mut new_strings = strings.clone();
    if let Some(section) = debug_str.filter(|_| !extras.path_maps.is_empty()) {
        let info = tree.map_or(&[][..], |(info, _)| &lowered[info].bytes);
        let names = names(context, &units, info, &addends);
        map_strings(&mut new_strings, &extras.path_maps, &names);
        lowered[section].bytes.clone_from(&new_strings);
    }
    let Some((info, abbrev)) = tree else { return Ok(()) };
    let (bytes, relocs) = (lowered[info].bytes.clone(), lowered[info].relocs.clone());
    let lines = lowered.iter().find(|section| section.kind == Some(SectionKind::DebugLine));
    let mut work = RemainingWork {
        steps: WorkBudget::of_input(size as u64, KEEP_STEPS),
        strings: WorkBudget::of_strings(bytes.len() as u64, strings.len() as u64),
        lacks: None,
    };
    let places = CodeIndex::new(context, lines.filter(|_| keep), &strings, &mut work)?;
    let mut editor = Editor {
        context,
        keep,
        maps: &extras.path_maps,
        places,
        info: &bytes,
        strings: &strings,
        new_strings: &new_strings,
        addends,
        entries: units.iter().flat_map(|unit| &unit.entries).map(|entry| (entry.offset, entry)).collect(),
        instructions: HashMap::new(),
        scopes: Vec::new(),
        chains: HashMap::new(),
        ranges: Ranges::default(),
        mapped: false,
        work,
    };
    if keep {
        editor.instructions = editor.instructions(&units);
        let called = editor.called_instructions(&units);
        for (entry, instructions) in called {
            let own = editor.instructions.entry(entry).or_default();
            *own = code_index::common(own, &instructions);
        }
    }
    let written = tree::write(&units, &bytes, &relocs, |entry| editor.attributes(entry))?;
    editor.work.check()?;
    if !keep && !editor.mapped {
        return Ok(());
    }
    let ranges = editor.ranges;
    move_lookups(lowered, &written);
    lowered[info].bytes = written.info;
    lowered[info].relocs = written.relocs;
    lowered[abbrev].bytes = written.abbrev;
    if keep {
        lowered.retain(|section| section.kind.is_none_or(|kind| !STALE.contains(&kind)));
        if !ranges.bytes.is_empty() {
            lowered.push(LoweredSection::of(SectionKind::DebugRanges, ranges.bytes, ranges.relocs));
        }
    }
    Ok(())
}

fn bytes_of(lowered: &[LoweredSection], kind: SectionKind) -> &[u8] {
    let section = lowered.iter().find(|section| section.kind == Some(kind));
    section.map_or(&[], |section| &section.bytes)
}

/// Where in `.debug_str` something stands that is more than the path of a unit: names of inlined
/// functions in the line table, other attributes, the second half of a longer string.
fn names(
    context: &Context<'_>,
    units: &[tree::Unit],
    info: &[u8],
    addends: &HashMap<usize, i64>,
) -> BTreeSet<usize> {
    let inlined = context.facts.locs.iter().filter(|loc| loc.parent.is_some()).map(|loc| loc.name as usize);
    let attributes = units.iter().flat_map(|unit| &unit.entries).flat_map(|entry| {
        let others = entry.attributes.iter().filter(|attribute| !is_path(entry, attribute));
        others.filter_map(|attribute| tree::string_offset(attribute, info, addends))
    });
    inlined.chain(attributes).collect()
}

/// Whether an attribute is the path of a unit.
fn is_path(entry: &Entry, attribute: &Attribute) -> bool {
    entry.depth == 0 && [DW_AT_name, DW_AT_comp_dir].contains(&attribute.name)
}

/// Maps the strings of `.debug_str` in their place, which NULs fill up; those that `names` leads
/// into stay. One that would need more room becomes empty: unit attributes then have it themselves.
fn map_strings(bytes: &mut [u8], maps: &[PathMap], names: &BTreeSet<usize>) {
    let mut at = 0;
    for string in bytes.split_mut(|byte| *byte == 0) {
        let place = at..at + string.len();
        at = place.end + 1;
        let is_name = names.range(place).next().is_some();
        if let Some(new) = PathMap::apply(maps, string).filter(|_| !is_name) {
            let fits = new.len() <= string.len();
            let new = if fits { new.iter() } else { [].iter() };
            let padded = new.copied().chain(std::iter::repeat(0));
            string.iter_mut().zip(padded).for_each(|(byte, new)| *byte = new);
        }
    }
}

/// Attributes that say where something is at run time.
const LOCATIONS: [u16; 6] = [
    DW_AT_location,
    DW_AT_frame_base,
    DW_AT_return_addr,
    DW_AT_segment,
    DW_AT_static_link,
    DW_AT_string_length,
];
/// Attributes that say where something is in an object whose address is known.
const PLACES_IN_OBJECTS: [u16; 3] =
    [DW_AT_data_member_location, DW_AT_use_location, DW_AT_vtable_elem_location];
/// Sections that describe the code that the PTX describes, and go.
const STALE: [SectionKind; 3] = [SectionKind::DebugLoc, SectionKind::DebugRanges, SectionKind::DebugAranges];
/// Attributes that say where code is.
const CODE: [u16; 4] = [DW_AT_low_pc, DW_AT_high_pc, DW_AT_entry_pc, DW_AT_ranges];

/// Addresses of code, ascending.
type AddressRanges = Vec<(u64, u64)>;

/// The function, the inlined calls and the code around an entry.
#[derive(Debug, Clone, Default)]
struct Scope {
    /// The code of the function that it is in.
    home: Option<FunctionCode>,
    /// The inlined calls down to it.
    chain: Option<Chain>,
    /// Its addresses, or those of the entry above that has any, ascending.
    within: Rc<[(u64, u64)]>,
}

struct Editor<'e> {
    context: &'e Context<'e>,
    keep: bool,
    maps: &'e [PathMap],
    places: CodeIndex<'e>,
    info: &'e [u8],
    strings: &'e [u8],
    /// The same with paths mapped.
    new_strings: &'e [u8],
    /// Addends of relocated fields by offset.
    addends: HashMap<usize, i64>,
    entries: HashMap<usize, &'e Entry>,
    /// PTX instructions of entries that labels place, ascending; of inlined calls less those that
    /// are their caller's.
    instructions: HashMap<usize, Vec<(u64, u64)>>,
    scopes: Vec<Scope>,
    /// Chains that have their entry: of two calls of the same function from the same line the first
    /// has the code. By the number of the chain above, or the section that there is none in.
    chains: HashMap<(ChainParent, code_index::Call), usize>,
    ranges: Ranges,
    mapped: bool,
    work: RemainingWork,
}

/// The chain of inlined calls down to an entry.
#[derive(Debug, Clone)]
struct Chain {
    above: ChainParent,
    /// Those of the line table that may be this one.
    nodes: Rc<[usize]>,
}

/// What a chain of inlined calls begins at: the code of a section, or another chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ChainParent {
    /// The code of a section.
    Section(SymbolIndex),
    /// The chain of this number.
    Chain(usize),
}

/// How much work may still be done.
#[derive(Debug)]
struct RemainingWork {
    steps: WorkBudget,
    /// Bytes of strings.
    strings: WorkBudget,
    /// What there was too much of.
    lacks: Option<&'static str>,
}

impl RemainingWork {
    /// Takes steps from the budget, and returns whether there were as many. `what` names what there
    /// was too much of.
    fn may(&mut self, steps: usize, what: &'static str) -> bool {
        let may = self.steps.take(steps as u64);
        if !may {
            self.lacks.get_or_insert(what);
        }
        may
    }

    /// Whether a string may be looked at once more.
    fn may_read(&mut self, string: &[u8]) -> bool {
        let may = self.strings.take(string.len() as u64 + 1);
        if !may {
            self.lacks.get_or_insert("strings that many entries share");
        }
        may
    }

    /// Fails if there was too much of something.
    fn check(&self) -> Result<()> {
        self.lacks.map_or(Ok(()), |what| Err(Error::TooMuch(what)))
    }
}

/// What may need more steps than there are.
const BLOCKS: &str = "blocks in each other";
const CALLS: &str = "inlined calls in each other";

impl<'e> Editor<'e> {
    fn attributes(&mut self, entry: &'e Entry) -> Vec<NewAttribute<'e>> {
        let mut new: Vec<NewAttribute<'e>> = Vec::new();
        let code = if self.keep { self.code(entry) } else { None };
        let is_gone = |attribute: &Attribute| LOCATIONS.contains(&attribute.name) && self.is_stale(attribute);
        let drops_location = self.keep && entry.attributes.iter().any(is_gone);
        for attribute in &entry.attributes {
            let goes = code.is_some() && CODE.contains(&attribute.name)
                || self.keep && (self.is_stale(attribute) || self.leads_to_old_code(attribute))
                || drops_location && attribute.name == DW_AT_address_class;
            if goes {
                continue;
            }
            match self.mapped_text(entry, attribute) {
                Some(text) => {
                    self.mapped = true;
                    new.push(NewAttribute::Text(attribute, text));
                }
                None => new.push(NewAttribute::Same(attribute)),
            }
        }
        new.extend(code.into_iter().flatten());
        new
    }

    /// Where the code of an entry is now, in place of what it says itself; `None`: that stays.
    fn code(&mut self, entry: &Entry) -> Option<Vec<NewAttribute<'e>>> {
        self.scopes.truncate(entry.depth);
        let mut scope = self.scopes.last().cloned().unwrap_or_default();
        let mut code = None;
        let has_code = CODE.iter().any(|name| entry.has(*name));
        if entry.tag == DW_TAG_subprogram {
            let home = self.home(entry).filter(|_| has_code);
            let whole = home.as_ref().map(|home| (home.symbol, vec![home.span()]));
            let chain = home.as_ref().map(|home| Chain {
                above: ChainParent::Section(home.symbol),
                nodes: self.places.root(home).into_iter().collect(),
            });
            scope = Scope { home, chain, ..Scope::default() };
            code = has_code.then(|| self.place(&mut scope, whole));
        } else if entry.tag == DW_TAG_inlined_subroutine {
            let above = scope.chain.take();
            let ranges = scope.home.as_ref().and_then(|home| {
                let ranges = if home.names_call_sites {
                    let (chain, ranges) = self.inlined(home, &above?, entry)?;
                    scope.chain = Some(chain);
                    ranges
                } else {
                    self.between(home, entry)
                };
                Some((home.symbol, ranges?))
            });
            code = Some(self.place(&mut scope, ranges));
        } else if has_code && entry.depth > 0 {
            let ranges = scope.home.as_ref();
            let ranges = ranges.and_then(|home| Some((home.symbol, self.between(home, entry)?)));
            code = Some(self.place(&mut scope, ranges));
        } else if has_code {
            // Ranges would count from it.
            code = Some(Vec::new());
        }
        self.scopes.push(scope);
        code
    }

    /// Attributes for these ranges of a section, which become those of the entry's scope.
    fn place(
        &mut self,
        scope: &mut Scope,
        ranges: Option<(SymbolIndex, Vec<(u64, u64)>)>,
    ) -> Vec<NewAttribute<'e>> {
        let Some((symbol, ranges)) = ranges else { return Vec::new() };
        scope.within = ranges.as_slice().into();
        let at = |offset| crate::code_facts::LabelAddress { symbol, offset };
        match ranges.as_slice() {
            [] => Vec::new(),
            [(start, end)] => vec![
                NewAttribute::Code(DW_AT_low_pc, at(*start)),
                NewAttribute::Code(DW_AT_high_pc, at(*end)),
            ],
            several => vec![NewAttribute::Offset(DW_AT_ranges, self.ranges.add(symbol, several))],
        }
    }

    /// The addresses of the code made from the PTX between an entry's labels, if the entry around
    /// it contains them too.
    fn between(&mut self, home: &FunctionCode, entry: &Entry) -> Option<Vec<(u64, u64)>> {
        let instructions = self.instructions.get(&entry.offset)?;
        let count = instructions.iter().map(|(low, high)| high - low).sum::<u64>() as usize;
        if !self.work.may(count, BLOCKS) {
            return None;
        }
        let ranges = self.places.of_instructions(home, instructions);
        Some(code_index::common(&ranges, &self.scopes.last()?.within))
    }

    /// PTX instructions of each entry between two labels. Where neighbours overlap, since a
    /// compiler's labels are around all that it moved in between, the one that begins last has
    /// them.
    fn instructions(&self, units: &[tree::Unit]) -> HashMap<usize, Vec<(u64, u64)>> {
        let mut beside: HashMap<usize, Vec<(u64, u64, usize)>> = HashMap::new();
        let mut around: Vec<usize> = Vec::new();
        for entry in units.iter().flat_map(|unit| &unit.entries) {
            around.truncate(entry.depth);
            let bound = |name| self.places.instruction(self.label_of(entry, name)?);
            let bounds = bound(DW_AT_low_pc).zip(bound(DW_AT_high_pc)).filter(|(low, high)| low < high);
            if let (Some(parent), Some((low, high))) = (around.last(), bounds) {
                beside.entry(*parent).or_default().push((low, high, entry.offset));
            }
            around.push(entry.offset);
        }
        let mut instructions = HashMap::new();
        for mut entries in beside.into_values() {
            entries.sort_by_key(|(low, high, _)| (std::cmp::Reverse(*low), *high));
            let mut taken = OwnedRanges::default();
            instructions
                .extend(entries.into_iter().map(|(low, high, entry)| (entry, taken.take((low, high)))));
        }
        instructions
    }

    /// The chain that ends with an inlined call below `above`, and the addresses of that call; none
    /// if another entry has them. `None`: what calls it is not known.
    fn inlined(
        &mut self,
        home: &FunctionCode,
        above: &Chain,
        entry: &Entry,
    ) -> Option<(Chain, Option<AddressRanges>)> {
        let call = self.call(entry)?;
        let nodes = if self.work.may(above.nodes.len(), CALLS) {
            self.places.below(&above.nodes, &call)
        } else {
            Vec::new()
        };
        let count = self.places.count(&nodes);
        let ranges = if self.work.may(count, CALLS) { self.places.inlined(home, &nodes) } else { Vec::new() };
        let number = self.chains.len();
        let known = *self.chains.entry((above.above, call)).or_insert(number);
        let chain = Chain { above: ChainParent::Chain(known), nodes: nodes.into() };
        Some((chain, (known == number).then_some(ranges)))
    }

    /// The call that an inlined call's entry describes.
    fn call(&mut self, entry: &Entry) -> Option<code_index::Call> {
        let number = |name| tree::number(entry.attribute(name)?, self.info);
        let (file, line) = (number(DW_AT_call_file)?, number(DW_AT_call_line)?);
        let callee = self.referred(entry, DW_AT_abstract_origin);
        let names = callee.map_or_else(Vec::new, |callee| self.names_of(callee));
        let names = names.into_iter().map(|name| self.places.names.number(name)).collect();
        Some(code_index::Call { names, file, line })
    }

    /// The code of the function that an entry is: that of the label it begins at; of one that has a
    /// list of ranges, that of its name.
    fn home(&mut self, entry: &Entry) -> Option<FunctionCode> {
        if entry.has(DW_AT_low_pc) {
            return self.places.home(self.label(entry)?);
        }
        let names = self.names_of(entry);
        names.iter().find_map(|name| self.places.home_of(std::str::from_utf8(name).ok()?))
    }

    /// The names of an entry and of those that it refers to for them, linkage names first.
    fn names_of(&mut self, entry: &Entry) -> Vec<&'e [u8]> {
        let mut names = Vec::new();
        let mut next = Some(entry);
        for _ in 0..MAX_ORIGINS {
            let Some(entry) = next else { break };
            for name in [DW_AT_MIPS_linkage_name, DW_AT_linkage_name, DW_AT_name] {
                names.extend(entry.attribute(name).and_then(|attribute| self.text(attribute)));
            }
            next = self
                .referred(entry, DW_AT_specification)
                .or_else(|| self.referred(entry, DW_AT_abstract_origin));
        }
        names
    }

    /// The entry that an attribute refers to.
    fn referred(&self, entry: &Entry, name: u16) -> Option<&'e Entry> {
        self.entries.get(&entry.attribute(name)?.entry?).copied()
    }

    /// Name of the code label that an entry begins at.
    fn label(&self, entry: &Entry) -> Option<&'e str> {
        self.label_of(entry, DW_AT_low_pc)
    }

    fn label_of(&self, entry: &Entry, name: u16) -> Option<&'e str> {
        let attribute = entry.attribute(name)?;
        let fixup = self.fixups(attribute).first()?;
        match fixup.target {
            FixupTarget::Symbol { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The PTX's references inside an attribute.
    fn fixups(&self, attribute: &Attribute) -> &'e [Fixup<'e>] {
        let section = self.context.sections.by_kind(SectionKind::DebugInfo);
        let all = section.map_or(&[][..], |section| &section.assembled.fixups);
        let [first, after] = [attribute.content.start, attribute.content.end]
            .map(|bound| all.partition_point(|fixup| (fixup.offset as usize) < bound));
        all.get(first..after).unwrap_or_default()
    }

    /// Whether an attribute says where code was, or leads into a section that is gone.
    fn leads_to_old_code(&self, attribute: &Attribute) -> bool {
        let sections = self.context.sections;
        self.fixups(attribute).iter().any(|fixup| match fixup.target {
            FixupTarget::Section { name, .. } => is_stale_section(name),
            FixupTarget::Symbol { name, .. } if self.context.facts.labels.contains_key(name) => {
                attribute.form == DW_FORM_addr && !CODE.contains(&attribute.name)
            }
            FixupTarget::Symbol { name, .. } => sections.label_section(name).is_some_and(is_stale_section),
            FixupTarget::Difference { .. } => false,
        })
    }

    /// Whether a location says what optimised code does not show.
    fn is_stale(&self, attribute: &Attribute) -> bool {
        let is_in_object = PLACES_IN_OBJECTS.contains(&attribute.name);
        if !is_in_object && !LOCATIONS.contains(&attribute.name) {
            return false;
        }
        let is_block =
            [DW_FORM_block1, DW_FORM_block2, DW_FORM_block4, DW_FORM_block].contains(&attribute.form);
        if !is_block {
            // Lists of ranges between labels; members may have their offset as a number.
            return !is_in_object && attribute.form != DW_FORM_string;
        }
        let content = self.info.get(attribute.content.clone()).unwrap_or_default();
        for operation in expression::operations(content) {
            match operation.map(|operation| operation.opcode) {
                Ok(opcode) if is_constant(opcode) => {}
                // The address that they begin with is on the stack.
                Ok(opcode) if is_in_object && DW_OP.name(opcode).is_some() && !needs_registers(opcode) => {}
                _ => return true,
            }
        }
        !self.fixups(attribute).iter().all(|fixup| self.is_backed(fixup))
    }

    /// Whether what a location refers to is there in optimised code too.
    fn is_backed(&self, fixup: &Fixup<'_>) -> bool {
        let FixupTarget::Symbol { name, .. } = fixup.target else { return false };
        let Context { facts, image, .. } = self.context;
        let space = facts.variables.get(name).map(|variable| variable.space);
        let has_symbol = image.symbols.get(name).is_some_and(|symbol| symbol.defined);
        facts.kernel_parameters.contains_key(name) || has_symbol && space != Some(StateSpace::Local)
    }

    fn text(&mut self, attribute: &Attribute) -> Option<&'e [u8]> {
        let text = tree::string(attribute, self.info, self.strings, &self.addends)?;
        self.work.may_read(text).then_some(text)
    }

    /// What a path of a unit's entry becomes.
    fn mapped_text(&mut self, entry: &Entry, attribute: &Attribute) -> Option<Vec<u8>> {
        if !is_path(entry, attribute) || self.maps.is_empty() {
            return None;
        }
        let old = self.text(attribute)?;
        let new = PathMap::apply(self.maps, old)?;
        // What fits and is not a name either was changed where it stands.
        let there = tree::string(attribute, self.info, self.new_strings, &self.addends);
        (there != Some(&*new)).then_some(new)
    }
}

fn is_stale_section(name: &str) -> bool {
    SectionKind::from_name(name).is_some_and(|kind| STALE.contains(&kind))
}

/// Whether an operation gives the same wherever the code is: addresses, constants, and what is done
/// with them.
fn is_constant(opcode: u8) -> bool {
    let is_literal =
        (DW_OP_const1u..=DW_OP_consts).contains(&opcode) || (DW_OP_lit0..DW_OP_reg0).contains(&opcode);
    let is_done = matches!(
        opcode,
        DW_OP_addr
            | DW_OP_plus
            | DW_OP_plus_uconst
            | DW_OP_deref
            | DW_OP_deref_size
            | DW_OP_xderef
            | DW_OP_xderef_size
            | DW_OP_nop
    );
    is_literal || is_done
}

/// Whether an operation reads registers, or the frame that they make.
fn needs_registers(opcode: u8) -> bool {
    (DW_OP_reg0..=DW_OP_bregx).contains(&opcode) || opcode == DW_OP_call_frame_cfa
}
