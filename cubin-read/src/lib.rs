#![doc = include_str!("../README.md")]

mod code_ranges;
pub mod coverage;
pub mod entries;
pub mod expression;
mod lists;
mod numbers;
pub mod variables;
pub mod verify;
