//! Queries for code addresses in several images at once, such as all cubins of a program: which
//! image has the function that a query names, and what its line tables say.
//!
//! An [`ImageSet`] knows the names of the functions of each image. The line tables of an image are
//! asked for only when a query needs them, so that a program that keeps a symbolizer open pays for
//! what it asks. [`SymbolizerRequest`] reads the lines that clients of llvm-symbolizer send, and
//! [`LoadedFunctions`] finds functions by their addresses at run time.

mod arch_choice;
mod function_index;
mod image_error;
mod image_set;
mod load_csv;
mod loaded_functions;
mod symbolizer_request;

pub use image_error::ImageError;
pub use image_set::{FileNumber, ImageAnswer, ImageFacts, ImageNumber, ImageQuery, ImageSet};
pub use load_csv::{FunctionLoad, LoadRowError, NoLoadHeader, function_loads};
pub use loaded_functions::{FunctionInImage, LoadError, LoadedFunction, LoadedFunctions};
pub use symbolizer_request::{RequestError, RequestKind, SymbolizerRequest};
