//! The header of NVVM IR: as nvcc writes it, its rule of versions, and faults.

#![allow(clippy::unwrap_used)] // a panic is a failed test

use nv_debug_sections::container::nvvm::{
    Compatibility, Header, Scalar, TAG_LEVEL, TAG_WORD, Version, debug_compatibility,
};
use nv_debug_sections::container::{Container, EntryKind};
use nv_debug_sections::error::ErrorKind;
use proptest::prelude::*;

/// The first 48 bytes of `nvcc -ltoir -dlto -arch=sm_90a examples/saxpy/saxpy.cu` (13.0.88); the IR
/// that follows is not ours.
const SM_90A: [u8; 48] = [
    0xed, 0x43, 0x4e, 0x7f, 0x01, 0x41, 0x02, 0x62, 0x03, 0x02, 0x07, 0x00, 0x18, 0x00, 0x01, 0x00, //
    0x2c, 0x00, 0x00, 0x00, 0x30, 0x00, 0x00, 0x00, 0x01, 0x00, 0x84, 0x03, 0x02, 0x00, 0x02, 0x00, //
    0x20, 0x00, 0x01, 0x00, 0x63, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x47, 0x27, 0x4d, 0x14,
];

#[test]
fn what_nvcc_writes() {
    let header = Header::decode(&SM_90A).unwrap();
    let versions = [header.container_version, header.ir_version, header.debug_version, header.llvm_version];
    assert_eq!(versions.map(|version| version.to_string()), ["1.65", "2.98", "3.2", "7.0"]);
    assert_eq!(header.arch().unwrap().to_string(), "sm_90a");
    assert_eq!((header.scalar(TAG_LEVEL), header.scalar(TAG_WORD)), (Some(2), Some(0)));
    assert_eq!((header.blobs, header.body), (&SM_90A[44..], &[][..]));
    assert_eq!(header.encode().unwrap(), SM_90A);
    let container = Container::parse(&SM_90A).unwrap();
    let entries: Vec<_> = container.entries().map(Result::unwrap).collect();
    assert_eq!((entries.len(), entries[0].kind, entries[0].arch), (1, EntryKind::Nvvm, header.arch()));
}

#[test]
fn debug_versions() {
    use Compatibility::{Compatible, Incompatible, NewerMinor};
    let judge = |major, minor| debug_compatibility(Some(Version { major, minor }));
    assert_eq!([judge(3, 0), judge(3, 2), debug_compatibility(None)], [Compatible; 3]);
    assert_eq!([judge(3, 3), judge(3, 255)], [NewerMinor; 2]);
    assert_eq!([judge(2, 2), judge(4, 0), judge(0, 0)], [Incompatible; 3]);
}

#[test]
fn faults_have_a_place() {
    for cut in 0..SM_90A.len() {
        let fault = Header::decode(&SM_90A[..cut]).unwrap_err();
        assert!(fault.offset() <= cut as u64 && matches!(fault.kind(), ErrorKind::Truncated(_)), "{fault}");
    }
    // Byte, value, place of the fault: the end of the scalars is measured against that of the
    // blobs, this against the file.
    for (at, byte, place) in [
        (0, 0, 0),
        (12, 25, 12),
        (16, 0, 16),
        (16, 24, 16),
        (16, 0x2d, 16),
        (19, 0xff, 20),
        (20, 0x2b, 20),
        (23, 0xff, 44),
        (40, 1, 40),
    ] {
        let mut bad = SM_90A;
        bad[at] = byte;
        let fault = Header::decode(&bad).unwrap_err();
        assert_eq!(fault.offset(), place, "{fault}");
    }
}

proptest! {
    #[test]
    fn headers_round_trip(
        versions in any::<[(u8, u8); 4]>(),
        reserved in any::<u16>(),
        scalars in proptest::collection::vec((any::<u16>(), any::<u16>()), 0..20),
        blobs in proptest::collection::vec(any::<u8>(), 0..40),
        body in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let [container_version, ir_version, debug_version, llvm_version] =
            versions.map(|(major, minor)| Version { major, minor });
        let scalars = scalars.into_iter().map(|(tag, value)| Scalar { tag, value }).collect();
        let (blobs, body) = (blobs.as_slice(), body.as_slice());
        let header =
            Header { container_version, ir_version, debug_version, llvm_version, reserved, scalars, blobs, body };
        let bytes = header.encode().unwrap();
        prop_assert_eq!(Header::decode(&bytes).unwrap(), header);
    }
}
