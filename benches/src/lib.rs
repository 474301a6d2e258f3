//! The inputs of the benches (`cargo bench -p nvdwarf-benches`) and the encoders to compare. All
//! must give the same rows: the tests and the benches themselves assert it, with gimli's reader.

pub mod die_tree;
pub mod die_tree_read;
pub mod encoders;
pub mod leb128;
pub mod lookup;
pub mod merc;
pub mod ptx;
pub mod rows;
