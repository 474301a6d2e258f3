//! `verify`: checks of the debug information of a cubin.
//!
//! [`verify`] looks at every native debug section, each by its own rules and by what others say,
//! and at the relocations of both spaces. The rules are [`RULES`]; what tools are known to do wrong
//! has rules of its own, so that no file of theirs has errors. Clones of Mercury are compared with
//! native sections by `merc_capsule::self_check`, not here.

mod entries;
mod expression;
mod frames;
mod inlined_calls;
mod known_fault;
mod known_faults;
mod levels;
mod lines;
mod lists;
mod lookup;
mod registers;
mod relocations;
mod rule_details;
mod rules;
mod sections;
mod source_file;
mod sources;
mod verify_context;

pub use findings::{RuleTable, Severity};
pub use known_fault::KnownFault;
pub use known_faults::known_faults;
pub use rule_details::Details;
pub use rules::{RULES, Rule, RuleId};

use rules::BrokenRule;
pub use source_file::{SourceFile, SourceLines};
pub use verify_context::VerifyContext;

use crate::entries::Entries;
use crate::limits::MAX_NAME_CHARS;
use crate::unrelocated_addresses::{OpenSymbols, UnrelocatedAddresses};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::{Code, Function, instruction_size};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::cursor::Cursor;
use nv_debug_sections::relocated::{RelocatedCubin, RelocatedSection};
use nv_debug_sections::{Error, Result, tkinfo};
use std::cell::OnceCell;
use std::collections::HashMap;

/// A finding of [`verify`]: something that breaks a rule.
pub type Finding = findings::Finding<RuleId>;

/// All findings of one call of [`verify`].
pub type Report = findings::Report<RuleId>;

/// Checks all debug information of a cubin. A section that cannot be read is a finding; checks that
/// need it are left out.
pub fn verify(cubin: &Cubin<'_>) -> Report {
    verify_with(cubin, VerifyContext::default())
}

/// Checks a cubin as [`verify`] does, and also what can be checked only with the facts in
/// `context`.
pub fn verify_with<'c>(cubin: &'c Cubin<'_>, context: VerifyContext<'c>) -> Report {
    let code = Code::new(cubin);
    let sizes = code.functions().iter().map(|function| (function.name, function.size)).collect();
    let mut check = Verifier {
        cubin,
        context,
        code,
        sizes,
        relocated: RelocatedCubin::new(cubin),
        is_linked: cubin.is_linked(),
        is_of_ptxas: is_of_ptxas(cubin),
        instruction: instruction_size(cubin.header.sm()),
        open_symbols: OnceCell::new(),
        numbers: OnceCell::new(),
        doubts: Vec::new(),
        has_open_number: false,
        report: Report::default(),
    };
    relocations::check(&mut check);
    sections::check(&mut check);
    let lines = lines::check(&mut check);
    inlined_calls::check(&mut check);
    let entries = check.entries();
    if let Some(entries) = &entries {
        entries::check(&mut check, entries, lines.as_ref());
    }
    let locations = lists::check(&mut check, entries.as_ref());
    if let Some(entries) = &entries {
        entries::addresses::doubts(&mut check, entries);
    }
    lookup::check(&mut check, entries.as_ref());
    registers::check(&mut check, &locations);
    frames::check(&mut check);
    levels::check(&mut check, entries.as_ref());
    check.report
}

/// The name, or its beginning.
fn short(name: &str) -> &str {
    name.char_indices().nth(MAX_NAME_CHARS).map_or(name, |(end, _)| name.get(..end).unwrap_or(name))
}

/// The file, and what was found so far.
struct Verifier<'c, 'd> {
    cubin: &'c Cubin<'d>,
    context: VerifyContext<'c>,
    code: Code<'c>,
    relocated: RelocatedCubin<'c, 'd>,
    /// Whether nvlink wrote it.
    is_linked: bool,
    /// Whether ptxas wrote the file, or a part of it that nvlink kept.
    is_of_ptxas: bool,
    /// Size of an instruction in bytes.
    instruction: u64,
    /// The symbols that ptxas left open, once a finding needs them.
    open_symbols: OnceCell<OpenSymbols>,
    /// What tells the memory of a number, once an address needs it.
    numbers: OnceCell<UnrelocatedAddresses<'c>>,
    /// Numbers that are in order unless they are undefined symbols.
    doubts: Vec<entries::addresses::PossibleName>,
    /// Whether there is a finding about a number that may be an undefined symbol.
    has_open_number: bool,
    /// Sizes of functions by name.
    sizes: HashMap<&'c str, u64>,
    report: Report,
}

/// Whether a note of the file names ptxas.
fn is_of_ptxas(cubin: &Cubin<'_>) -> bool {
    let note = cubin.section_by_name(tkinfo::NAME).and_then(|index| cubin.bytes(index).ok());
    let tools = note.as_deref().map(tkinfo::decode);
    tools.is_some_and(|tools| tools.is_ok_and(|tools| tools.iter().any(|tool| tool.tool == b"ptxas")))
}

/// Bytes of an address.
const ADDRESS_BYTES: u8 = 8;

/// Offset of the first unit of another version than those of cubins, and that version.
fn unknown_version(info: &SectionView<'_>) -> Option<(u64, u16)> {
    let mut cursor = Cursor::new(info.name, &info.data.bytes);
    while !cursor.is_empty() {
        let offset = cursor.offset();
        let length = cursor.u32("unit_length").ok()?;
        let version = cursor.split(length.into(), "a unit").ok()?.u16("version").ok()?;
        if !(2..=4).contains(&version) {
            return Some((offset, version));
        }
    }
    None
}

/// One native section with its relocations.
struct SectionView<'c> {
    name: &'c str,
    data: RelocatedSection<'c>,
}

impl<'c> Verifier<'c, '_> {
    fn find(
        &mut self,
        rule: RuleId,
        section: &str,
        offset: u64,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.report.push(Finding {
            rule: rule.rule(),
            section: short(section).to_owned(),
            offset,
            function: None,
            found: found.into(),
            expected: expected.into(),
        });
    }

    /// The same, with words that are put together only if the finding is kept: what was found, and
    /// what was expected.
    fn find_with(&mut self, broken: BrokenRule<'_>, words: impl FnOnce() -> (String, String)) {
        let BrokenRule { rule, section, offset } = broken;
        if self.report.is_full(rule) {
            return self.report.count_one(rule);
        }
        let (found, expected) = words();
        self.find(rule, section, offset, found, expected);
    }

    /// The same, of a function.
    fn find_in(
        &mut self,
        function: Option<String>,
        broken: BrokenRule<'_>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let BrokenRule { rule, section, offset } = broken;
        let (section, found, expected) = (short(section).to_owned(), found.into(), expected.into());
        self.report.push(Finding { rule: rule.rule(), section, offset, function, found, expected });
    }

    /// A section that cannot be decoded.
    fn unreadable(&mut self, rule: RuleId, error: &Error) {
        self.find(
            rule,
            error.section(),
            error.offset(),
            error.kind().to_string(),
            "a section that can be decoded",
        );
    }

    /// The first native section of a kind. `None` too if its relocations are faulty, which is a
    /// finding already.
    fn view(&self, kind: SectionKind) -> Option<SectionView<'c>> {
        let index = self.cubin.section_by_name(kind.name())?;
        let data = self.relocated.section(index).ok()?;
        Some(SectionView { name: self.cubin.section_name(index), data })
    }

    fn entries(&mut self) -> Option<Entries<'c>> {
        const READ: [SectionKind; 3] =
            [SectionKind::DebugInfo, SectionKind::DebugAbbrev, SectionKind::DebugStr];
        for kind in READ {
            let index = self.cubin.section_by_name(kind.name());
            index.map(|index| self.relocated.section(index)).transpose().ok()?;
        }
        let read: Result<Entries<'c>> = Entries::read(self.cubin);
        match read {
            Ok(entries) => Some(entries),
            Err(error) => {
                match self.view(SectionKind::DebugInfo).and_then(|view| unknown_version(&view)) {
                    Some((offset, version)) => {
                        let (name, found) = (SectionKind::DebugInfo.name(), format!("version {version}"));
                        self.find(RuleId::EntriesUnreadable, name, offset, found, "version 2, or 3 or 4");
                    }
                    None => self.unreadable(RuleId::EntriesUnreadable, &error),
                }
                None
            }
        }
    }

    /// A finding if the address at `offset` has a relocation of another width.
    fn width(&mut self, name: &str, data: &RelocatedSection<'_>, offset: u64) {
        let fields = data.fields();
        let at = fields.binary_search_by_key(&offset, |field| field.offset).ok();
        let narrow = at.and_then(|at| fields.get(at)).filter(|field| field.width != ADDRESS_BYTES);
        if let Some(field) = narrow {
            let found = format!("a relocation of {} bytes", field.width);
            self.find(RuleId::RelocationWidth, name, offset, found, "one of the address's 8 bytes");
        }
    }

    /// Whether an instruction can start at that offset in code.
    fn is_instruction(&self, offset: u64) -> bool {
        offset.is_multiple_of(self.instruction)
    }

    /// Size of a code section; `None` if it is none.
    fn code_size(&self, section: SectionIndex) -> Option<u64> {
        self.code.section(section).map(|code| code.size)
    }

    /// The function at a place in a code section.
    fn function_at(&self, section: SectionIndex, offset: u64) -> Option<&Function<'c>> {
        self.code.function_at(section, offset)
    }

    /// The function that starts at a place, and where the next one in its section starts, else that
    /// section's end.
    fn function_from(&self, section: SectionIndex, start: u64) -> (Option<&Function<'c>>, u64) {
        let functions = self.code.functions_of(section);
        let first = functions.partition_point(|function| function.offset < start);
        let after = functions.partition_point(|function| function.offset <= start);
        let size = self.code_size(section).unwrap_or(0);
        let next = functions.get(after).map_or(size, |function| function.offset);
        (functions.get(first).filter(|_| first < after), next)
    }

    /// Size of the function of that name.
    fn function_size(&self, name: &str) -> Option<u64> {
        self.sizes.get(name).copied()
    }

    fn function_name(&self, section: SectionIndex, offset: u64) -> Option<String> {
        self.function_at(section, offset).map(|function| short(function.name).to_owned())
    }

    /// An offset of a section as text: `.text.f+0x10`.
    fn place(&self, section: SectionIndex, offset: u64) -> String {
        format!("{}+{offset:#x}", short(self.cubin.section_name(section)))
    }
}
