use super::*;
use crate::release::Release;
use proptest::prelude::*;

#[test]
fn sass_registers_have_nvidia_s_names() {
    for (raw, name, class) in [
        (0x0500_0005, "R5", "REG_CLASS_REG_FULL"),
        (0x0500_00ff, "RZ", "REG_CLASS_REG_FULL"),
        (0x0400_000b, "R5.H1", "REG_CLASS_REG_HALF"),
        (0x0200_0001, "P1", "REG_CLASS_REG_PRED"),
        (0x0100_0000, "CC", "REG_CLASS_REG_CC"),
        (0x0b00_0004, "UR4", "REG_CLASS_UREG_FULL"),
        (0x0900_0002, "UP2", "REG_CLASS_UREG_PRED"),
        (0x0300_0001, "A1", "REG_CLASS_REG_ADDR"),
        (0x0a00_0005, "UR2.H1", "REG_CLASS_UREG_HALF"),
        (0x0600_0010, "local[0x10]", "REG_CLASS_MEM_LOCAL"),
        (0x0701_0010, "[R1+0x10]", "REG_CLASS_LMEM_REG_OFFSET"),
        (0x0c00_0001, "RPC.HI", "REG_CLASS_TEMP_REG_SPILL"),
    ] {
        let register = SassRegister(raw);
        assert_eq!((register.to_string().as_str(), register.class().unwrap().name()), (name, class));
        assert_eq!(SassRegister::new(register.class().unwrap(), register.number()), register);
    }
    assert_eq!(
        (SassRegister(0x0800_0001).class(), SassRegister(0x0d00_0001).to_string()),
        (None, "class13:1".into())
    );
}

#[test]
fn classes_lead_back_to_themselves() {
    for (class, _) in CLASSES {
        assert_eq!(RegisterClass::of_number(class as u8), Some(class));
    }
    assert!([0, 8, 13, 255].iter().all(|number| RegisterClass::of_number(*number).is_none()));
}

// `%f1`: docs/formats/entries.md, registers. `%rd1`: the bytes in LLVM's test ptx-register-names.ll
// (177 200 201 171 2).
#[test]
fn names_as_ptxas_and_llvm_have_them() {
    for (name, number, leb) in
        [("%f1", 0x0025_6631, &[0xb1, 0xcc, 0x95, 0x01][..]), ("%rd1", 0x2572_6431, &[177, 200, 201, 171, 2])]
    {
        assert_eq!(pack_name(name).unwrap(), number);
        assert_eq!(leb128_nv::uleb128(number).as_slice(), leb);
        assert_eq!(DwarfRegister::from_uleb(leb), DwarfRegister::Ptx(name.into()));
    }
    assert_eq!(DwarfRegister::from_number(0x500_0014).to_string(), "R20");
    assert_eq!(DwarfRegister::from_number(5), DwarfRegister::Number(5));
    assert_eq!(DwarfRegister::from_number(b'p'.into()), DwarfRegister::Number(0x70));
}

#[test]
fn names_that_do_not_fit() {
    assert!(pack_name("%rd12345").is_ok());
    assert!(matches!(pack_name("%rd123456"), Err(ErrorKind::DoesNotFit { value: 9, .. })));
    for name in ["", "p", "%", "1f", "%f 1", "%f\0", "a%f", "\u{e9}1"] {
        assert!(matches!(pack_name(name), Err(ErrorKind::NotARegister(_))), "{name:?}");
    }
}

#[test]
fn long_operands_are_names_or_bytes() {
    // `%fdiv_0123` as a number: encoded by hand, 80 bits in twelve groups of seven.
    let leb = |name: &[u8]| -> Vec<u8> {
        let value = name.iter().fold(0_u128, |value, byte| value << 8 | u128::from(*byte));
        (0..12).map(|group| (value >> (7 * group) & 0x7f) as u8 | if group < 11 { 0x80 } else { 0 }).collect()
    };
    let long = DwarfRegister::from_uleb(&leb(b"%fdiv_0123"));
    assert_eq!(long, DwarfRegister::Ptx("%fdiv_0123".into()));
    assert!(long.number().is_err());
    let wide = DwarfRegister::from_uleb(&leb(b"\x01%div_01 23"));
    assert!(matches!(&wide, DwarfRegister::Wide(bytes) if bytes.len() == 11 && bytes[0] == 1), "{wide:?}");
    assert_eq!(DwarfRegister::from_uleb(&[]), DwarfRegister::Number(0));
    assert_eq!(
        DwarfRegister::from_uleb(&[0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]),
        DwarfRegister::Number(5)
    );
}

proptest! {
    #[test]
    fn numbers_come_back(number: u64, register: u32) {
        for number in [number, register.into()] {
            let leb = leb128_nv::uleb128(number);
            prop_assert_eq!(DwarfRegister::from_uleb(leb.as_slice()), DwarfRegister::from_number(number));
            prop_assert_eq!(DwarfRegister::from_number(number).number().unwrap(), number);
        }
    }

    #[test]
    fn names_come_back(name in "[a-zA-Z_$%][a-zA-Z0-9_$]{1,7}") {
        prop_assert_eq!(DwarfRegister::from_number(pack_name(&name).unwrap()), DwarfRegister::Ptx(name));
    }
}

// Uniform ones: what nvdisasm 13.2 prints for each number in the field of ULDC (sm_75, sm_90) and
// LDCU (sm_100, sm_120). The others have fields of 8 and 3 bits, whose last number is RZ and PT.
#[test]
fn chips_have_the_registers_that_nvdisasm_names() {
    use RegisterClass as Class;
    for (class, sm, last) in [
        (Class::General, 75, 255),
        (Class::General, 120, 255),
        (Class::Half, 75, 511),
        (Class::Predicate, 90, 6),
        (Class::UniformPredicate, 100, 6),
        (Class::UniformGeneral, 75, 62),
        (Class::UniformGeneral, 90, 62),
        (Class::UniformHalf, 90, 125),
        (Class::UniformGeneral, 100, 255),
    ] {
        let has = |number| SassRegister::new(class, number).exists_on(Release::V13_0.target(sm));
        assert!(has(0) && has(last), "{class:?}");
        assert!(!has(last + 1), "{class:?} {last} on sm_{sm}");
    }
    // Those before it are registers from sm_100 on only.
    for (sm, is_there) in [(90, false), (100, true), (121, true)] {
        for number in [63, 254] {
            let register = SassRegister::new(Class::UniformGeneral, number);
            assert_eq!(register.exists_on(Release::V13_0.target(sm)), is_there, "UR{number} on sm_{sm}");
        }
    }
    // URZ is the same number on all.
    assert!(SassRegister::new(Class::UniformGeneral, 255).exists_on(Release::V13_0.target(75)));
    // A byte offset in local memory.
    assert!(SassRegister::new(Class::LocalMemory, 0x1000).exists_on(Release::V13_0.target(75)));
}
