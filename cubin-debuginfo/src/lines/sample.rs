//! One row of a profile: an address, and how often it was hit.

/// A row of a profile: an address, and the number of samples that hit it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The name of a function, or that of a code section; empty where only
    /// [`section`](Self::section) is known.
    pub function: String,
    /// The name of the code section, instead of a function or to tell apart two functions of one
    /// name; otherwise empty.
    pub section: String,
    /// Byte offset of the sampled address in the function, or in the section if no function is
    /// named.
    pub offset: u64,
    /// The number of samples that hit the address.
    pub count: u64,
}
