//! Lookup of functions by the names that people use: mangled, demangled, as other tools spell them,
//! or in part.

mod canonical;
mod demangle;
mod function_names;
mod name;

pub use canonical::CanonicalName;
pub use demangle::{demangle, demangle_type};
pub use function_names::{FunctionNames, NameError};
pub use name::Name;
