#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod error;
pub mod model;
pub mod text;

pub use error::Error;
pub use model::Model;
pub use text::{Dialect, PtxWriter};
