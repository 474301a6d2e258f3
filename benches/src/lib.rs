//! Inputs of the benches (`cargo bench -p nvdwarf-benches`) and the encoders to compare with. What is compared must yield
//! the same rows: the tests here and the benches themselves assert it, by gimli's reader.

pub mod die_tree;
pub mod die_tree_read;
pub mod encoders;
pub mod leb128;
pub mod lookup;
pub mod merc;
pub mod ptx;
pub mod rows;
