//! The build ID of a cubin, by which its side file is found.

use std::fmt;

use sha2::{Digest, Sha256};

use super::Cubin;
use crate::error::Result;

/// A number that is the same for a cubin and for what [`Cubin::strip`] leaves of it, whatever is
/// kept. [`Display`](fmt::Display) writes 40 hexadecimal digits.
///
/// Cubins have no `.note.gnu.build-id`, so the number is computed. It is the first 20 bytes of a
/// SHA-256 over what `strip` leaves if it keeps nothing: first `e_flags` (32 bits, little-endian),
/// which has the SM; then of each section but the null one the name, a NUL, `sh_size` (64 bits) and
/// the bytes. A section without bytes in the file has none, and one that shares the bytes of
/// another has the index of that one (32 bits) in their place. Symbol tables and Mercury capsules
/// count as they are in the stripped file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuildId(pub [u8; 20]);

impl BuildId {
    /// The name of the side file of the cubin with this build ID: the digits, and `.debug`.
    pub fn side_file_name(&self) -> String {
        format!("{self}.debug")
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Cubin<'_> {
    /// Computes the build ID of the cubin. A side file has another one than its cubin, since it
    /// lacks the code.
    ///
    /// # Errors
    ///
    /// Those of [`remove_debug_sections`](Self::remove_debug_sections).
    pub fn build_id(&self) -> Result<BuildId> {
        let bare = self.without_debug_sections()?;
        let mut hash = Sha256::new();
        hash.update(bare.header.e_flags.to_le_bytes());
        for (index, name, section) in bare.iter() {
            hash.update(name.as_bytes());
            hash.update([0]);
            hash.update(bare.size_of(section).to_le_bytes());
            hash.update(&bare.own_bytes(index)?);
        }
        let mut id = [0; 20];
        for (byte, hashed) in id.iter_mut().zip(hash.finalize()) {
            *byte = hashed;
        }
        Ok(BuildId(id))
    }
}
