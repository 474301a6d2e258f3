//! Chooses the decoder of a section.

use super::contents::{Contents, Decoded};
use super::dump_source::DumpSource;
use super::open_section::OpenSection;
use super::section::Section;
use super::unclaimed_bytes::ShownUnclaimed;
use super::{
    frames, info, line_programs, location_and_range_lists, lookup_tables, macinfo, nv_info, ptx_txt,
    registers, shared_window, strings,
};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{SectionIndex, sht};
use std::borrow::Cow;

impl<'c> DumpSource<'c, '_> {
    /// Decodes a section up to its first fault. All of the section is read once; items are read
    /// again when they are asked for.
    pub fn decode<'s>(&'s self, opened: &'s OpenSection<'c>) -> Section<'s> {
        let (index, name) = (opened.index, opened.name.to_owned());
        let size = self.cubin.section(index).map_or(0, |section| self.cubin.size_of(section));
        let (decoded, error) = match self.contents(opened) {
            Ok(decoded) => (decoded, None),
            Err(error) => (self.bytes(index).into(), Some(error)),
        };
        let Decoded { contents, functions } = decoded;
        let rest = if self.filter.is_some() { ShownUnclaimed::None } else { ShownUnclaimed::All };
        Section { index: index.0, name, size, error, contents, rest, functions }
    }

    fn bytes(&self, index: SectionIndex) -> Contents<'_> {
        Contents::Bytes(self.cubin.bytes(index).unwrap_or_default())
    }

    fn contents<'s>(&'s self, opened: &'s OpenSection<'c>) -> Result<Decoded<'s>> {
        let (index, name) = (opened.index, opened.name);
        if matches!(self.cubin.section(index)?.sh_type, sht::CUDA_INFO | sht::MERC_INFO) {
            return nv_info::records(self, opened.view()?);
        }
        if !SectionName::parse(name).is_debug_contents() {
            return Ok(self.bytes(index).into());
        }
        let view = opened.view()?;
        let contents = match SectionName::parse(name).contents_kind() {
            Some(kind) if kind.is_line_table() => line_programs::lines(self, opened)?,
            Some(SectionKind::NvDebugPtxTxt) => ptx_txt::lines(self, view)?,
            Some(SectionKind::TileirDebugTxt) => ptx_txt::intermediate_lines(view),
            Some(SectionKind::DebugStr) => strings::strings(view)?,
            Some(SectionKind::NvDebugInfoRegSass) => registers::registers(self, opened)?,
            Some(SectionKind::NvDebugInfoRegType) => registers::types(view)?,
            Some(SectionKind::DebugFrame) => frames::frames(self, view)?,
            Some(SectionKind::DebugAbbrev) => info::abbreviations(view)?,
            Some(SectionKind::DebugInfo) => info::info(self, opened)?,
            Some(SectionKind::DebugLoc) => location_and_range_lists::locations(self, view)?,
            Some(SectionKind::DebugRanges) => location_and_range_lists::ranges(self, view)?,
            Some(SectionKind::DebugAranges) => lookup_tables::addresses(self, view)?,
            Some(kind @ (SectionKind::DebugPubnames | SectionKind::DebugPubtypes)) => {
                lookup_tables::names(view, kind)?
            }
            Some(SectionKind::DebugMacinfo) => macinfo::macros(view)?,
            Some(SectionKind::NvDebugShared) => shared_window::variables(self.cubin, index)?,
            _ => Contents::Bytes(Cow::Borrowed(&view.data.bytes)),
        };
        Ok(contents.into())
    }
}
