#![doc = include_str!("../README.md")]

pub mod entries;
pub mod verify;
