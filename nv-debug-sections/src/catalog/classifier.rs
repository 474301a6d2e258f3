//! The lists of section names by which NVIDIA's tools are documented to classify sections.

/// A list of section names that the documentation gives to one of NVIDIA's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Classifier {
    /// The "SASS Classifier" of ptxas in seed 001: 10 native names.
    Sass,
    /// The "Unified Classifier" of ptxas in seed 001: the standard names of [`Sass`](Self::Sass)
    /// and three "additional NVIDIA extensions".
    Unified,
    /// The "Standard Debug Classifier" of nvlink in seed 003: 15 native names.
    Standard,
    /// The "Mercury Classifier" of ptxas in seed 001, and the "Mercury Debug Classifier" of nvlink
    /// in seed 003: the names of [`Standard`](Self::Standard) with `.nv.merc` before them. Seed 001
    /// names only nine of them "and additional variants"; seed 003 names all.
    Mercury,
}
