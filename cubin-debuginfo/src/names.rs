//! Lookup of functions by the names that people use: mangled, demangled, as other tools spell them,
//! or in part.

mod canonical;
mod demangle;
mod function_names;
mod name;
mod spellings;

pub use canonical::CanonicalName;
pub use demangle::{demangle, demangle_type};
pub(crate) use function_names::joined_names;
pub use function_names::{FunctionNames, NameError};
pub use name::Name;
pub(crate) use spellings::{NameMatch, Spellings, is_mangled};
