#![doc = include_str!("../README.md")]

mod address_map;
mod clone;
pub mod finalise;
pub mod info;
mod plan;
mod policy;
mod recover;
pub mod self_check;
pub mod symtab;

pub use address_map::{AddressMap, Conflict, Lines, Place};
pub use clone::{MercuryValues, clone_section};
pub use plan::{Action, CapsulePlan, Exception, PlanError, PlannedClone, SectionView, plan};
pub use policy::{Content, Extent, RULES, Rule, Storage, is_mercury, merc_name, native_name, rule};
pub use recover::{CodeMap, code_maps};
