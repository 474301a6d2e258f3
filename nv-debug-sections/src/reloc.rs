//! Relocations of debug sections: their types, and whether ptxas puts them into a REL or a RELA
//! section.
//!
//! docs/formats/relocations.md; observed: ptxas 13.0.88, sm_75-sm_121.

use crate::catalog::{SectionKind, Space};
use crate::cubin::{Relocation, SymbolIndex};
use crate::generation::Generation;
use crate::release::Target;
use crate::{Error, ErrorKind, Result};
use dwarf2_writer::{Referent, Reloc};

pub(crate) mod action;

pub use action::RelocAction;

/// A relocation type that occurs in debug sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelocType {
    /// The number of the relocation type, the low half of `r_info`.
    pub number: u32,
    /// NVIDIA's name of the relocation type. For Mercury types, whose names are not known, it is a
    /// description.
    pub name: &'static str,
    /// The width of the relocated field in bytes, 4 or 8.
    pub width: u8,
    /// The effect of the relocation on its field.
    pub action: RelocAction,
    /// The space whose relocation sections have this type: native (`.rel.*`, `.rela.*`), or Mercury
    /// (`.nv.merc.rela.*` of sm_100 and later) (docs/formats/relocations.md, types).
    pub space: Space,
}

const fn row(number: u32, name: &'static str, width: u8, action: RelocAction, space: Space) -> RelocType {
    RelocType { number, name, width, action, space }
}

/// The relocation types of debug sections. Observed: ptxas and nvlink 13.0.88, debug sections of
/// 679 cubins; there are no others.
pub const TYPES: [RelocType; 11] = [
    row(0x1, "R_CUDA_32", 4, RelocAction::Add, Space::Native),
    row(0x2, "R_CUDA_64", 8, RelocAction::Add, Space::Native),
    row(0x4, "R_CUDA_G64", 8, RelocAction::Add, Space::Native),
    row(0x49, "R_CUDA_UNUSED_CLEAR64", 8, RelocAction::Clear, Space::Native),
    row(0x1_0001, "Mercury address of a variable in a constant bank", 8, RelocAction::Add, Space::Mercury),
    row(0x1_0002, "Mercury address", 8, RelocAction::Add, Space::Mercury),
    row(0x1_0003, "Mercury section offset", 4, RelocAction::Add, Space::Mercury),
    row(0x1_0008, "Mercury offset in .debug_line", 4, RelocAction::Add, Space::Mercury),
    row(0x1_000e, "Mercury size to clear", 8, RelocAction::Clear, Space::Mercury),
    row(0x1_003c, "Mercury code address in 4 bytes", 4, RelocAction::Add, Space::Mercury),
    row(0x1_003d, "Mercury code address", 8, RelocAction::Add, Space::Mercury),
];

impl RelocType {
    /// Returns the relocation type for its number; `None` for types that do not occur in debug
    /// sections.
    pub fn from_number(number: u32) -> Option<&'static Self> {
        TYPES.iter().find(|known| known.number == number)
    }
}

/// The kinds of relocations that this crate writes. Mercury has several types where native code has
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelocKind {
    /// A section offset of 4 bytes.
    Absolute32,
    /// An offset in `.debug_line`, 4 bytes.
    LineOffset32,
    /// An address of 8 bytes that is the same in both spaces, such as that of a variable or of a
    /// function's start, or a section offset of 8 bytes.
    Absolute64,
    /// An address inside a function's code, 8 bytes.
    Code64,
    /// The low 4 bytes of an address inside a function's code.
    Code32,
    /// The address of a variable in a constant bank, 8 bytes.
    Generic64,
    /// The size of a function that the linker may drop, 8 bytes.
    UnusedClear64,
}

/// The native and the Mercury type of each [`RelocKind`] (docs/formats/relocations.md, types).
const KINDS: [(RelocKind, u32, u32); 7] = [
    (RelocKind::Absolute32, 0x1, 0x1_0003),
    (RelocKind::LineOffset32, 0x1, 0x1_0008),
    (RelocKind::Absolute64, 0x2, 0x1_0002),
    (RelocKind::Code64, 0x2, 0x1_003d),
    (RelocKind::Code32, 0x1, 0x1_003c),
    (RelocKind::Generic64, 0x4, 0x1_0001),
    (RelocKind::UnusedClear64, 0x49, 0x1_000e),
];

impl RelocKind {
    /// Returns the kind for a relocation that is to be written. A 4-byte field cannot take a 64-bit
    /// relocation.
    pub fn of(reloc: &Reloc) -> Self {
        match (reloc.width, reloc.referent) {
            (8, Referent::Code) => Self::Code64,
            (8, Referent::ConstantBank) => Self::Generic64,
            (8, Referent::FunctionSize) => Self::UnusedClear64,
            (8, Referent::Any | Referent::LineTable) => Self::Absolute64,
            (_, Referent::Code) => Self::Code32,
            (_, Referent::LineTable) => Self::LineOffset32,
            _ => Self::Absolute32,
        }
    }

    /// Returns the kind for a Mercury relocation type; `None` for types that do not occur in debug
    /// sections.
    pub fn from_mercury(number: u32) -> Option<Self> {
        KINDS.iter().find(|(_, _, mercury)| *mercury == number).map(|(kind, _, _)| *kind)
    }

    /// Returns the number of the relocation type in native or in Mercury sections.
    pub fn number(self, space: Space) -> u32 {
        // The enum and the table are in the same order; a test holds them together.
        let (_, native, mercury) = KINDS[self as usize];
        match space {
            Space::Native => native,
            Space::Mercury => mercury,
        }
    }

    /// The native relocation type of this kind, a row of [`TYPES`]. The Mercury relocation type of
    /// this kind has the same width and effect.
    pub fn row(self) -> &'static RelocType {
        let number = self.number(Space::Native);
        TYPES.iter().find(|row| row.number == number).unwrap_or(&TYPES[0])
    }

    /// The width in bytes of a field with a relocation of this kind, 4 or 8.
    pub fn width(self) -> usize {
        self.row().width.into()
    }

    /// The effect of a relocation of this kind on its field.
    pub fn action(self) -> RelocAction {
        self.row().action
    }
}

/// The relocations of a debug section, split into those of `.rel` and `.rela`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SplitRelocations {
    /// The relocations whose addend is in the relocated field, for `.rel`.
    pub rel: Vec<Relocation>,
    /// The relocations that have their own addend, for `.rela`.
    pub rela: Vec<Relocation>,
}

/// Sorts the relocations of section `name` as ptxas does, splits them into REL and RELA entries,
/// and writes the relocated fields in `bytes`.
///
/// `name` is the native name in both spaces, `relocs` in the order in which ptxas comes to the
/// fields: ascending, but again from the start for each block of a section that PTX has several
/// blocks of. `.debug_frame` keeps the order given, since it depends on the code sections; see
/// [`frame`](crate::frame). Clones have RELA entries only, and also those of line tables by
/// descending offset (docs/formats/relocations.md, order of entries).
///
/// # Errors
///
/// [`ErrorKind::Index`] when a field lies outside `bytes`.
pub fn split_relocations(
    name: &str,
    target: Target,
    space: Space,
    mut relocs: Vec<Reloc>,
    bytes: &mut [u8],
) -> Result<SplitRelocations> {
    let kind = SectionKind::from_name(name);
    let rela_only = target.generation() >= Generation::HiddenMercury;
    match kind {
        Some(SectionKind::DebugFrame) => {}
        Some(kind) if kind.is_line_table() && rela_only && space == Space::Native => {
            relocs.sort_by_key(|reloc| reloc.offset);
        }
        // Each is put before those it has.
        _ => relocs.reverse(),
    }
    let mut split = SplitRelocations::default();
    for reloc in relocs {
        let rel = !rela_only && is_rel(kind, &reloc);
        write_field(name, bytes, &reloc)?;
        let entry = Relocation {
            offset: reloc.offset,
            r_type: RelocKind::of(&reloc).number(space),
            symbol: SymbolIndex(reloc.symbol.0),
            addend: (!rel).then_some(reloc.addend),
        };
        if rel { split.rel.push(entry) } else { split.rela.push(entry) }
    }
    Ok(split)
}

/// Whether a legacy (sm_75-sm_89) entry goes to the `.rel` section.
fn is_rel(kind: Option<SectionKind>, reloc: &Reloc) -> bool {
    match kind {
        Some(SectionKind::DebugInfo) => false,
        // The `.debug_str` base is the odd one out.
        Some(SectionKind::DebugLine) => RelocKind::of(reloc).width() == 8,
        // CIE pointers carry an addend unless it is 0; ranges are cleared, not computed.
        Some(SectionKind::DebugFrame) => {
            RelocKind::of(reloc).action() == RelocAction::Add
                && (reloc.in_place.is_some() || reloc.addend == 0)
        }
        // Code addresses are in the field; variables, sections and undefined labels have nothing
        // there.
        _ => reloc.in_place.is_some(),
    }
}

fn write_field(name: &str, bytes: &mut [u8], reloc: &Reloc) -> Result<()> {
    if RelocKind::of(reloc).action() == RelocAction::Clear {
        return Ok(()); // the field keeps its own value
    }
    let size = bytes.len() as u64;
    let field = usize::try_from(reloc.offset)
        .ok()
        .and_then(|start| bytes.get_mut(start..)?.get_mut(..RelocKind::of(reloc).width()))
        .ok_or_else(|| {
            let kind = ErrorKind::Index { what: "the byte at offset", index: reloc.offset, count: size };
            Error::new(name, reloc.offset, kind)
        })?;
    let value = reloc.in_place.unwrap_or(0);
    field.copy_from_slice(&value.to_le_bytes()[..field.len()]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Release;
    use dwarf2_writer::SymbolId;

    #[test]
    fn kinds_are_rows_of_both_spaces_and_numbers_lead_back() {
        for (position, (kind, native, mercury)) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, position);
            for (space, number) in [(Space::Native, native), (Space::Mercury, mercury)] {
                let row = RelocType::from_number(number).unwrap();
                assert_eq!((row.space, row.action, row.width as usize), (space, kind.action(), kind.width()));
                assert_eq!(kind.number(space), number);
            }
        }
        for row in &TYPES {
            assert_eq!(RelocType::from_number(row.number), Some(row));
            assert_eq!(row.space == Space::Mercury, row.number > 0x1_0000, "{row:?}");
            let written =
                |(_, native, mercury): &(RelocKind, u32, u32)| [*native, *mercury].contains(&row.number);
            assert!(KINDS.iter().any(written), "{row:?}");
        }
        assert_eq!(RelocType::from_number(3), None);
    }

    fn reloc(offset: u64, kind: RelocKind, addend: i64, in_place: Option<i64>) -> Reloc {
        let referent = match kind {
            RelocKind::Absolute32 | RelocKind::Absolute64 => Referent::Any,
            RelocKind::LineOffset32 => Referent::LineTable,
            RelocKind::Code64 | RelocKind::Code32 => Referent::Code,
            RelocKind::Generic64 => Referent::ConstantBank,
            RelocKind::UnusedClear64 => Referent::FunctionSize,
        };
        let new = Reloc::new(offset, kind.width() as u8, SymbolId(7), addend);
        Reloc { in_place, referent, ..new }
    }

    #[test]
    fn kinds_follow_from_width_and_referent() {
        for (kind, ..) in KINDS {
            assert_eq!(RelocKind::of(&reloc(0, kind, 0, None)), kind);
        }
        for referent in [Referent::ConstantBank, Referent::FunctionSize] {
            let narrow = Reloc { referent, ..Reloc::new(0, 4, SymbolId(7), 0) };
            assert_eq!(RelocKind::of(&narrow), RelocKind::Absolute32);
        }
    }

    /// Offsets of the entries in `.rel` and in `.rela`.
    fn filed(name: &str, sm: u32, relocs: &[Reloc]) -> (Vec<u64>, Vec<u64>) {
        let filed = split_relocations(
            name,
            Release::V13_0.target(sm),
            Space::Native,
            relocs.to_vec(),
            &mut [0xee; 64],
        )
        .unwrap();
        assert!(filed.rel.iter().all(|entry| entry.addend.is_none()));
        assert!(filed.rela.iter().all(|entry| entry.addend.is_some()));
        let offsets = |all: &[Relocation]| all.iter().map(|entry| entry.offset).collect();
        (offsets(&filed.rel), offsets(&filed.rela))
    }

    // docs/formats/relocations.md, REL and RELA.
    #[test]
    fn legacy_files_by_section_and_new_ones_are_rela_only() {
        let base = reloc(4, RelocKind::Absolute32, 0, Some(0));
        let sequences =
            [reloc(16, RelocKind::Absolute64, 0, Some(0)), reloc(32, RelocKind::Absolute64, 0, Some(0))];
        let line = [base, sequences[0], sequences[1]];
        assert_eq!(filed(".debug_line", 75, &line), (vec![32, 16], vec![4]));
        assert_eq!(filed(".debug_line", 90, &line), (vec![], vec![4, 16, 32]));
        assert_eq!(filed(".nv_debug_line_sass", 90, &sequences), (vec![], vec![16, 32]));
        assert_eq!(filed(".debug_info", 89, &sequences), (vec![], vec![32, 16]));
        assert_eq!(filed(".debug_info", 90, &sequences), (vec![], vec![32, 16]));
        let undefined = reloc(40, RelocKind::Absolute64, 0, None);
        let list = [sequences[0], undefined];
        assert_eq!(filed(".debug_loc", 86, &list), (vec![16], vec![40]));
        // docs/formats/relocations.md, REL and RELA: the first CIE pointer has addend 0 and stays
        // in `.rel`; the others and the ranges do not. The order is kept.
        let frame = [
            reloc(20, RelocKind::Absolute64, 0, Some(0)),
            reloc(12, RelocKind::Absolute64, 0, None),
            reloc(52, RelocKind::Absolute64, 0x30, None),
            reloc(28, RelocKind::UnusedClear64, 0, None),
        ];
        assert_eq!(filed(".debug_frame", 80, &frame), (vec![20, 12], vec![52, 28]));
        assert_eq!(filed(".debug_frame", 90, &frame), (vec![], vec![20, 12, 52, 28]));
    }

    // docs/formats/relocations.md, order of entries.
    #[test]
    fn mercury_entries_are_rela_and_descend() {
        let relocs = [(4, RelocKind::LineOffset32), (16, RelocKind::Code64), (40, RelocKind::Absolute64)];
        let relocs = relocs.map(|(offset, kind)| reloc(offset, kind, 3, None));
        for name in [".debug_line", ".nv_debug_line_sass", ".debug_info"] {
            let filed = split_relocations(
                name,
                Release::V13_0.target(100),
                Space::Mercury,
                relocs.to_vec(),
                &mut [0; 64],
            )
            .unwrap();
            let entries: Vec<_> = filed.rela.iter().map(|entry| (entry.offset, entry.r_type)).collect();
            assert_eq!(entries, [(40, 0x1_0002), (16, 0x1_003d), (4, 0x1_0008)], "{name}");
            assert_eq!(filed.rel, []);
        }
    }

    #[test]
    fn fields_hold_what_ptxas_leaves_there() {
        let mut bytes = [0xee; 32];
        let relocs = [
            reloc(0, RelocKind::Absolute64, 5, Some(0x1234)),
            reloc(8, RelocKind::Absolute32, 5, None),
            reloc(16, RelocKind::UnusedClear64, 0, None),
        ];
        split_relocations(
            ".debug_info",
            Release::V13_0.target(90),
            Space::Native,
            relocs.to_vec(),
            &mut bytes,
        )
        .unwrap();
        assert_eq!(bytes[..8], 0x1234_u64.to_le_bytes());
        assert_eq!(bytes[8..12], [0; 4]);
        assert_eq!(bytes[12..], [0xee; 20]);
    }

    #[test]
    fn errors_name_the_section_also_an_unknown_one() {
        let outside = reloc(30, RelocKind::Absolute64, 0, None);
        for name in [".debug_loc", ".foo"] {
            let error = split_relocations(
                name,
                Release::V13_0.target(75),
                Space::Native,
                vec![outside],
                &mut [0; 32],
            )
            .unwrap_err();
            assert_eq!((error.section(), error.offset()), (name, 30));
            assert!(matches!(error.kind(), ErrorKind::Index { index: 30, count: 32, .. }), "{error}");
        }
    }
}
