#![doc = include_str!("../README.md")]

mod address_map;
mod address_translator;
mod capsule_code;
pub mod clone_cubin;
mod clone_policy;
pub mod clone_section;
mod clone_status;
mod code_difference;
mod code_map;
mod code_map_recovery;
pub mod finalise;
pub mod frame;
mod imnmx;
mod imnmx_rows;
pub mod info_records;
mod limits;
mod line_changes;
mod line_table_kind;
pub mod loc_streams;
mod plan;
mod range_order;
pub mod register_maps;
pub mod relocations;
mod section_pairs;
mod section_view;
pub mod self_check;
pub mod symtab;

pub use address_map::{AddressMap, AddressRole, Conflict};
pub use address_translator::{AddressTranslator, SymbolAndAddend, Untranslatable};
pub use clone_policy::{
    CLONE_POLICIES, CloneContent, CloneException, ClonePolicy, CloneStorage, NameMatch, clone_policy,
    is_mercury, merc_name, native_name,
};
pub use clone_section::{MercuryContents, clone_section};
pub use clone_status::{CloneRow, CloneStatus};
pub use code_difference::code_difference;
pub use code_map::{CodeMap, CodeSizes, FunctionMap};
pub use code_map_recovery::{code_maps, identity_maps};
pub use imnmx::{Imnmx, imnmx_instructions};
pub use line_changes::LineChanges;
pub use plan::{CapsulePlan, CloneAction, PlanError, PlannedClone, plan};
pub use section_pairs::SectionPairs;
pub use section_view::SectionView;
