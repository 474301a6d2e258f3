#![doc = include_str!("../README.md")]

mod policy;

pub use policy::{Content, Extent, RULES, Rule, Storage, is_mercury, merc_name, native_name, rule};
