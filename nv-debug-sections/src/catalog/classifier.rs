//! The lists of section names by which NVIDIA's tools are documented to classify sections.

/// A list of section names that the documentation gives to one of NVIDIA's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Classifier {
    /// Seed 001, "SASS Classifier" (ptxas): 10 native names.
    Sass,
    /// Seed 001, "Unified Classifier" (ptxas): the standard names of [`Sass`](Self::Sass) and three
    /// "additional NVIDIA extensions".
    Unified,
    /// Seed 003, "Standard Debug Classifier" (nvlink): 15 native names.
    Standard,
    /// Seed 001, "Mercury Classifier" (ptxas), and seed 003, "Mercury Debug Classifier" (nvlink):
    /// the names of [`Standard`](Self::Standard) with `.nv.merc` before them. Seed 001 counts them,
    /// but names only nine "and additional variants"; seed 003 names all.
    Mercury,
}
