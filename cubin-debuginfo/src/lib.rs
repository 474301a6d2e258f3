#![doc = include_str!("../README.md")]

mod code_ranges;
pub mod coverage;
pub mod diff;
pub mod dump;
pub mod entries;
pub mod expression;
mod limits;
pub mod lines;
mod lists;
pub mod names;
pub mod query;
pub mod symbolize;
mod unrelocated_addresses;
pub mod variables;
pub mod verify;
