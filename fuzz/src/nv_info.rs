//! Fuzz target: the bytes of `.nv.info`. Records are written again to the same bytes.
//!
//! Symbols are words, and replacing them by themselves changes nothing. Parameters come back from
//! their bits.

use crate::Target;
use crate::seeds::{is_info, sections_where};
use crate::support::exact;
use nv_debug_sections::nv_info::{self, KernelParameter};

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(20_000, 100);
    target.run_on_damaged(30_000, &sections_where(is_info));
}

/// Decodes `data`, encodes the records, and reads each.
pub(crate) fn run(data: &[u8]) {
    exact(data, nv_info::decode(nv_info::NAME, data), |records| nv_info::encode(nv_info::NAME, records));
    records(data);
}

/// Symbols are words, and replacing them by themselves changes nothing; what is known of functions
/// comes from records.
fn records(data: &[u8]) {
    let Ok(mut records) = nv_info::decode(nv_info::NAME, data) else { return };
    assert!(nv_info::functions(&records).len() <= records.len());
    assert!(nv_info::exit_offsets(&records).count() <= data.len() / 4);
    for parameter in nv_info::parameters(&records) {
        let bytes = parameter.to_bytes().expect("fields came from their bits");
        assert_eq!(KernelParameter::from_bytes(bytes), parameter);
    }
    for record in &mut records {
        assert!(record.words().zip(record.symbols()).all(|(word, symbol)| word == symbol.0));
        record.map_symbols(|symbol| symbol);
    }
    assert_eq!(nv_info::encode(nv_info::NAME, &records).expect("decoded before"), data);
}
