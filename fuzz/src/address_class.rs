//! `DW_AT_address_class`: number -> class -> number; state space -> class -> state space.

use crate::support::uleb;
use nv_debug_sections::address_class::AddressClass;

/// Takes `data` for the attribute's value, and for a state space's name.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    if let Some(value) = uleb(data).1 {
        let class = AddressClass::of_value(value);
        assert!(class.is_none_or(|class| u64::from(class.value()) == value && !class.name().is_empty()));
    }
    if let Some(class) = std::str::from_utf8(data).ok().and_then(AddressClass::of_state_space) {
        assert_eq!(class.state_space().map(str::as_bytes), Some(data));
    }
}
