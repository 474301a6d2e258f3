//! Small cubins without a capsule, and where their code comes from, made up of a list of choices.
//!
//! Native line tables, and where relocated pointers to CIEs lead, follow from Mercury code by
//! ptxas' rules; all else is made up.

use crate::values;
use merc_capsule::loc_streams::{LineTableInputs, LocStream, LocStreams};
use merc_capsule::symtab::MercuryFunction;
use merc_capsule::{AddressMap, AddressRole, CodeMap, CodeSizes, FunctionMap};
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugSection, NewSection, SectionIndex, SectionInfo, SectionLink, Symbol, SymbolIndex,
    debug_only,
};
use nv_debug_sections::line_table::{AddressPair, EntryRow, Loc, LocId, LocatedInstruction};
use nv_debug_sections::release::Release;
use std::borrow::Cow;

/// Bytes of a native instruction, and the unit of Mercury code.
pub(crate) const UNIT: u64 = 16;

/// Numbers to choose by: 0 once they are used up, so that fewer and smaller ones make smaller
/// files.
pub(crate) struct Choices<'c>(std::slice::Iter<'c, u16>);

impl<'c> Choices<'c> {
    pub(crate) fn new(all: &'c [u16]) -> Self {
        Self(all.iter())
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % end
    }

    pub(crate) fn is(&mut self) -> bool {
        self.below(2) == 1
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// How Mercury addresses relate to native ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// They are the same.
    Identity,
    /// In the same order, with gaps.
    Monotone,
    /// In any order within a function, with gaps.
    Any,
}

/// One function of a code section.
pub(crate) struct Function {
    pub(crate) symbol: SymbolIndex,
    /// Where it starts, in both spaces.
    pub(crate) start: AddressPair,
    /// Its size in each space, those of functions folded into its section included.
    pub(crate) sizes: [u64; 2],
    /// Where each of its instructions is, by native address.
    pub(crate) instructions: Vec<AddressPair>,
}

/// One code section.
pub(crate) struct Code {
    pub(crate) name: String,
    pub(crate) functions: Vec<Function>,
    /// Size in each space; of the native section with padding.
    pub(crate) sizes: [u64; 2],
}

/// Symbols by what they are of.
#[derive(Default)]
pub(crate) struct Symbols {
    pub(crate) all: Vec<Symbol>,
    /// By name, those of debug sections.
    pub(crate) debug: Vec<(&'static str, SymbolIndex)>,
    /// A variable in global memory and one in a constant bank.
    pub(crate) variables: Vec<SymbolIndex>,
}

/// A cubin with its origin.
pub(crate) struct GeneratedCubin {
    pub(crate) cubin: Cubin<'static>,
    pub(crate) codes: Vec<Code>,
    pub(crate) symbols: Symbols,
    pub(crate) maps: Vec<CodeMap>,
    pub(crate) lines: LineTableInputs<'static>,
}

const LOCAL: u8 = 0;
const GLOBAL: u8 = 1 << 4;
const OBJECT: u8 = 1;
const FUNC: u8 = 2;
const SECTION: u8 = 3;

/// Sections that are there before those of code: null, names of sections and symbols, symbols.
const FIRST_CODE: u32 = 4;
const SYMTAB: SectionLink = SectionLink::Old(SectionIndex(3));

pub(crate) fn given(choices: &mut Choices<'_>, order: Order) -> GeneratedCubin {
    let sm = choices.one_of(&[100, 120]);
    let mut cubin = debug_only(Release::V13_0.target(sm), &[], &[]).unwrap().cubin;
    if choices.is() {
        cubin.header.e_type = 1;
    }
    let mut codes: Vec<Code> = (0..=choices.below(4)).map(|number| code(choices, number, order)).collect();
    let symbols = add_sections(&mut cubin, &mut codes);
    let names = values::NAMES.map(|name| DebugSection {
        name: name.to_owned(),
        bytes: Vec::new(),
        rel: Vec::new(),
        rela: Vec::new(),
    });
    cubin.set_debug_sections(names.to_vec()).unwrap();
    let (mut maps, mut lines) = (Vec::new(), LineTableInputs::default());
    for code in &codes {
        let native = cubin.section_by_name(&format!(".text.{}", code.name)).unwrap();
        // Entry rows are flagged in both tables, or in none.
        let has_source = choices.below(4) != 0;
        let (ptx, map) = ptx_lines(choices, code, order, has_source);
        if has_source {
            lines.source.insert(native, source_lines(choices, code, &ptx));
        }
        lines.ptx.insert(native, ptx);
        let function = |function: &Function| FunctionMap {
            symbol: function.symbol,
            native: function.start.native,
            native_size: function.sizes[0],
            mercury: MercuryFunction { value: function.start.mercury, size: function.sizes[1] },
        };
        let functions = code.functions.iter().map(function).collect();
        let sizes = CodeSizes { native: code.sizes[0], mercury: code.sizes[1] };
        maps.push(CodeMap::new(native, functions, sizes, map));
    }
    let mut given = GeneratedCubin { cubin, codes, symbols, maps, lines };
    values::fill(choices, &mut given);
    given
}

fn code(choices: &mut Choices<'_>, number: usize, order: Order) -> Code {
    let mut functions: Vec<Function> = Vec::new();
    let mut end = AddressPair { native: 0, mercury: 0 };
    for _ in 0..=choices.below(3) {
        let count = 1 + choices.below(7);
        let gaps = if order == Order::Identity { 0 } else { choices.below(4) };
        // Where an instruction is, in units; the first one comes first in both spaces.
        let mut places: Vec<u64> = (1..(count + gaps) as u64).collect();
        for _ in 0..gaps {
            places.remove(choices.below(places.len()));
        }
        if order == Order::Any {
            for at in (1..places.len()).rev() {
                places.swap(at, choices.below(at + 1));
            }
        }
        let pairs = (0_u64..).zip([0].into_iter().chain(places));
        let instructions = pairs.map(|(native, mercury)| AddressPair {
            native: end.native + native * UNIT,
            mercury: end.mercury + mercury * UNIT,
        });
        let sizes = [count as u64 * UNIT, (count + gaps) as u64 * UNIT];
        functions.push(Function {
            symbol: SymbolIndex(0),
            start: end,
            sizes,
            instructions: instructions.collect(),
        });
        end = AddressPair { native: end.native + sizes[0], mercury: end.mercury + sizes[1] };
    }
    let padding = if order == Order::Identity { 0 } else { choices.below(8) as u64 * UNIT };
    functions[0].sizes = [end.native + padding, end.mercury];
    Code { name: format!("k{number}"), functions, sizes: [end.native + padding, end.mercury] }
}

/// Adds the sections of code and variables, and all symbols.
fn add_sections(cubin: &mut Cubin<'static>, codes: &mut [Code]) -> Symbols {
    let mut symbols = Symbols { all: vec![Symbol::default()], ..Symbols::default() };
    let name = |cubin: &mut Cubin<'static>, name: &str| cubin.intern_symbol_names(&[name]).unwrap()[0];
    let push = |symbols: &mut Symbols, symbol: Symbol| {
        symbols.all.push(symbol);
        SymbolIndex(symbols.all.len() as u32 - 1)
    };
    // They become section symbols with their sections.
    for section in values::NAMES {
        let symbol = Symbol { name: name(cubin, section), info: LOCAL, ..Symbol::default() };
        let number = push(&mut symbols, symbol);
        symbols.debug.push((section, number));
    }
    let mut new = Vec::new();
    let section = |name: &str, sh_type, flags, contents| NewSection {
        name: name.to_owned(),
        sh_type,
        flags,
        align: 16,
        entsize: 0,
        link: SectionLink::None,
        info: SectionInfo::default(),
        contents,
    };
    let count = codes.len() as u32;
    let bytes = |size: u64| Contents::Bytes(Cow::Owned(vec![0; size as usize]));
    for (at, code) in (FIRST_CODE..).zip(&mut *codes) {
        for (stem, shndx) in [(".text.", at), (".nv.constant0.", at + count)] {
            let name = name(cubin, &format!("{stem}{}", code.name));
            push(&mut symbols, Symbol { name, info: LOCAL | SECTION, shndx, ..Symbol::default() });
        }
        for (number, function) in code.functions.iter_mut().enumerate() {
            // The first is F of .text.F.
            let own = if number == 0 { code.name.clone() } else { format!("{}_{number}", code.name) };
            let info = FUNC | if number == 0 { GLOBAL } else { LOCAL };
            function.symbol = push(
                &mut symbols,
                Symbol {
                    name: name(cubin, &own),
                    info,
                    shndx: at,
                    value: function.start.native,
                    size: function.sizes[0],
                    ..Symbol::default()
                },
            );
        }
        let text = section(&format!(".text.{}", code.name), 1, 6, bytes(code.sizes[0]));
        new.push(NewSection { link: SYMTAB, info: SectionInfo::Symbol(code.functions[0].symbol), ..text });
    }
    new.extend(codes.iter().map(|code| section(&format!(".nv.constant0.{}", code.name), 1, 2, bytes(32))));
    let variables = FIRST_CODE + 2 * count;
    for (own, shndx) in [("g", variables), ("c", variables + 1)] {
        let symbol =
            Symbol { name: name(cubin, own), info: GLOBAL | OBJECT, shndx, value: 4, size: 4, other: 0 };
        let number = push(&mut symbols, symbol);
        symbols.variables.push(number);
    }
    new.push(section(".nv.global", 8, 3, Contents::NoBits(16)));
    new.push(section(".nv.constant3", 1, 2, bytes(16)));
    let table = cubin.symtab().unwrap();
    cubin.set_symbols(table, vec![Symbol::default(); symbols.all.len()]).unwrap();
    cubin.append_sections(new).unwrap();
    cubin.set_symbols(table, symbols.all.clone()).unwrap();
    symbols
}

/// `(address, line)` where the line changes.
fn changes(mut lines: Vec<(u64, u32)>) -> Vec<(u64, u32)> {
    lines.sort_unstable();
    lines.dedup_by_key(|(_, line)| *line);
    lines
}

/// The line of the first `{`; those of the other functions follow. Instructions have lines before
/// it.
const OPENING: u32 = 20;

/// PTX lines of the instructions, and the map that follows from them, with places of all kinds.
fn ptx_lines(
    choices: &mut Choices<'_>,
    code: &Code,
    order: Order,
    flagged: bool,
) -> (LocStream<'static>, AddressMap) {
    let (mut native, mut mercury) = (Vec::new(), Vec::new());
    let mut opening_lines = Vec::new();
    for (number, function) in (OPENING..).zip(&code.functions) {
        opening_lines.push(number);
        for pair in &function.instructions {
            let line = if choices.below(6) == 5 { number } else { 1 + choices.below(9) as u32 };
            native.push((pair.native, line));
            mercury.push((pair.mercury, line));
        }
    }
    let (native, mercury) = (changes(native), changes(mercury));
    let starts: Vec<AddressPair> = code.functions.iter().map(|function| function.start).collect();
    let mut map = if order == Order::Identity {
        AddressMap::identity(starts.iter().map(|start| start.native).chain(native.iter().map(|row| row.0)))
    } else {
        AddressMap::recover(merc_capsule::LineChanges {
            native: &native,
            mercury: &mercury,
            starts: &starts,
            opening_lines: &opening_lines,
            imnmx: &[],
        })
    };
    if order != Order::Identity {
        add_places(choices, code, &mut map);
    }
    let loc = |line: u32| Loc { file: 0, line, name: 0, parent: None };
    let locs: Vec<Loc> = (0..OPENING + opening_lines.len() as u32).map(loc).collect();
    let located = mercury
        .iter()
        .map(|(address, line)| LocatedInstruction { address: *address, loc: Some(LocId(*line)) });
    let entries = code.functions.iter().zip(&opening_lines).map(|(function, line)| EntryRow {
        address: function.start.mercury,
        loc: LocId(*line),
        flagged,
    });
    let stream = LocStream { locs: locs.into(), located: located.collect(), entries: entries.collect() };
    (stream, map)
}

/// Places of all kinds: instructions where they are, others a constant distance after, as those of
/// what comes after an instruction.
fn add_places(choices: &mut Choices<'_>, code: &Code, map: &mut AddressMap) {
    let places = [
        AddressRole::RangeStart,
        AddressRole::RangeEnd,
        AddressRole::FrameRule,
        AddressRole::FrameEnd,
        AddressRole::Listed,
    ];
    let mut shifts = places.map(|place| (place, choices.below(3) as u64));
    // Rules are at the end of a function only if they are so in both spaces: native code leaves
    // them out.
    shifts[3].1 = shifts[2].1;
    for pair in code.functions.iter().flat_map(|function| &function.instructions) {
        map.insert(AddressRole::Instruction, *pair).unwrap();
        for (place, shift) in shifts.into_iter().filter(|(_, shift)| *shift != 0) {
            // Not where it starts: that comes from the symbols.
            let shift = if pair.native == 0 { 0 } else { (shift - 1) * UNIT };
            map.insert(place, AddressPair { mercury: pair.mercury + shift, ..*pair }).unwrap();
        }
    }
}

/// Source locations: some directives, with call sites, in any order.
fn source_lines(choices: &mut Choices<'_>, code: &Code, ptx: &LocStream<'_>) -> LocStream<'static> {
    let mut locs: Vec<Loc> = Vec::new();
    for number in 0..=choices.below(8) {
        let parent = (number > 0 && choices.is()).then(|| LocId(choices.below(number) as u32));
        let name = if parent.is_some() { choices.below(3) as u32 } else { 0 };
        let (file, line) = (1 + choices.below(2) as u32, choices.below(12) as u32);
        locs.push(Loc { file, line, name, parent });
    }
    let mut addresses: Vec<u64> =
        code.functions.iter().flat_map(|function| &function.instructions).map(|pair| pair.mercury).collect();
    addresses.sort_unstable();
    // Code on the line of a `{` is of no PTX instruction, and of no directive.
    let is_opening = |address| {
        let changed = ptx.located.partition_point(|located| located.address <= address);
        let line = changed.checked_sub(1).and_then(|at| ptx.located[at].loc);
        line.is_some_and(|line| line.0 >= OPENING)
    };
    let located = addresses.into_iter().map(|address| LocatedInstruction {
        address,
        loc: (choices.below(4) != 3 && !is_opening(address)).then(|| LocId(choices.below(locs.len()) as u32)),
    });
    let located = located.collect();
    let mut entries = Vec::new();
    for function in &code.functions {
        let loc = LocId(choices.below(locs.len()) as u32);
        // Functions whose first directive is of line 0 have none.
        if locs[loc.0 as usize].line != 0 {
            entries.push(EntryRow { address: function.start.mercury, loc, flagged: true });
        }
    }
    LocStream { locs: locs.into(), located, entries }
}

/// What the line table of this name is made of.
pub(crate) fn streams<'g>(given: &'g GeneratedCubin, name: &str) -> &'g LocStreams<'static> {
    if name == ".debug_line" { &given.lines.source } else { &given.lines.ptx }
}
