//! Relocations of debug sections: types, and the REL or RELA section ptxas files each under.
//!
//! FORMATS 4 and 5; observed: ptxas 13.0.88, sm_75-sm_121.

use crate::catalog::SectionKind;
use crate::cubin::{Relocation, SymbolIndex};
use crate::{Error, ErrorKind, Result};

/// The relocation types that occur in native debug sections (`R_CUDA_*`, ELF type numbers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum RelocKind {
    /// `R_CUDA_32`: section offset, 4 bytes.
    Absolute32 = 1,
    /// `R_CUDA_64`: address, 8 bytes.
    Absolute64 = 2,
    /// `R_CUDA_G64`: address of a constant bank variable, 8 bytes.
    Generic64 = 4,
    /// `R_CUDA_UNUSED_CLEAR64`: 8 bytes to clear when the function is dropped.
    UnusedClear64 = 0x49,
}

impl RelocKind {
    /// Field width in bytes.
    pub fn width(self) -> usize {
        if self == Self::Absolute32 { 4 } else { 8 }
    }
}

/// A relocation before it is filed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebugReloc {
    /// Byte offset of the field in the section.
    pub offset: u64,
    /// Type and width.
    pub kind: RelocKind,
    /// What the value is relative to.
    pub symbol: SymbolIndex,
    /// Added to the symbol's value.
    pub addend: i64,
    /// What stands in the field: the addend of a REL entry, or what ptxas leaves under a RELA entry, where readers must ignore it.
    /// `None`: nothing of use, 0 is written.
    pub in_place: Option<i64>,
}

/// The entries of a debug section's `.rel` and `.rela` sections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filed {
    /// Entries whose addend is in the field.
    pub rel: Vec<Relocation>,
    /// Entries that carry their addend.
    pub rela: Vec<Relocation>,
}

/// First SM whose debug relocations are all RELA.
const FIRST_RELA_ONLY_SM: u32 = 90;

/// Orders relocations as ptxas does, files each under REL or RELA, and writes the fields of `bytes`.
///
/// `kind` is `None` for sections this crate does not know. `.debug_frame` keeps the order given, since it depends on the code
/// sections; see [`frame`](crate::frame).
///
/// # Errors
///
/// [`ErrorKind::Index`] when a field lies outside `bytes`.
pub fn file(
    kind: Option<SectionKind>,
    sm: u32,
    mut relocs: Vec<DebugReloc>,
    bytes: &mut [u8],
) -> Result<Filed> {
    let rela_only = sm >= FIRST_RELA_ONLY_SM;
    match kind {
        Some(SectionKind::DebugFrame) => {}
        Some(SectionKind::DebugLine | SectionKind::NvDebugLineSass) if rela_only => {
            relocs.sort_by_key(|reloc| reloc.offset);
        }
        _ => relocs.sort_by_key(|reloc| std::cmp::Reverse(reloc.offset)),
    }
    let mut filed = Filed::default();
    for reloc in relocs {
        let rel = !rela_only && is_rel(kind, &reloc);
        write_field(kind, bytes, &reloc)?;
        let entry = Relocation {
            offset: reloc.offset,
            r_type: reloc.kind as u32,
            symbol: reloc.symbol,
            addend: (!rel).then_some(reloc.addend),
        };
        if rel { filed.rel.push(entry) } else { filed.rela.push(entry) }
    }
    Ok(filed)
}

/// Whether a legacy (sm_75-sm_89) entry goes to the `.rel` section.
fn is_rel(kind: Option<SectionKind>, reloc: &DebugReloc) -> bool {
    match kind {
        Some(SectionKind::DebugInfo) => false,
        // The `.debug_str` base is the odd one out.
        Some(SectionKind::DebugLine) => reloc.kind == RelocKind::Absolute64,
        // CIE pointers carry an addend unless it is 0; ranges are cleared, not computed.
        Some(SectionKind::DebugFrame) => {
            reloc.kind == RelocKind::Absolute64 && (reloc.in_place.is_some() || reloc.addend == 0)
        }
        // Code addresses are in the field; variables, sections and undefined labels have nothing there.
        _ => reloc.in_place.is_some(),
    }
}

fn write_field(kind: Option<SectionKind>, bytes: &mut [u8], reloc: &DebugReloc) -> Result<()> {
    if reloc.kind == RelocKind::UnusedClear64 {
        return Ok(()); // the field keeps its own value
    }
    let name = kind.map_or("debug section", SectionKind::name);
    let size = bytes.len() as u64;
    let field = usize::try_from(reloc.offset)
        .ok()
        .and_then(|start| bytes.get_mut(start..)?.get_mut(..reloc.kind.width()))
        .ok_or_else(|| {
            let kind = ErrorKind::Index { what: "the byte at offset", index: reloc.offset, count: size };
            Error::new(name, reloc.offset, kind)
        })?;
    let value = reloc.in_place.unwrap_or(0);
    field.copy_from_slice(&value.to_le_bytes()[..field.len()]);
    Ok(())
}
