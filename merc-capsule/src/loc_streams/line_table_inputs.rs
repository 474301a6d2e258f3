//! What Mercury clones of line tables are built from.

use super::{LocStreams, from_line_table};
use crate::address_translator::AddressTranslator;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;

/// The `.loc` data from which the Mercury clones of line tables are built.
#[derive(Debug, Clone, Default)]
pub struct LineTableInputs<'l> {
    /// The `.loc` data for `.debug_line`: source lines.
    pub source: LocStreams<'l>,
    /// The `.loc` data for `.nv_debug_line_sass`: PTX lines.
    pub ptx: LocStreams<'l>,
    /// The `.loc_intermediate` data for `.nv.tileir.debug_line`.
    pub intermediate: LocStreams<'l>,
}

impl LineTableInputs<'static> {
    /// Recovers the `.loc` data from the line tables of a cubin: the PTX lines from the Mercury
    /// clone of their table if there is one, the source lines from the native table, so that a
    /// clone is not built from itself.
    ///
    /// # Errors
    ///
    /// As [`from_line_table`].
    pub fn of_tables(cubin: &Cubin<'_>, translator: AddressTranslator<'_>) -> Result<Self> {
        let streams = |kind: SectionKind| {
            let native = cubin.section_by_name(kind.name());
            let clone = native.and_then(|native| translator.section_pairs().mercury_section(native));
            let table = if kind == SectionKind::NvDebugLineSass { clone.or(native) } else { native };
            table.map_or(Ok(LocStreams::new()), |table| from_line_table(cubin, table, translator))
        };
        let (source, ptx) = (streams(SectionKind::DebugLine)?, streams(SectionKind::NvDebugLineSass)?);
        Ok(Self { source, ptx, intermediate: streams(SectionKind::TileirDebugLine)? })
    }
}
