//! A section as the plan of its clone sees it.

use nv_debug_sections::cubin::Cubin;

/// The name, type and flags of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionView<'a> {
    /// The name of the section, with its leading dot.
    pub name: &'a str,
    /// The section type, `sh_type`.
    pub sh_type: u32,
    /// The section flags, `sh_flags`.
    pub flags: u64,
}

impl<'a> SectionView<'a> {
    /// Lists the sections of a cubin in file order, without the null section: section `i` of the
    /// file is element `i - 1`.
    pub fn all(cubin: &'a Cubin<'_>) -> Vec<Self> {
        let view = |name, sh_type, flags| SectionView { name, sh_type, flags };
        cubin.iter().map(|(_, name, section)| view(name, section.sh_type, section.flags)).collect()
    }
}
