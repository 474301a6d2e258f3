//! Section contents with relocations applied. Readers of debug sections should use no other view.
//!
//! A field under a RELA entry holds stale bytes in files for sm_90 and later
//! (docs/formats/relocations.md, fields), and in every cubin all functions start at address 0. So a
//! reader needs two things: the relocated value, and which symbol and section it belongs to.
//! [`RelocatedCubin::section`] gives both, or refuses.

use std::borrow::Cow;

use crate::cubin::{Cubin, Relocation, Section, SectionIndex, Symbol, SymbolIndex};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_NAME_CHARS;
use crate::reloc::{RelocAction, RelocType};

/// The symbol, section and offset to which a relocation refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelocationTarget {
    /// The symbol table that has the [`symbol`](Self::symbol): `.symtab` or `.nv.merc.symtab`.
    pub table: SectionIndex,
    /// The symbol that the relocation names.
    pub symbol: SymbolIndex,
    /// The section of the symbol; `None` if the symbol is undefined or absolute.
    pub section: Option<SectionIndex>,
    /// The byte offset in that section: symbol value plus addend, less the section's address.
    pub offset: u64,
    /// The addend, from the RELA entry or from the field's own bytes.
    pub addend: i64,
}

/// A field of a section to which a relocation applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelocatedField {
    /// The byte offset of the field in its section.
    pub offset: u64,
    /// The width of the field in bytes, 4 or 8.
    pub width: u8,
    /// The effect of the relocation: the field has the symbol's value, or is cleared if the linker
    /// drops the symbol's function.
    pub action: RelocAction,
    /// The symbol, section and offset that the field refers to.
    pub target: RelocationTarget,
}

/// A section's bytes with all relocations applied, and its relocated fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelocatedSection<'c> {
    /// The bytes with relocations applied. They are borrowed from the cubin if there was nothing to
    /// apply.
    pub bytes: Cow<'c, [u8]>,
    fields: Vec<RelocatedField>,
}

impl RelocatedSection<'_> {
    /// Returns the symbol, section and offset to which the field at byte `offset` refers; `None` if
    /// no relocated field starts there.
    pub fn target(&self, offset: u64) -> Option<&RelocationTarget> {
        let at = self.fields.binary_search_by_key(&offset, |f| f.offset).ok()?;
        self.fields.get(at).map(|f| &f.target)
    }

    /// All relocated fields by ascending offset. They do not overlap.
    pub fn fields(&self) -> &[RelocatedField] {
        &self.fields
    }
}

/// A cubin with an index of its relocation sections, which returns sections with their relocations
/// applied.
#[derive(Debug, Clone)]
pub struct RelocatedCubin<'c, 'd> {
    cubin: &'c Cubin<'d>,
    /// `(target, relocation section)`, sorted.
    tables: Vec<(SectionIndex, SectionIndex)>,
}

impl<'c, 'd> RelocatedCubin<'c, 'd> {
    /// Creates an index of the relocation sections of a cubin, by the section to which they apply.
    pub fn new(cubin: &'c Cubin<'d>) -> Self {
        let all = (0..).zip(&cubin.sections);
        let tables = all.filter(|(_, s)| s.relocations().is_some());
        let mut tables: Vec<_> = tables.map(|(i, s)| (SectionIndex(s.info), SectionIndex(i))).collect();
        tables.sort_unstable();
        Self { cubin, tables }
    }

    /// The cubin whose relocation sections are indexed.
    pub fn cubin(&self) -> &'c Cubin<'d> {
        self.cubin
    }

    /// Iterates over the relocations of a section as [`Cubin::relocations_of`] does, without a
    /// search through all sections.
    pub fn relocations_of(
        &self,
        target: SectionIndex,
    ) -> impl Iterator<Item = (SectionIndex, &'c Relocation)> {
        let cubin = self.cubin;
        let first = self.tables.partition_point(|(other, _)| *other < target);
        let tables = self.tables.get(first..).unwrap_or_default();
        let tables = tables.iter().take_while(move |(other, _)| *other == target).map(|(_, table)| *table);
        tables.flat_map(move |table| {
            let section = cubin.sections.get(table.as_usize());
            let all = section.and_then(Section::relocations).unwrap_or_default();
            all.iter().map(move |relocation| (table, relocation))
        })
    }

    /// Returns a section with its relocations applied. Each call computes it anew.
    ///
    /// # Errors
    ///
    /// The section does not exist, or one of its relocations is of an unknown type, lies outside
    /// the section, overlaps another one, or gives a value that does not fit the field. The error
    /// names the section and the field's offset.
    pub fn section(&self, index: SectionIndex) -> Result<RelocatedSection<'c>> {
        let mut bytes = self.cubin.bytes(index)?;
        let mut fields = Vec::new();
        for (table, relocation) in self.relocations_of(index) {
            let symtab = SectionIndex(self.cubin.section(table)?.link);
            let field = self.apply(relocation, symtab, &mut bytes);
            fields.push(field.map_err(|kind| self.fault(index, relocation.offset, kind))?);
        }
        fields.sort_by_key(|f| f.offset);
        let overlap =
            fields.iter().zip(fields.iter().skip(1)).find(|(a, b)| b.offset - a.offset < a.width.into());
        match overlap {
            Some((_, second)) => {
                let kind = ErrorKind::Overlap("two relocations overlap");
                Err(self.fault(index, second.offset, kind))
            }
            None => Ok(RelocatedSection { bytes, fields }),
        }
    }

    fn fault(&self, section: SectionIndex, offset: u64, kind: ErrorKind) -> Error {
        // A file may give one long name to many sections, and have a fault in each.
        let name = self.cubin.section_name(section);
        let name =
            name.char_indices().nth(MAX_NAME_CHARS).map_or(name, |(end, _)| name.get(..end).unwrap_or(""));
        Error::new(name, offset, kind)
    }

    fn apply(
        &self,
        relocation: &Relocation,
        table: SectionIndex,
        bytes: &mut Cow<'_, [u8]>,
    ) -> Result<RelocatedField, ErrorKind> {
        let &RelocType { width, action, .. } =
            RelocType::from_number(relocation.r_type).ok_or(ErrorKind::Value {
                field: "relocation type",
                found: relocation.r_type.into(),
                expected: "one that occurs in debug sections",
            })?;
        let symbols = self.cubin.symbols_of(table);
        let no_symbol = ErrorKind::Index {
            what: "symbol",
            index: relocation.symbol.0.into(),
            count: symbols.len() as u64,
        };
        let symbol = symbols.get(relocation.symbol.as_usize()).ok_or(no_symbol)?;
        let start = usize::try_from(relocation.offset).ok();
        let range = start.and_then(|start| Some(start..start.checked_add(width.into())?));
        let range =
            range.filter(|r| r.end <= bytes.len()).ok_or(ErrorKind::Truncated("a relocated field"))?;

        let in_place = read_field(bytes.get(range.clone()).unwrap_or_default());
        let addend = match (action, relocation.addend) {
            (RelocAction::Add, Some(addend)) => addend,
            (RelocAction::Add, None) => in_place as i64,
            (RelocAction::Clear, addend) => addend.unwrap_or(0),
        };
        let value = symbol.value.wrapping_add_signed(addend);
        if action == RelocAction::Add && value != in_place {
            let value_bytes = value.to_le_bytes();
            if width == 4 && u32::try_from(value).is_err() {
                return Err(ErrorKind::DoesNotFit {
                    what: "relocated value",
                    value,
                    field: "a field of 4 bytes",
                });
            }
            if let (Some(field), Some(new)) = (bytes.to_mut().get_mut(range), value_bytes.get(..width.into()))
            {
                field.copy_from_slice(new);
            }
        }
        let target = self.target(relocation, table, symbol, addend);
        Ok(RelocatedField { offset: relocation.offset, width, action, target })
    }

    fn target(
        &self,
        relocation: &Relocation,
        table: SectionIndex,
        symbol: &Symbol,
        addend: i64,
    ) -> RelocationTarget {
        let section = symbol.section();
        let address = section.and_then(|s| self.cubin.sections.get(s.as_usize())).map_or(0, |s| s.address);
        let offset = symbol.value.wrapping_sub(address).wrapping_add_signed(addend);
        RelocationTarget { table, symbol: relocation.symbol, section, offset, addend }
    }
}

/// A little-endian number of up to 8 bytes.
fn read_field(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
