//! The lists of section names by which NVIDIA's tools are documented to classify sections.

/// A list of section names that the documentation gives to one of NVIDIA's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Classifier {
    /// The list "SASS Classifier" in the documentation of ptxas (seed 001): 10 native section
    /// names.
    Sass,
    /// The list "Unified Classifier" in the documentation of ptxas (seed 001): the standard names
    /// of [`Sass`](Self::Sass) and three "additional NVIDIA extensions".
    Unified,
    /// The list "Standard Debug Classifier" in the documentation of nvlink (seed 003): 15 native
    /// section names.
    Standard,
    /// The lists "Mercury Classifier" in the documentation of ptxas (seed 001) and "Mercury Debug
    /// Classifier" in that of nvlink (seed 003): the names of [`Standard`](Self::Standard) with
    /// `.nv.merc` before them. Seed 001 names only nine of them "and additional variants"; seed 003
    /// names all.
    Mercury,
}
