#![doc = include_str!("../README.md")]

mod address_map;
pub mod capsule;
mod capsule_code;
pub mod clone;
mod code_map;
pub mod finalise;
pub mod frame;
mod imnmx;
mod imnmx_rows;
pub mod info;
mod limits;
mod line_changes;
mod line_table_kind;
mod plan;
mod policy;
mod presence;
mod recover;
pub mod registers;
pub mod relocations;
pub mod self_check;
mod spaces;
pub mod streams;
pub mod symtab;
mod translation;

pub use address_map::{AddressMap, Conflict, Place};
pub use clone::{MercuryValues, clone_section};
pub use code_map::{CodeMap, FunctionMap};
pub use imnmx::{Imnmx, imnmx_instructions};
pub use line_changes::LineChanges;
pub use plan::{Action, CapsulePlan, Exception, PlanError, PlannedClone, SectionView, plan};
pub use policy::{Content, Extent, RULES, Rule, Storage, is_mercury, merc_name, native_name, rule};
pub use presence::Presence;
pub use recover::{code_maps, identity_maps};
pub use spaces::Spaces;
pub use translation::{Reference, Translation, Untranslatable};
