#![doc = include_str!("../README.md")]

pub mod entries;
pub mod expression;
pub mod variables;
