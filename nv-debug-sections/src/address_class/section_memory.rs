//! The memory that holds a section.

use super::AddressClass;

/// Names of data sections, and the memory that each is in. A function's name may follow, after a
/// dot.
pub(super) const SECTIONS: [(&str, AddressClass); 6] = [
    (".nv.global", AddressClass::Global),
    (".nv.global.init", AddressClass::Global),
    (".nv.shared", AddressClass::Shared),
    (".nv_debug.shared", AddressClass::Shared),
    (".nv.local", AddressClass::Local),
    (".text", AddressClass::Code),
];

/// Returns the memory that holds a section of a cubin, given the section's name; `None` for
/// sections that do not hold variables or code.
///
/// A function's own constant bank (`.nv.constant0.F`) has its parameters; the other banks have
/// constants.
pub fn memory_of_section(name: &str) -> Option<AddressClass> {
    if let Some(bank) = constant_bank(name) {
        let is_own = bank == 0 && name.starts_with(".nv.constant0.");
        return Some(if is_own { AddressClass::Parameter } else { AddressClass::Constant });
    }
    let is_named = |base: &str| {
        let rest = name.strip_prefix(base);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    SECTIONS.iter().find(|(base, _)| is_named(base)).map(|(_, memory)| *memory)
}

/// Returns the number of the constant bank that a section fills, given the section's name: 0 for
/// `.nv.constant0.F`, 3 for `.nv.constant3`.
pub fn constant_bank(name: &str) -> Option<u32> {
    name.strip_prefix(".nv.constant")?.split('.').next()?.parse().ok()
}
