//! Checks of `.debug_info` entries against the module: memories of variables, plain addresses, file
//! numbers.

use std::collections::HashMap;

use dwarf2_reader::constants::DW_AT;

use super::dwarf::{Facts, NameBytes, Number};
use super::files::Files;
use super::rules::RuleId;
use super::sink::Sink;
use crate::declared_names::{self, Declared};
use crate::function::Function;
use crate::loc::LocDirective;
use crate::module::Module;
use crate::section_data::{Fixup, FixupTarget};
use crate::state_space::StateSpace;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// `ADDR_global_space` (PTX Writer's Guide §6.2): the memory of a variable whose entry has no
/// address class.
const GLOBAL: u64 = 5;

/// The `.debug_info` of a module, as the rules about it need it.
pub(super) struct Entries<'c, 'm, 'a> {
    pub(super) facts: &'c Facts,
    /// The fields of `.debug_info` that hold a name, ascending.
    pub(super) fixups: &'c [Fixup<'a>],
    /// The bytes of `.debug_info`.
    pub(super) bytes: &'c [u8],
    pub(super) module: &'m Module<'a>,
    pub(super) files: &'c Files<'m, 'a>,
    /// The positions in the text of the bytes at ascending offsets.
    pub(super) find: &'c dyn Fn(&[u64]) -> Vec<TextRange>,
}

impl<'a> Entries<'_, '_, 'a> {
    /// Checks all entries.
    pub(super) fn check(&self, sink: &mut Sink<'_>) {
        self.variables(sink);
        self.bare(sink);
        self.file_numbers(sink);
        self.files_of_functions(sink);
    }

    fn fixup(&self, offset: u64) -> Option<&Fixup<'a>> {
        let at = self.fixups.binary_search_by_key(&offset, |fixup| fixup.offset).ok()?;
        self.fixups.get(at)
    }

    fn name(&self, name: NameBytes) -> String {
        let bytes = name.and_then(|(start, length)| self.bytes.get(start..start + length));
        bytes.map_or_else(String::new, |bytes| format!(" of `{}`", String::from_utf8_lossy(bytes)))
    }

    /// A finding for each number, at its place in the text.
    fn numbers<T>(
        &self,
        rule: RuleId,
        list: &[(Number, T)],
        message: impl Fn(&Number, &T) -> String,
        sink: &mut Sink<'_>,
    ) {
        let offsets: Vec<u64> = list.iter().map(|(number, _)| number.offset).collect();
        for ((number, more), range) in list.iter().zip((self.find)(&offsets)) {
            sink.error(rule, range, format_args!("{}", message(number, more)));
        }
    }

    /// Variables whose place is lost, or taken by a reader for one in another memory.
    fn variables(&self, sink: &mut Sink<'_>) {
        if self.facts.locations.is_empty() && self.facts.functions.is_empty() {
            return;
        }
        let declared = declared_names::declared(self.module);
        let mut wrong = Vec::new();
        for located in &self.facts.locations {
            let Some(&Fixup { target: FixupTarget::Symbol { name, .. }, range, .. }) =
                self.fixup(located.address)
            else {
                continue;
            };
            let Some((what, space, classes)) =
                declared.get(name).and_then(|what| Some((what, memory(what)?.0, memory(what)?.1)))
            else {
                continue;
            };
            // DWARF 2.0.0 §2.16: 0 is none.
            match located.class.filter(|class| class.value != 0) {
                // In a function a local depot becomes DW_OP_fbreg, which CUDA-GDB reads from local
                // memory without a class too.
                None if !classes.contains(&GLOBAL) && what != Declared::Variable(StateSpace::Local) => {
                    let message = format_args!(
                        "`{name}` is in {space} memory and its entry has no DW_AT_address_class: its address is read as a global one"
                    );
                    sink.error(RuleId::NoAddressClass, range, message);
                }
                Some(class) if !classes.contains(&class.value) => wrong.push((class, (name, space, classes))),
                _ => {}
            }
            let is_placed = self.facts.first_function.is_some_and(|first| located.address > first);
            if !is_placed && what == Declared::Variable(StateSpace::Local) {
                let message = format_args!(
                    "`{name}` is a .local variable and its entry stands before all functions with a name: ptxas writes 0"
                );
                sink.error(RuleId::ReferenceLost, range, message);
            }
        }
        let message = |class: &Number, &(name, space, classes): &(&str, &str, &[u64])| {
            let expected = classes.first().copied().unwrap_or_default();
            let value = class.value;
            format!(
                "`{name}` is in {space} memory and its entry has DW_AT_address_class {value}: expected {expected}"
            )
        };
        wrong.sort_by_key(|(class, _)| class.offset);
        self.numbers(RuleId::WrongAddressClass, &wrong, message, sink);
    }

    /// Addresses that are numbers.
    fn bare(&self, sink: &mut Sink<'_>) {
        let located = self.facts.locations.iter();
        let places = located.map(|located| (located.address, "a location")).chain(
            self.facts.pcs.iter().map(|bare| (bare.offset, DW_AT.name(bare.attribute).unwrap_or_default())),
        );
        let mut list: Vec<_> = places
            .filter(|&(offset, _)| self.fixup(offset).is_none())
            .map(|(offset, what)| (Number { offset, value: 0 }, what))
            .collect();
        list.sort_by_key(|(number, _)| number.offset);
        let message = |_: &Number, what: &&str| {
            format!(
                "the address of {what} is a bare number: it gets no relocation, and nothing says where it leads"
            )
        };
        self.numbers(RuleId::BareAddress, &list, message, sink);
    }

    /// Numbers of files that the line table does not have.
    fn file_numbers(&self, sink: &mut Sink<'_>) {
        if self.files.is_empty() {
            return; // the line table of another module may have them
        }
        let count = self.files.len() as u64;
        let wrong = self.facts.files.iter().filter(|(_, number, _)| number.value > count);
        let list: Vec<_> = wrong.map(|&(attribute, number, name)| (number, (attribute, name))).collect();
        let message = |number: &Number, &(attribute, name): &(u16, NameBytes)| {
            let attribute = DW_AT.name(attribute).unwrap_or_default();
            let (name, file) = (self.name(name), number.value);
            format!("{attribute}{name}: file {file}; expected one of the module's {count} files, or 0")
        };
        self.numbers(RuleId::FileNumber, &list, message, sink);
    }

    /// Functions whose entry names a file that neither their unit nor a `.loc` of their code names.
    fn files_of_functions(&self, sink: &mut Sink<'_>) {
        if self.facts.subprograms.is_empty() || self.files.is_empty() {
            return;
        }
        let mut functions: HashMap<&str, &Function<'_>> = HashMap::new();
        for function in self.module.functions() {
            let Some(body) = &function.body else { continue };
            functions.insert(function.name.text, function);
            for statement in &body.statements {
                if let Statement::Label(label) = statement {
                    functions.entry(label.text).or_insert(function);
                }
            }
        }
        let path = |index: u64| self.files.get(&index).map(|file| file.path);
        let mut wrong = Vec::new();
        for subprogram in &self.facts.subprograms {
            let Some(FixupTarget::Symbol { name, .. }) =
                self.fixup(subprogram.low_pc).map(|fixup| fixup.target)
            else {
                continue;
            };
            let unit = subprogram.unit_name.and_then(|(start, length)| self.bytes.get(start..start + length));
            let (Some(function), Some(unit)) = (functions.get(name), unit) else { continue };
            let is_coded = own_locs(function).any(|loc| loc.file == subprogram.file.value);
            if let (false, Some(named)) = (is_coded, path(subprogram.file.value))
                && last_part(named.as_bytes()) != last_part(unit)
            {
                wrong.push((subprogram.file, (function.name.text, named)));
            }
        }
        wrong.sort_by_key(|(number, _)| number.offset);
        let message = |number: &Number, &(function, named): &(&str, &str)| {
            let file = number.value;
            format!(
                "DW_AT_decl_file of `{function}`: file {file}, {named}; expected a file of its unit's name, or of a row of its code"
            )
        };
        self.numbers(RuleId::FileOfFunction, &wrong, message, sink);
    }
}

/// The `.loc` of a function that are not inlined.
fn own_locs<'f>(function: &'f Function<'_>) -> impl Iterator<Item = &'f LocDirective<'f>> {
    let statements = function.body.iter().flat_map(|body| &body.statements);
    statements.filter_map(|statement| match statement {
        Statement::Loc(loc) if loc.inlined_at.is_none() && loc.line != 0 => Some(loc),
        _ => None,
    })
}

/// A path's last part.
fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or(path)
}

/// The memory of what a name stands for, and the classes that name it, the usual one first (PTX
/// Writer's Guide §6.2).
fn memory(what: Declared) -> Option<(&'static str, &'static [u64])> {
    Some(match what {
        Declared::Variable(StateSpace::Const) => (".const", &[4]),
        // Textures, surfaces and samplers are global variables too.
        Declared::Variable(StateSpace::Global) => (".global", &[GLOBAL, 9, 10, 11, 12]),
        Declared::Variable(StateSpace::Local) => (".local", &[6, 15]),
        Declared::Variable(StateSpace::Shared) => (".shared", &[8]),
        Declared::Parameter | Declared::FunctionParameter => (".param", &[7, 13, 14]),
        _ => return None,
    })
}
