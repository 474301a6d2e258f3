#![doc = include_str!("../README.md")]

pub mod address_query;
mod code_ranges;
pub mod coverage;
mod csv_records;
pub mod debugify;
pub mod diff;
pub mod dump;
pub mod entries;
mod error_text;
pub mod expression;
pub mod images;
mod limits;
pub mod lines;
mod loc_and_range_lists;
pub mod names;
pub mod sizes;
pub mod symbolize;
mod unrelocated_addresses;
pub mod variables;
pub mod verify;
