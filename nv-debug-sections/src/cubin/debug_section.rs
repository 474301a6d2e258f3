//! A debug section that is put into a cubin.

use super::Relocation;

/// A debug section with its relocations, ready to be put into a cubin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugSection {
    /// The name of the section: `.debug_*`, `.nv_debug_*`, or another name that PTX can give a
    /// section, which is a dot and a word, such as `.foo`.
    pub name: String,
    /// The bytes of the section. Fields with a `.rel` relocation hold its addend.
    pub bytes: Vec<u8>,
    /// The relocations without addend, in file order, which become the section `.rel` + name. If
    /// empty, there is no such section.
    pub rel: Vec<Relocation>,
    /// The relocations with addend, in file order, which become the section `.rela` + name. If
    /// empty, there is no such section.
    pub rela: Vec<Relocation>,
}
