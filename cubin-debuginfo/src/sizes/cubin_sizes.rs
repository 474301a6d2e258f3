//! The bytes of one cubin.

use super::SectionGroup;
use nv_debug_sections::catalog::CODE_PREFIX;
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex};
use nv_debug_sections::{Result, arch::Arch};

/// The sizes of the parts of one cubin. They add up to the size of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CubinSizes {
    /// The architecture of the code, such as sm_90a.
    pub arch: Arch,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The parts, in file order, the headers last.
    pub parts: Vec<SizedPart>,
}

/// A section of a cubin, or its headers: how many bytes of the file it takes, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizedPart {
    /// The function that the section belongs to, by its symbol. `None` for sections of the whole
    /// file.
    pub function: Option<String>,
    /// The group of the section.
    pub group: SectionGroup,
    /// The bytes in the file. A section that shares its bytes with an earlier one has none.
    pub bytes: u64,
}

impl CubinSizes {
    /// Measures a cubin; `file_size` is the size of its file in bytes.
    ///
    /// # Errors
    ///
    /// A table of the cubin cannot be encoded.
    pub fn of(cubin: &Cubin<'_>, file_size: u64) -> Result<Self> {
        let mut parts = Vec::with_capacity(cubin.sections.len());
        let mut left = file_size;
        for (index, name, section) in cubin.iter() {
            let bytes = match section.contents {
                Contents::Alias(_) | Contents::NoBits(_) => 0,
                _ => cubin.bytes(index)?.len() as u64,
            };
            left = left.saturating_sub(bytes);
            let function = function_of(cubin, index).map(str::to_owned);
            parts.push(SizedPart { function, group: SectionGroup::of(name, section), bytes });
        }
        parts.push(SizedPart { function: None, group: SectionGroup::Headers, bytes: left });
        Ok(Self { arch: cubin.arch(), bytes: file_size, parts })
    }
}

/// The function whose section this is: that of a code section, or of the code section that
/// `sh_info` leads to, through a relocation section if need be.
fn function_of<'c>(cubin: &'c Cubin<'_>, index: SectionIndex) -> Option<&'c str> {
    let mut index = index;
    for _ in 0..2 {
        let name = cubin.section_name(index);
        let name = name.strip_prefix(".nv.capmerc").unwrap_or(name);
        if let Some(function) = name.strip_prefix(CODE_PREFIX) {
            return Some(function);
        }
        // `.nv.info.F` has the index without the flag.
        let section = cubin.section(index).ok()?;
        index = SectionIndex(section.info);
        if section.info == 0 {
            return None;
        }
    }
    cubin.section_name(index).strip_prefix(CODE_PREFIX)
}
