//! The function that a cubin's paths go through.

/// A function that maps a path: it returns the new path, or `None` for a path that stays.
pub type PathMapper<'m> = &'m dyn Fn(&[u8]) -> Option<Vec<u8>>;
