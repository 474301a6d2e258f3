//! The catalog of debug sections by name: what each holds, which tool writes it, and what its
//! header says.
//!
//! One table, [`CATALOG`], with a row for every section, clones and relocation sections included;
//! everything else about them is derived from it: [`SectionName`] takes a name apart and finds its
//! row, [`classify`] has the classifiers that NVIDIA's tools are documented to have,
//! [`SectionHeaderFields`] the header fields, [`CatalogEntry::rank`] the order in a file.
//! docs/formats/container.md, which debug sections a file has; docs/formats/capsule.md, sections.
//! Observed: ptxas and nvlink 13.0.88, sm_75-sm_121: 679 cubins, 1152 runs, and probes with every
//! section that a PTX can bring (`tests/catalog.rs`).
//!
//! ```
//! use nv_debug_sections::{catalog::{SectionName, SectionOrigin}, release::Release};
//! let row = SectionName::parse(".rela.nv_debug_line_sass").entry().unwrap();
//! assert_eq!((row.header.sh_type, row.header.flags, row.header.align), (4, 0x40, 8)); // SHT_RELA, SHF_INFO_LINK
//! assert_eq!((row.sms(Release::V13_0), row.origin), (90..=121, SectionOrigin::Assembler));
//! ```

mod catalog_entry;
pub mod classify;
mod debug_section;
mod header_fields;
mod name;
mod reloc_form;
mod section_kind;
mod space;
mod table;
#[cfg(test)]
mod tests;

pub use catalog_entry::{CatalogEntry, LinkerAction, NameMatch, SectionOrigin};
pub use debug_section::is_debug_section;
pub use header_fields::{SectionHeaderFields, SectionLinks};
pub use name::{CODE_PREFIX, MERCURY_PREFIX, MERCURY_RELA_PREFIX, SectionName};
pub use reloc_form::RelocForm;
pub use section_kind::SectionKind;
pub use space::Space;
pub use table::CATALOG;

/// The rows of native contents, which come first.
fn native_rows() -> impl Iterator<Item = &'static CatalogEntry> {
    CATALOG.iter().take_while(|row| row.is_native())
}
