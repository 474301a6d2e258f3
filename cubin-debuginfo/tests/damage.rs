//! One damaged file for each rule: the damage is found, and nothing else.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

mod support;

use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::verify::{RULES, RuleId, RuleTable as _, Severity, VerifyContext, verify, verify_with};
use dwarf2_reader::constants as dw;
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugSection, Relocation, SectionIndex, Symbol, SymbolIndex,
};
use nv_debug_sections::line::{self, LineOp, LineTable};
use nv_debug_sections::reg_sass::{self, FunctionRegisters, SassRegister};
use nv_debug_sections::reg_type::{self, FunctionTypes};
use ptx_syntax::check::SourceState;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Made by `examples/make.sh`: -G for sm_75, three functions.
const DEBUG: &str = "examples/saxpy/saxpy-debug.cubin";
/// Made by `examples/make.sh`: -lineinfo for sm_90, inlined calls.
const LINES: &str = "examples/saxpy/saxpy.cubin";
/// Made by `ptxas-driver/tests/pairs/make.sh`, as those below: -g -c for sm_80; as the next.
const RELOCATABLE: &str = "ptxas-driver/tests/pairs/references.sm_80.g.c.cubin";
/// Variables in `.debug_info`, and a list of locations without end, as its PTX has it.
const VARIABLES: &str = "ptxas-driver/tests/pairs/references.sm_75.g.cubin";
/// Shared variables of an object, whose places count the window that the system keeps.
const SHARED: &str = "ptxas-driver/tests/pairs/shared_places.sm_90.g.c.cubin";
/// Call sites in another file than the row before, which ptxas does not say.
const CALL_SITES: &str = "ptxas-driver/tests/pairs/call_site_elsewhere.sm_90.lineinfo.cubin";
/// Several functions with inlined code.
const INLINED: &str = "ptxas-driver/tests/pairs/transcoded.sm_90.lineinfo.cubin";

/// A shared and a global variable: made by `data/make.sh`, as those below.
const CLASSES: &str = "cubin-debuginfo/tests/data/address_class.sm_90.cubin";
/// The same of `-c`.
const CLASSES_RELOCATABLE: &str = "cubin-debuginfo/tests/data/address_class.sm_90.c.cubin";
/// A label that ptxas left open.
const OPEN_LABEL: &str = "cubin-debuginfo/tests/data/open_label.sm_75.cubin";
/// A parameter, a variable in a frame, and a shared one at offset 0.
const PLACES: &str = "cubin-debuginfo/tests/data/places.sm_80.cubin";
/// Two units with one line table.
const SHARED_TABLE: &str = "cubin-debuginfo/tests/data/shared_table.sm_80.cubin";
/// A register map of a chip with Mercury code.
const MERCURY: &str = "cubin-debuginfo/tests/data/range_without_start.sm_100.cubin";

/// A cubin that can be damaged.
struct Patient(Cubin<'static>);

impl Patient {
    fn new(path: &str) -> Self {
        Self::of(&read(path))
    }

    fn of(bytes: &[u8]) -> Self {
        Self(Cubin::parse(bytes).unwrap().into_owned())
    }

    fn index(&self, section: &str) -> SectionIndex {
        self.0.section_by_name(section).unwrap_or_else(|| panic!("no {section}"))
    }

    fn bytes(&mut self, section: &str) -> &mut Vec<u8> {
        let index = self.index(section);
        match &mut self.0.sections[index.as_usize()].contents {
            Contents::Bytes(bytes) => bytes.to_mut(),
            other => panic!("{section}: {other:?}"),
        }
    }

    /// Of the section of relocations of that name.
    fn relocations(&mut self, section: &str) -> &mut Vec<Relocation> {
        let index = self.index(section);
        match &mut self.0.sections[index.as_usize()].contents {
            Contents::Relocations(all) => all,
            other => panic!("{section}: {other:?}"),
        }
    }

    /// As if nvlink had written it.
    fn link(&mut self) {
        self.bytes(".note.nv.tkinfo").extend(b"\0nvlink\0");
    }

    /// Changes line tables; relocations follow their sequences.
    fn tables(&mut self, section: &str, relocations: &str, change: impl FnOnce(&mut Vec<LineTable<'_>>)) {
        let old = self.bytes(section).clone();
        let mut tables = line::decode(section, &old).unwrap();
        let places = |tables: &[LineTable<'_>]| -> Vec<u64> {
            tables.iter().flat_map(|table| &table.sequences).map(|sequence| sequence.base_offset).collect()
        };
        change(&mut tables);
        // Where those that are left were.
        let before = places(&tables);
        let encode = |table| {
            line::encode(section, table, None, |_, sequence| dwarf2_writer::Address::Constant(sequence.base))
        };
        let new: Vec<u8> = tables.iter().flat_map(|table| encode(table).unwrap().bytes).collect();
        let after = places(&line::decode(section, &new).unwrap());
        for relocation in self.relocations(relocations) {
            let at = before.iter().position(|place| *place == relocation.offset).unwrap();
            relocation.offset = after[at];
        }
        *self.bytes(section) = new;
    }

    fn ops(&mut self, section: &str, relocations: &str, mut change: impl FnMut(&mut LineOp) -> bool) {
        let each = |tables: &mut Vec<LineTable<'_>>| {
            let sequences = tables.iter_mut().flat_map(|table| &mut table.sequences);
            let changed = sequences.flat_map(|sequence| &mut sequence.ops).any(&mut change);
            assert!(changed);
        };
        self.tables(section, relocations, each);
    }

    /// Changes both register maps.
    fn maps(&mut self, change: impl FnOnce(&mut Vec<FunctionRegisters<'_>>, &mut Vec<FunctionTypes<'_>>)) {
        let (sass, types) = (self.bytes(reg_sass::NAME).clone(), self.bytes(reg_type::NAME).clone());
        let (mut sass, mut types) = (reg_sass::decode(&sass).unwrap(), reg_type::decode(&types).unwrap());
        change(&mut sass, &mut types);
        let (sass, types) = (reg_sass::encode(&sass).unwrap(), reg_type::encode(&types).unwrap());
        *self.bytes(reg_sass::NAME) = sass;
        *self.bytes(reg_type::NAME) = types;
    }

    /// Byte offset in `.debug_info` of an attribute of the entry at `entry`.
    fn attribute(&self, entry: u64, name: u16) -> u64 {
        let entries = Entries::read(&self.0).unwrap();
        let entry = entries.get(entries.at(entry).unwrap()).unwrap();
        entry.attribute(name).unwrap().offset
    }

    fn set_info(&mut self, offset: u64, value: &[u8]) {
        let at = offset as usize;
        self.bytes(".debug_info")[at..at + value.len()].copy_from_slice(value);
    }

    /// Changes a name and form in `.debug_abbrev`, everywhere.
    fn abbreviate(&mut self, from: [u8; 2], to: [u8; 2]) {
        let bytes = self.bytes(".debug_abbrev");
        let places: Vec<usize> = (0..bytes.len() - 1).filter(|at| bytes[*at..].starts_with(&from)).collect();
        assert!(!places.is_empty());
        for at in places {
            bytes[at..at + 2].copy_from_slice(&to);
        }
    }

    /// The relocation of the field at `offset`.
    fn relocation(&mut self, section: &str, offset: u64) -> &mut Relocation {
        self.relocations(section).iter_mut().find(|relocation| relocation.offset == offset).unwrap()
    }

    /// Takes the relocation of the address at `offset` away, and puts a number there.
    fn unplace(&mut self, offset: u64, number: u64) {
        self.relocations(".rela.debug_info").retain(|relocation| relocation.offset != offset);
        self.set_info(offset, &number.to_le_bytes());
    }

    /// Byte offset in `.debug_info` of an attribute of the first entry of that name.
    fn attribute_of(&self, entry: &str, name: u16) -> u64 {
        let entries = Entries::read(&self.0).unwrap();
        let found = entries.iter().find(|found| found.name().is_some_and(|own| own == entry)).unwrap();
        found.attribute(name).unwrap().offset
    }

    /// The symbols that relocations may name.
    fn symbol(&self, test: impl Fn(&Cubin<'_>, &Symbol) -> bool) -> SymbolIndex {
        let symbols = (0..).map(SymbolIndex).zip(self.0.symbols());
        symbols.skip(1).find(|(_, symbol)| test(&self.0, symbol)).unwrap().0
    }

    /// Inserts opcodes before the end of the last sequence.
    fn at_the_end(&mut self, section: &str, opcodes: &[u8]) {
        let bytes = self.bytes(section);
        let end = bytes.len() - 3;
        assert_eq!(bytes[end..], [0, 1, 1]);
        bytes.splice(end..end, opcodes.iter().copied());
        let length = (bytes.len() - 4) as u32;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
    }

    /// Repeats the last CIE and FDE, with or without the relocation.
    fn repeat_frame(&mut self, relocated: bool) {
        let start = self.last_cie();
        let bytes = self.bytes(".debug_frame");
        let length = bytes.len();
        bytes.extend_from_within(start..);
        let fde = start + entry_length(&bytes[start..]);
        let pointer = fde - start + length + 12;
        bytes[pointer..pointer + 8].copy_from_slice(&(length as u64).to_le_bytes());
        if relocated {
            let table = self.relocations(".rel.debug_frame");
            let last = table.iter().find(|relocation| relocation.offset as usize >= start).unwrap();
            let copy = Relocation { offset: last.offset + (length - start) as u64, ..*last };
            table.push(copy);
        }
    }

    fn shorten(&mut self, section: &str, by: usize) {
        let bytes = self.bytes(section);
        bytes.truncate(bytes.len() - by);
    }

    fn add(&mut self, name: &str, bytes: Vec<u8>) {
        let mut sections = self.0.debug_sections().unwrap();
        sections.push(DebugSection { name: name.into(), bytes, rel: vec![], rela: vec![] });
        self.0.set_debug_sections(sections).unwrap();
    }

    /// Adds `.debug_pubnames` with one name; `more` is how much too long the unit is said to be.
    fn names(&mut self, version: u16, more: u32, entry: u32, name: &str) {
        let length = self.bytes(".debug_info").len() as u32 + more;
        let mut set = version.to_le_bytes().to_vec();
        for number in [0, length, entry] {
            set.extend(number.to_le_bytes());
        }
        set.extend(name.as_bytes());
        set.extend([0; 5]);
        let bytes = [(set.len() as u32).to_le_bytes().to_vec(), set].concat();
        self.add(".debug_pubnames", bytes);
    }

    fn last_cie(&mut self) -> usize {
        let bytes = self.bytes(".debug_frame");
        let starts = std::iter::successors(Some(0), |at| {
            Some(at + entry_length(&bytes[*at..])).filter(|next| *next < bytes.len())
        });
        let cies = starts.filter(|at| bytes[at + 12..].starts_with(&[0xff; 8]));
        cies.last().unwrap()
    }
}

fn entry_length(entry: &[u8]) -> usize {
    12 + u64::from_le_bytes(*entry[4..].first_chunk().unwrap()) as usize
}

fn read(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

/// The advance by `by` bytes, back too.
fn advance(by: i64) -> Vec<u8> {
    let mut bytes = vec![2];
    let mut rest = by as u64;
    while rest > 0x7f {
        bytes.push(rest as u8 & 0x7f | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// Code, file, damage.
type Damage = (&'static str, &'static str, fn(&mut Patient));

const LINE: (&str, &str) = (".debug_line", ".rel.debug_line");
const LINE_90: (&str, &str) = (".debug_line", ".rela.debug_line");
const SASS: (&str, &str) = (".nv_debug_line_sass", ".rel.nv_debug_line_sass");

const CONTAINER: &[Damage] = &[
    ("E001", DEBUG, |file| file.relocations(LINE.1)[0].r_type = 0x77),
    ("E002", DEBUG, |file| file.relocations(LINE.1)[0].symbol = SymbolIndex(9999)),
    ("E003", DEBUG, |file| file.relocations(".rel.debug_loc")[0].offset = 1 << 20),
    ("E004", DEBUG, |file| {
        let all = file.relocations(".rela.debug_info");
        all[0].offset = all[1].offset + 4;
    }),
    ("E005", RELOCATABLE, |file| {
        let all = file.relocations(".rela.debug_info");
        all.iter_mut().find(|relocation| relocation.r_type == 1).unwrap().addend = Some(1 << 33);
    }),
    ("E006", VARIABLES, |file| {
        let is_data = |cubin: &Cubin<'_>, symbol: &Symbol| {
            symbol.kind() == 1
                && symbol.section().is_some_and(|at| !cubin.section_name(at).starts_with(".text"))
        };
        let symbols: Vec<SymbolIndex> = (0..)
            .map(SymbolIndex)
            .zip(file.0.symbols())
            .filter(|(_, symbol)| is_data(&file.0, symbol))
            .map(|(index, _)| index)
            .collect();
        let all = file.relocations(".rela.debug_info");
        all.iter_mut().find(|relocation| symbols.contains(&relocation.symbol)).unwrap().addend =
            Some(1 << 20);
    }),
    // The first two are of the variables `own` and `first`: one byte too far, and in what the
    // system keeps.
    ("E006", SHARED, |file| file.relocations(".rela.debug_info")[0].addend = Some(0x405)),
    ("E006", SHARED, |file| file.relocations(".rela.debug_info")[1].addend = Some(0x3ff)),
    ("E007", DEBUG, |file| {
        let index = file.index(".debug_line");
        file.0.sections[index.as_usize()].align = 4;
    }),
    ("E008", DEBUG, |file| {
        let (index, other) = (file.index(reg_type::NAME), file.index(".note.nv.cuinfo"));
        file.0.sections[index.as_usize()].name = file.0.sections[other.as_usize()].name;
    }),
    ("E009", DEBUG, |file| {
        let (index, other) = (file.index(".debug_macinfo"), file.index(".debug_line"));
        file.0.sections[index.as_usize()].name = file.0.sections[other.as_usize()].name;
    }),
    // The address of a sequence, of an entry, in an expression, of a list.
    ("E010", DEBUG, |file| file.relocations(LINE.1)[0].r_type = 1),
    ("E010", DEBUG, |file| {
        let at = file.attribute(INNER_BLOCK, dw::DW_AT_high_pc);
        file.relocation(".rela.debug_info", at).r_type = 1;
    }),
    ("E010", SHARED, |file| file.relocations(".rela.debug_info")[0].r_type = 1),
    ("E010", DEBUG, |file| file.relocation(".rel.debug_loc", 0).r_type = 1),
    ("X001", DEBUG, |file| file.bytes(".nv_debug_ptx_txt").push(b'x')),
    ("X002", RELOCATABLE, |file| {
        let mut bytes = read(RELOCATABLE);
        let digit = b".nv_debug_ptx_txt.3";
        while let Some(at) = bytes.windows(digit.len()).position(|window| window == digit) {
            bytes[at + digit.len() - 1] = b'x';
        }
        *file = Patient::of(&bytes);
    }),
];

const TABLES: &[Damage] = &[
    ("L001", DEBUG, |file| file.shorten(LINE.0, 1)),
    ("L002", DEBUG, |file| file.bytes(LINE.0)[11] = 0),
    ("L003", DEBUG, |file| file.tables(LINE.0, LINE.1, |tables| tables[0].files[0].directory = 99)),
    ("L004", DEBUG, |file| {
        let of_info = file.symbol(|cubin, symbol| {
            symbol.section().is_some_and(|section| cubin.section_name(section) == ".debug_info")
        });
        file.relocations(LINE.1)[0].symbol = of_info;
    }),
    ("L005", DEBUG, |file| {
        // The two helpers have code of the same size.
        let [first, second] = ["fminf", "fmaxf"].map(|name| {
            let symbols = (0..).map(SymbolIndex).zip(file.0.symbols());
            symbols
                .filter(|(_, symbol)| symbol.is_function())
                .map(|(index, _)| index)
                .find(|index| file.0.symbol_name(*index) == name)
                .unwrap()
        });
        let all = file.relocations(SASS.1);
        all.iter_mut().find(|relocation| relocation.symbol == second).unwrap().symbol = first;
    }),
    ("L006", DEBUG, |file| file.tables(LINE.0, LINE.1, |tables| tables[0].sequences[0].end += 16)),
    ("L007", DEBUG, |file| {
        let size = file.0.bytes(file.index(".text.saxpy")).unwrap().len() as i64;
        let back = [advance(16 - size), vec![1], advance(size - 16)].concat();
        file.at_the_end(LINE.0, &back);
    }),
    ("L008", DEBUG, |file| file.at_the_end(LINE.0, &[1])),
    ("L009", LINES, |file| {
        file.ops(LINE_90.0, LINE_90.1, |op| match op {
            LineOp::InlinedCall { context, .. } if *context > 0 => {
                *context = 999;
                true
            }
            _ => false,
        });
    }),
    ("L010", LINES, |file| {
        file.ops(LINE_90.0, LINE_90.1, |op| match op {
            LineOp::InlinedCall { context, name } if *context > 0 => {
                *name = 9999;
                true
            }
            _ => false,
        });
    }),
    ("L011", LINES, |file| {
        // A second table whose base is that of the first, as nvlink leaves them.
        file.tables(LINE_90.0, LINE_90.1, |tables| {
            let first = LineTable { sequences: Vec::new(), ..tables[0].clone() };
            for op in tables[0].sequences.iter_mut().flat_map(|sequence| &mut sequence.ops) {
                if let LineOp::InlinedCall { context: 1.., name } = op {
                    *name += 1;
                }
            }
            tables.insert(0, first);
        });
    }),
    ("L012", LINES, |file| file.tables(LINE_90.0, LINE_90.1, |tables| tables[0].debug_str_base = None)),
    ("L013", DEBUG, |file| {
        file.ops(SASS.0, SASS.1, |op| match op {
            LineOp::Row { line, .. } => {
                *line = 100_000;
                true
            }
            _ => false,
        });
    }),
    ("L015", DEBUG, |file| {
        file.ops(LINE.0, LINE.1, |op| match op {
            LineOp::Row { address, .. } if *address > 0 => {
                *address += 8;
                true
            }
            _ => false,
        });
    }),
    ("L101", DEBUG, |file| {
        file.ops(LINE.0, LINE.1, |op| match op {
            LineOp::SetFile(number) => {
                *number = 77;
                true
            }
            _ => false,
        });
    }),
    ("L102", INLINED, |file| {
        file.tables(LINE_90.0, LINE_90.1, |tables| {
            let first = tables[0].clone();
            let inlines = |op: &LineOp| matches!(op, LineOp::InlinedCall { context, .. } if *context > 0);
            let with =
                first.sequences.iter().skip(1).position(|sequence| sequence.ops.iter().any(inlines)).unwrap();
            let rest = tables[0].sequences.split_off(with + 1);
            tables.push(LineTable { sequences: rest, ..first });
        });
    }),
    ("L103", LINES, |file| {
        file.link();
        file.relocations(LINE_90.1).clear();
    }),
    ("L104", LINES, |file| {
        let mut sections = file.0.debug_sections().unwrap();
        sections.retain(|section| section.name != ".debug_str");
        file.0.set_debug_sections(sections).unwrap();
        file.ops(LINE_90.0, LINE_90.1, |op| match op {
            LineOp::InlinedCall { context, name } if *context > 0 => {
                *name = 1;
                true
            }
            _ => false,
        });
    }),
    ("L014", DEBUG, |file| {
        file.ops(LINE.0, LINE.1, |op| match op {
            LineOp::Row { line, .. } => {
                *line = LINES_OF_SOURCES + 1;
                true
            }
            _ => false,
        });
    }),
    // Function `first_1`, whose inlined code in b.cu is at a call site of a.cu.
    ("L106", CALL_SITES, |file| {
        let mut file_number = 0;
        file.ops(LINE_90.0, LINE_90.1, |op| match op {
            LineOp::SetFile(number) => {
                file_number = *number;
                false
            }
            LineOp::Row { line: line @ 22, .. } if file_number == 2 => {
                *line = LINES_OF_SOURCES + 1;
                true
            }
            _ => false,
        });
    }),
    // In the same sequence, of inlined code after it.
    ("L014", CALL_SITES, |file| {
        file.ops(LINE_90.0, LINE_90.1, |op| match op {
            LineOp::Row { line: line @ 33, .. } => {
                *line = LINES_OF_SOURCES + 1;
                true
            }
            _ => false,
        });
    }),
    ("L105", DEBUG, |file| {
        file.tables(LINE.0, LINE.1, |tables| tables[0].files[0].name = b"<stdin>".into());
    }),
    ("T001", DEBUG, |file| file.names(3, 0, FUSED, "fused")),
    ("T002", DEBUG, |file| file.names(2, 1, FUSED, "fused")),
    ("T003", DEBUG, |file| file.names(2, 0, FUSED + 1, "fused")),
    ("T004", DEBUG, |file| file.names(2, 0, FUSED, "other")),
    ("T005", DEBUG, |file| {
        let mut bytes = Vec::new();
        bytes.extend(44_u32.to_le_bytes());
        bytes.extend([2, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
        bytes.extend([0x12_3456_u64, 16, 0, 0].iter().flat_map(|number| number.to_le_bytes()));
        file.add(".debug_aranges", bytes);
    }),
];

/// Entries of the file, as `dump` shows them: a variable, its type, and nested code of `saxpy`.
const PRODUCT: u64 = 0x7c;
const FUSED: u32 = 0x46;
const PARAMETER: u64 = 0xf6;
const LISTED: u64 = 0x165;
const INNER_BLOCK: u64 = 0x1ad;
const INNERMOST_CALL: u64 = 0x1cb;

const ENTRIES: &[Damage] = &[
    ("I001", DEBUG, |file| file.set_info(0xb, &[0x7f])),
    ("I002", DEBUG, |file| file.set_info(4, &[3])),
    ("I003", DEBUG, |file| {
        let bytes = file.bytes(".debug_abbrev");
        assert_eq!(bytes[..2], [1, 0x11]);
        bytes[1] = 0x3c;
    }),
    ("I004", DEBUG, |file| file.abbreviate([0x3e, 0x0b], [0x49, 0x0b])),
    ("I005", DEBUG, |file| {
        file.set_info(file.attribute(PRODUCT, dw::DW_AT_type), &0x8e_u32.to_le_bytes());
    }),
    ("I006", DEBUG, |file| file.abbreviate([0x31, 0x13], [0x01, 0x13])),
    ("I007", DEBUG, |file| file.set_info(file.attribute(PRODUCT, dw::DW_AT_type), &FUSED.to_le_bytes())),
    ("I008", DEBUG, |file| file.set_info(file.attribute(0xb, dw::DW_AT_stmt_list), &[1])),
    ("I009", DEBUG, |file| {
        let at = file.attribute(INNERMOST_CALL, dw::DW_AT_low_pc);
        file.relocation(".rela.debug_info", at).addend = Some(0x690);
    }),
    ("I010", DEBUG, |file| {
        let at = file.attribute(INNER_BLOCK, dw::DW_AT_high_pc);
        file.relocation(".rela.debug_info", at).addend = Some(0x6b0);
    }),
    ("I011", DEBUG, |file| file.set_info(file.attribute(PRODUCT, dw::DW_AT_decl_file), &[99])),
    ("I012", DEBUG, |file| file.abbreviate([0x10, 0x06], [0x1b, 0x0e])),
    ("I013", DEBUG, |file| file.set_info(file.attribute(PARAMETER, dw::DW_AT_location) + 1, &[2])),
    ("I014", DEBUG, |file| {
        let at = file.attribute(INNERMOST_CALL, dw::DW_AT_low_pc);
        let addend = &mut file.relocation(".rela.debug_info", at).addend;
        *addend = addend.map(|addend| addend + 4);
    }),
    // Of a block, of a variable, and of one that is called a constant; the last in a list.
    ("I015", DEBUG, |file| file.unplace(file.attribute(INNER_BLOCK, dw::DW_AT_high_pc), 0x560)),
    ("I015", CLASSES, |file| file.unplace(file.attribute_of("counter", dw::DW_AT_location) + 2, 0x40)),
    ("I015", PLACES, |file| {
        let at = file.attribute_of("spill", dw::DW_AT_location);
        // DW_OP_fbreg back to the DW_OP_addr 0 that ptxas makes it of.
        file.set_info(at + 1, &[3, 0, 0, 0, 0, 0, 0, 0, 0]);
    }),
    // nvlink -r takes it away too, but did not write this file.
    ("I015", CLASSES_RELOCATABLE, |file| {
        let at = file.attribute_of("tile", dw::DW_AT_location);
        file.unplace(at + 2, 4);
    }),
    ("I015", DEBUG, |file| {
        let bytes = file.bytes(".debug_loc");
        // The expression of the first item: a length of 5, and a register.
        assert_eq!(bytes[16..19], [5, 0, 0x90]);
        bytes[16] = 9;
        bytes.splice(18..23, [3, 8, 0, 0, 0, 0, 0, 0, 0]);
        for relocation in file.relocations(".rel.debug_loc").iter_mut().filter(|moved| moved.offset > 8) {
            relocation.offset += 4;
        }
    }),
    // Constant for shared memory, a number in the window that is not in the variable of the entry's
    // name.
    ("I016", CLASSES, |file| file.set_info(file.attribute_of("tile", dw::DW_AT_address_class), &[4])),
    ("I016", CLASSES, |file| {
        let at = file.attribute_of("tile", dw::DW_AT_location);
        file.set_info(at + 2, &[0x84, 4]);
    }),
    // Shared for global memory, a number that is not a class, and none for shared memory.
    ("I016", CLASSES, |file| file.set_info(file.attribute_of("counter", dw::DW_AT_address_class), &[8])),
    ("I016", CLASSES, |file| file.set_info(file.attribute_of("counter", dw::DW_AT_address_class), &[77])),
    ("I017", CLASSES_RELOCATABLE, |file| {
        file.set_info(file.attribute_of("tile", dw::DW_AT_address_class), &[0]);
    }),
    ("I018", SHARED_TABLE, |file| file.set_info(file.attribute_of("scanA", dw::DW_AT_decl_file), &[2])),
    ("I019", PLACES, |file| {
        // A symbol that nothing refers to becomes one that the module does not define.
        let index = file.symbol(|cubin, symbol| {
            symbol.is_section()
                && symbol.section().is_some_and(|section| cubin.section_name(section) == ".note.nv.cuinfo")
        });
        let name = file.symbol(|_, symbol| symbol.is_function());
        let name = file.0.symbols()[name.as_usize()].name;
        let symtab = file.index(".symtab");
        let Contents::Symbols(all) = &mut file.0.sections[symtab.as_usize()].contents else { panic!() };
        all[index.as_usize()] = Symbol { name, ..Symbol::default() };
    }),
    ("I101", DEBUG, |file| {
        file.link();
        file.unplace(file.attribute(INNER_BLOCK, dw::DW_AT_high_pc), 0x560);
    }),
    ("I102", OPEN_LABEL, |file| {
        let at = file.attribute_of("ll_kernel", dw::DW_AT_high_pc);
        file.unplace(at, 0);
    }),
    ("O001", DEBUG, |file| {
        file.shorten(".debug_loc", 16);
    }),
    ("O002", DEBUG, |file| file.set_info(file.attribute(LISTED, dw::DW_AT_location), &[1])),
    ("O003", DEBUG, |file| file.bytes(".debug_loc")[..2].copy_from_slice(&0x870_u16.to_le_bytes())),
    ("O004", DEBUG, |file| file.bytes(".debug_loc")[18] = 2),
    ("O005", DEBUG, |file| file.bytes(".debug_loc")[0] += 1),
    ("O101", DEBUG, |file| {
        file.relocations(".rel.debug_loc").retain(|relocation| relocation.offset != 0);
        file.bytes(".debug_loc")[..8].fill(0);
    }),
];

/// `DW_CFA_def_cfa R1 0`.
const DEFINE_CFA: [u8; 6] = [0x0c, 0x81, 0x80, 0x80, 0x28, 0];

const MACHINE: &[Damage] = &[
    ("R001", DEBUG, |file| file.shorten(reg_sass::NAME, 1)),
    ("R002", DEBUG, |file| {
        file.maps(|sass, types| {
            sass[0].function = b"nobody";
            types[0].function = b"nobody";
        });
    }),
    ("R003", DEBUG, |file| file.maps(|sass, _| sass[0].ranges[0].end = 1 << 20)),
    ("R004", DEBUG, |file| file.maps(|_, types| types[0].types = &types[0].types[1..])),
    ("R005", DEBUG, |file| file.maps(|sass, _| sass[0].ranges[0].register = SassRegister(0x6300_0000))),
    ("R006", DEBUG, |file| file.maps(|sass, _| sass[0].ranges[0].part = 7)),
    ("R007", DEBUG, |file| file.maps(|sass, _| sass[0].ranges[0].register = SassRegister(0x0500_03e8))),
    ("R007", DEBUG, |file| file.maps(|sass, _| sass[0].ranges[0].register = SassRegister(0x0200_0007))),
    ("R008", DEBUG, |file| file.maps(|sass, _| sass[0].ranges[0].end -= 1)),
    ("R104", DEBUG, |file| {
        file.link();
        file.maps(|sass, types| {
            sass[0].function = b"dropped";
            types[0].function = b"dropped";
        });
    }),
    ("R101", DEBUG, |file| file.maps(|sass, _| sass[0].ranges[0].end = sass[0].ranges[0].start)),
    ("R105", DEBUG, |file| {
        file.maps(|sass, _| {
            let range = sass[0].ranges.iter_mut().find(|range| range.start < range.end).unwrap();
            std::mem::swap(&mut range.start, &mut range.end);
        });
    }),
    // By a tool that is not known for it, and to places that no tool writes.
    ("R003", DEBUG, |file| {
        let note = file.bytes(".note.nv.tkinfo");
        let at = note.windows(5).position(|window| window == b"ptxas").unwrap();
        note[at] = b'q';
        file.maps(|sass, _| {
            let range = sass[0].ranges.iter_mut().find(|range| range.start < range.end).unwrap();
            std::mem::swap(&mut range.start, &mut range.end);
        });
    }),
    ("R003", DEBUG, |file| file.maps(|sass, _| sass[0].ranges[0].start = 0xffff_fff0)),
    ("R106", MERCURY, |file| {
        file.maps(|sass, _| {
            let range = sass[0].ranges.iter_mut().find(|range| range.start < range.end).unwrap();
            range.start = reg_sass::NO_START;
        });
    }),
    ("R102", DEBUG, |file| {
        file.link();
        file.maps(|sass, types| {
            sass.push(sass[0].clone());
            types.push(types[0].clone());
        });
    }),
    ("R103", DEBUG, |file| {
        file.maps(|sass, _| {
            let ranges = sass.iter_mut().flat_map(|function| &mut function.ranges);
            ranges.filter(|range| range.ptx_name == b"%f11").for_each(|range| range.ptx_name = b"%zz");
        });
    }),
    ("F001", DEBUG, |file| file.bytes(".debug_frame")[20] = 9),
    ("F002", DEBUG, |file| {
        let fde = entry_length(file.bytes(".debug_frame"));
        file.bytes(".debug_frame")[fde + 12] += 8;
    }),
    ("F003", DEBUG, |file| {
        let fde = entry_length(file.bytes(".debug_frame"));
        file.bytes(".debug_frame")[fde + 30] += 1;
    }),
    ("F004", DEBUG, |file| file.repeat_frame(true)),
    ("F005", DEBUG, |file| {
        let start = file.last_cie();
        file.bytes(".debug_frame").truncate(start);
        file.relocations(".rel.debug_frame").retain(|relocation| relocation.offset < start as u64);
    }),
    ("F006", DEBUG, |file| {
        let fde = entry_length(file.bytes(".debug_frame"));
        file.bytes(".debug_frame")[fde + 28..fde + 36].fill(0);
    }),
    ("F006", DEBUG, |file| {
        let fde = entry_length(file.bytes(".debug_frame"));
        file.bytes(".debug_frame")[fde + 28] -= 0x10;
    }),
    // DW_CFA_def_cfa R1 0 of the first CIE, and of all.
    ("F007", DEBUG, |file| {
        let bytes = file.bytes(".debug_frame");
        let at = bytes.windows(6).position(|window| window == DEFINE_CFA).unwrap();
        // The FDE defines it only after the prologue.
        bytes[at..at + 6].fill(0);
    }),
    ("F101", LINES, |file| {
        file.link();
        let fde = entry_length(file.bytes(".debug_frame"));
        file.bytes(".debug_frame")[fde + 12] += 8;
    }),
    ("F102", DEBUG, |file| {
        file.link();
        file.repeat_frame(false);
    }),
    ("M001", DEBUG, |file| {
        file.link();
        let name = b"fminf";
        let code = file.index(".text.fminf");
        let symbol = file.symbol(|_, symbol| symbol.is_function() && symbol.section() == Some(code));
        let at =
            file.relocations(SASS.1).iter().find(|relocation| relocation.symbol == symbol).unwrap().offset;
        file.relocations(SASS.1).retain(|relocation| relocation.symbol != symbol);
        file.tables(SASS.0, SASS.1, |tables| {
            tables[0].sequences.retain(|sequence| sequence.base_offset != at);
        });
        file.maps(|sass, types| {
            sass.retain(|function| function.function != name);
            types.retain(|function| function.function != name);
        });
    }),
];

/// More than the lines of what the files are made from.
const LINES_OF_SOURCES: u32 = 1000;

const SOURCES: VerifyContext<'_> = VerifyContext {
    source_lines: Some(&|_| SourceState::Lines(LINES_OF_SOURCES)),
    lost_calls: &[],
    lost_files: &[],
};

#[test]
fn each_damage_is_found_alone() {
    let all = || [CONTAINER, TABLES, ENTRIES, MACHINE].into_iter().flatten();
    let mut faults = Vec::new();
    for (code, path, damage) in all() {
        let mut file = Patient::new(path);
        let before = verify_with(&file.0, SOURCES);
        damage(&mut file);
        let after = verify_with(&file.0, SOURCES);
        let changed: Vec<&str> = RULES
            .iter()
            .filter(|rule| before.count(rule.id) < after.count(rule.id))
            .map(|rule| rule.code)
            .collect();
        if changed != [*code] {
            let new = after.findings().iter().filter(|finding| !before.findings().contains(finding));
            faults.push(format!(
                "{code}: {}",
                new.map(ToString::to_string).collect::<Vec<_>>().join("\n      ")
            ));
        }
        // What can be written and read again is not another file.
        if let Ok(bytes) = file.0.write()
            && let Ok(again) = Cubin::parse(&bytes)
        {
            assert_eq!(verify_with(&again, SOURCES), after, "{code}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let damaged = all().map(|(code, ..)| RuleId::named(code).unwrap().id);
    // `nvdwarf-compile/tests/releases.rs` has files of the releases that do so.
    let habits = [
        RuleId::SymbolLinks,
        RuleId::RelocationFlags,
        RuleId::LineContextCounted,
        RuleId::FramesLastInstruction,
    ];
    // Told by what is outside the file: the PTX, the folder of the sources.
    let outside = [RuleId::LineInlinedCall, RuleId::LineFileChange, RuleId::LineSourceMissing];
    let damaged: BTreeSet<_> = damaged.chain(habits).chain(outside).collect();
    let rules: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(damaged, rules);
}

#[test]
fn files_before_damage_have_no_errors() {
    for path in [DEBUG, LINES, INLINED, SHARED] {
        let file = Patient::new(path);
        let report = verify_with(&file.0, SOURCES);
        let found: Vec<_> =
            report.findings().iter().filter(|finding| finding.rule.severity == Severity::Error).collect();
        assert!(found.is_empty(), "{path}: {found:?}");
    }
}

/// Bytes changed at random: no panic, and findings that name rules.
#[test]
fn any_bytes_end_in_findings() {
    let mut random = support::Random(0x5eed);
    let mut read_files = 0;
    let small = [DEBUG, LINES, RELOCATABLE, VARIABLES].map(read);
    for round in 0..400_usize {
        let mut bytes = small[round % small.len()].clone();
        random.mutate(&mut bytes);
        let Ok(cubin) = Cubin::parse(&bytes) else { continue };
        read_files += 1;
        for finding in verify(&cubin).findings() {
            assert!(!finding.found.is_empty() && !finding.expected.is_empty(), "{finding:?}");
        }
    }
    assert!(read_files > 100);
}
