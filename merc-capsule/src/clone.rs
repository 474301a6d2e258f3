//! Making clones of sections from what they say in Mercury space.

use crate::policy::{Storage, rule};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::MercurySection;
use nv_debug_sections::reloc::{self, DebugReloc, RelocKind};

/// What a section says in Mercury space.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MercuryValues {
    /// Its bytes, with 0 or what ptxas leaves there under relocations.
    pub bytes: Vec<u8>,
    /// Its relocations against symbols of `.nv.merc.symtab`, in the order in which [`reloc::file`] takes them.
    pub relocs: Vec<DebugReloc>,
}

/// Makes the clone of the section called `native`, whose own bytes are `original`, as the [policy](crate::RULES) has it.
///
/// ptxas takes the original's bytes for some clones whatever these should hold; with `must_hold` the clone then has bytes of its own
/// unless they are equal. `sm` is 100 for sm_100.
///
/// # Errors
///
/// A relocation lies outside the bytes.
pub fn clone_section(
    native: &str,
    values: MercuryValues,
    original: Option<&[u8]>,
    sm: u32,
    must_hold: bool,
) -> Result<MercurySection> {
    let MercuryValues { mut bytes, relocs } = values;
    let has_line_offset = relocs.iter().any(|reloc| reloc.kind == RelocKind::LineOffset32);
    let rela = reloc::file(native, sm, Space::Mercury, relocs, &mut bytes)?.rela;
    let is_equal = original.is_some_and(|original| original == bytes);
    let may_share = original.is_some() && (is_equal || !must_hold);
    let is_shared = match rule(native).map(|rule| rule.storage) {
        Some(Storage::Alias) => may_share,
        Some(Storage::AliasUnlessLineOffset) => !has_line_offset && may_share,
        Some(Storage::AliasIfEqual) => is_equal,
        Some(Storage::Own) | None => false,
    };
    Ok(MercurySection { native: native.to_owned(), bytes: (!is_shared).then_some(bytes), rela })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

    use super::*;
    use nv_debug_sections::cubin::SymbolIndex;

    fn relocs(kind: RelocKind) -> Vec<DebugReloc> {
        vec![DebugReloc { offset: 4, kind, symbol: SymbolIndex(3), addend: 7, in_place: None }]
    }

    /// Whether the clone lies in the original's bytes.
    fn is_shared(native: &str, bytes: &[u8], relocs: Vec<DebugReloc>, must_hold: bool) -> bool {
        let values = MercuryValues { bytes: bytes.to_vec(), relocs };
        clone_section(native, values, Some(&[0; 16]), 100, must_hold).unwrap().bytes.is_none()
    }

    #[test]
    fn bytes_are_shared_as_the_policy_says() {
        let (same, other) = ([0; 16], [9; 16]);
        let rows = [
            (".debug_loc", [true, true, false]),
            (".debug_info", [true, true, false]),
            (".debug_line", [true, false, false]),
            (".debug_types", [false, false, false]),
        ];
        for (native, want) in rows {
            let found = [
                is_shared(native, &same, Vec::new(), true),
                is_shared(native, &other, Vec::new(), false),
                is_shared(native, &other, Vec::new(), true),
            ];
            assert_eq!(found, want, "{native}");
        }
        assert!(!is_shared(".debug_info", &same, relocs(RelocKind::LineOffset32), false));
        assert!(is_shared(".debug_info", &same, relocs(RelocKind::Absolute32), false));
    }

    #[test]
    fn relocations_have_the_types_of_mercury() {
        let values = MercuryValues { bytes: vec![0; 16], relocs: relocs(RelocKind::Code64) };
        let clone = clone_section(".debug_loc", values.clone(), None, 120, false).unwrap();
        assert_eq!(clone.rela.iter().map(|entry| entry.r_type).collect::<Vec<_>>(), [0x1_003d]);
        assert_eq!(clone.bytes.map(|bytes| bytes.len()), Some(16), "there is nothing to share");
        let values = MercuryValues { bytes: vec![0; 8], ..values };
        assert!(
            clone_section(".debug_loc", values, None, 120, false).is_err(),
            "the field ends behind the bytes"
        );
    }
}
