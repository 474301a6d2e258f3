//! What differs between the releases of NVIDIA's CUDA toolkit, as tables: the chips that each
//! compiles for, the versions of PTX that it takes, and the habits by which its files differ.
//!
//! A [`Release`] is a row of one table, an [`Arch`] one of another. A [`Target`] is a release and a
//! chip, which together decide by which rules a cubin is made.
//!
//! ```
//! use cuda_releases::{Generation, Release};
//!
//! let release = Release::of_version("12.9.86").unwrap();
//! assert_eq!(release.newest_ptx(), (8, 8));
//! assert_eq!(release.generation(120), Generation::Mercury);
//! assert!(release < Release::V13_0);
//! ```

pub mod arch;
pub mod generation;
pub mod release;

pub use arch::Arch;
pub use generation::Generation;
pub use release::{Release, Target};
