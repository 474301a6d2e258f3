//! Fuzz target: a value of `DW_AT_address_class`, or the name of a state space. What has a class
//! comes back from it.

use crate::Target;
use crate::support::uleb;
use nv_debug_sections::address_class::AddressClass;

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 12);
    let spaces = ["\u{5}", "\u{8}", "global", "shared", "sreg"].map(|space| space.as_bytes().to_vec());
    target.run_on_damaged(10_000, &spaces);
}

/// Takes `data` for the attribute's value, and for a state space's name.
pub(crate) fn run(data: &[u8]) {
    if let Some(value) = uleb(data).1 {
        let class = AddressClass::of_value(value);
        assert!(class.is_none_or(|class| u64::from(class.value()) == value && !class.name().is_empty()));
    }
    if let Some(class) = std::str::from_utf8(data).ok().and_then(AddressClass::of_state_space) {
        assert_eq!(class.state_space().map(str::as_bytes), Some(data));
    }
}
