#![doc = include_str!("../README.md")]

pub mod coverage;
pub mod entries;
pub mod expression;
mod lists;
mod stretches;
pub mod variables;
pub mod verify;
