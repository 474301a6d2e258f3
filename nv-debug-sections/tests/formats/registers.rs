//! `docs/formats/register-maps.md`.

use crate::{pair, section};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::reg_sass::{self, FunctionRegisters, NO_START, RegisterRange};
use nv_debug_sections::reg_type::{self, FunctionTypes, PtxType, RegisterType};
use nv_debug_sections::register::{RegisterClass, SassRegister};

#[test]
fn a_map_byte_by_byte() {
    let range = RegisterRange {
        part: 1,
        ptx_name: b"%rd1",
        register: SassRegister::new(RegisterClass::General, 9),
        start: 0x50,
        end: 0x190,
    };
    let functions = [FunctionRegisters { function: b"kernel", ranges: vec![range] }];
    let expected: Vec<u8> = [
        &b"kernel\0"[..],
        &[1, 0, 0, 0],    // count
        &[1, 0, 0, 0],    // part
        b"%rd1\0",        // PTX register
        &[9, 0, 0, 5],    // number, class
        &[0x50, 0, 0, 0], // start
        &[0x90, 1, 0, 0], // end
    ]
    .concat();
    assert_eq!(reg_sass::encode(&functions).unwrap(), expected);
    assert_eq!(reg_sass::decode(&expected).unwrap(), functions);
}

#[test]
fn types_byte_by_byte() {
    let functions = [FunctionTypes { function: b"kernel", types: &[3, 16] }];
    let expected = b"kernel\0\x02\0\0\0\x03\x10";
    assert_eq!(reg_type::encode(&functions).unwrap(), expected);
    assert_eq!(reg_type::decode(expected).unwrap(), functions);
}

/// As `reg_type.rs` says ptxas 13.0.88 answered, and `tests/registers.rs` asks it again.
#[test]
fn codes_of_types() {
    let names = [
        "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2",
        "f32", "f64", "pred", "b128",
    ];
    for (code, name) in (0..).zip(names) {
        assert_eq!(PtxType::of_code(code).map(PtxType::name), Some(name));
        assert_eq!(RegisterType::of_code(code).map(|known| known.to_string()).as_deref(), Some(name));
    }
    assert_eq!(PtxType::of_code(names.len() as u8), None);
    for (code, name) in [(64 + 14, "v2.f32"), (128 + 14, "v4.f32")] {
        assert_eq!(RegisterType::of_code(code).map(|known| known.to_string()).as_deref(), Some(name));
    }
}

#[test]
fn numbers_of_classes() {
    for (class, number) in [
        (RegisterClass::ConditionCode, 1),
        (RegisterClass::Predicate, 2),
        (RegisterClass::Address, 3),
        (RegisterClass::Half, 4),
        (RegisterClass::General, 5),
        (RegisterClass::LocalMemory, 6),
        (RegisterClass::StackOffset, 7),
        (RegisterClass::UniformPredicate, 9),
        (RegisterClass::UniformHalf, 10),
        (RegisterClass::UniformGeneral, 11),
        (RegisterClass::TemporarySpill, 12),
    ] {
        assert_eq!(SassRegister::new(class, 0x12_3456).0, u32::from(number as u8) << 24 | 0x12_3456);
        assert_eq!(SassRegister::new(class, 0x100_0007).number(), 7);
        assert_eq!(SassRegister::new(class, 0xff_ffff).number(), 0xff_ffff);
        assert_eq!(RegisterClass::of_number(number as u8), Some(class));
    }
    assert_eq!((RegisterClass::of_number(0), RegisterClass::of_number(8)), (None, None));
}

/// Both maps of one cubin.
fn maps(name: &str, space: &str, check: impl Fn(&FunctionRegisters<'_>, &FunctionTypes<'_>, &Cubin<'_>)) {
    let file = pair(name);
    let cubin = Cubin::parse(&file).unwrap();
    let [ranges, types] =
        ["reg_sass", "reg_type"].map(|map| section(&cubin, &format!("{space}.nv_debug_info_{map}")));
    let (ranges, types) = (reg_sass::decode(&ranges).unwrap(), reg_type::decode(&types).unwrap());
    assert_eq!(ranges.len(), types.len(), "{name}");
    assert!(!ranges.is_empty(), "{name}");
    let code = cubin.iter().filter_map(|(_, section, _)| section.strip_prefix(".text."));
    assert!(code.map(str::as_bytes).eq(ranges.iter().map(|function| function.function)), "{name}");
    for (ranges, types) in ranges.iter().zip(&types) {
        check(ranges, types, &cubin);
    }
}

#[test]
fn both_maps_have_the_code_sections_in_their_order() {
    for name in
        ["references.sm_75.g", "references.sm_80.g.c", "odd_references.sm_100.g", "stack_arguments.sm_100.g"]
    {
        maps(name, "", |ranges, types, _| {
            assert_eq!(ranges.function, types.function);
            assert_eq!(ranges.ranges.len(), types.types.len());
        });
    }
}

#[test]
fn the_order_of_ranges() {
    for name in ["shared_places.sm_90.g.c", "odd_references.sm_100.g", "stack_arguments.sm_100.g"] {
        maps(name, "", |ranges, _, _| {
            assert!(ranges.ranges.is_sorted_by_key(|range| (range.register.0, range.start)), "{name}");
        });
    }
    for (name, space) in [
        ("references.sm_75.g", ""),
        ("stack_arguments.sm_75.g", ""),
        ("odd_references.sm_100.g", ".nv.merc"),
        ("stack_arguments.sm_100.g", ".nv.merc"),
    ] {
        maps(name, space, |ranges, _, _| {
            assert!(ranges.ranges.is_sorted_by_key(|range| range.start), "{name}{space}");
        });
    }
}

#[test]
fn a_range_lies_in_its_code() {
    for name in ["references.sm_75.g", "shared_places.sm_90.g.c", "stack_arguments.sm_100.g"] {
        maps(name, "", |ranges, _, cubin| {
            let text = format!(".text.{}", String::from_utf8_lossy(ranges.function));
            let size = section(cubin, &text).len() as u32;
            for range in &ranges.ranges {
                assert!(
                    range.start != NO_START && range.start % 16 == 0 && range.end <= size,
                    "{name}: {range:?}"
                );
            }
        });
    }
    assert_eq!(NO_START, 0xffff_ffff);
}
