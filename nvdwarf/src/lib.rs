#![doc = include_str!("../README.md")]

#[cfg(feature = "compile")]
pub use nvdwarf_compile::{CodeImage, CompileError, Compiled, Options, arch::Arch, compile};

#[cfg(feature = "compile")]
pub use nvdwarf_compile as compiler;

#[cfg(feature = "read")]
mod cells;
#[cfg(feature = "read")]
mod cupti;
#[cfg(feature = "read")]
mod error;
mod frame;
#[cfg(feature = "read")]
mod function;
#[cfg(feature = "read")]
mod image;
#[cfg(feature = "read")]
mod location;
#[cfg(feature = "read")]
mod module;
mod ptx_line;
mod source_line;
#[cfg(feature = "read")]
mod variable;

#[cfg(feature = "read")]
pub use cubin_debuginfo as debuginfo;
#[cfg(feature = "read")]
pub use cupti::CuptiIndex;
#[cfg(feature = "read")]
pub use error::Error;
#[cfg(feature = "read")]
pub use frame::Frame;
#[cfg(feature = "read")]
pub use function::Function;
#[cfg(feature = "read")]
pub use image::Image;
pub use location::Location;
#[cfg(feature = "read")]
pub use module::Module;
#[cfg(feature = "read")]
pub use nv_debug_sections as sections;
pub use ptx_line::PtxLine;
pub use source_line::SourceLine;
#[cfg(feature = "read")]
pub use variable::Variable;
