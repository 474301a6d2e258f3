#![doc = include_str!("../README.md")]

pub mod address_class;
pub mod address_space;
pub mod catalog;
pub mod code;
pub mod container;
pub mod cubin;
mod cuda_elf;
pub mod cupti;
pub mod cursor;
pub mod error;
pub mod file_table;
pub mod frame;
pub mod intermediate_text;
pub mod level;
mod limits;
pub mod line;
pub mod line_table;
pub mod local_depot;
pub mod nv_info;
pub mod ptx_txt;
pub mod reg_sass;
pub mod reg_type;
pub mod register;
pub mod reloc;
pub mod relocated;
pub mod shared_window;
pub mod stack_frame;
pub mod tkinfo;

pub use cuda_releases::{arch, generation, release};
pub use error::{Error, ErrorKind, Result};
