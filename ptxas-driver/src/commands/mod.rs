//! The commands, one file for each.

pub mod check;
pub mod compile;
pub mod completions;
pub mod coverage;
pub mod debugify;
pub mod diff;
pub mod dump;
pub mod extract;
mod findings;
pub mod install_ptxas;
pub mod ir;
pub mod lines;
pub mod man;
pub mod merc;
pub mod print;
mod read;
pub mod schema;
pub mod sections;
pub mod sizes;
pub mod strip;
pub mod unstrip;
pub mod vars;
pub mod verify;
mod written_file;
