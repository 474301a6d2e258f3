//! Hashes of texts.

use std::hash::RandomState;

/// Hashes texts. Cubins that are compared with each other need the same hasher, since each new
/// hasher has its own random keys.
#[derive(Debug, Clone, Default)]
pub struct TextHasher(pub(super) RandomState);
