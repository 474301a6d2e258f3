//! Unwind rules -> `.debug_frame` -> gimli's unwind table -> rules.

use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Unstructured};
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, Fde, FrameTable, Params};
use dwarf2_writer::{Address, Format};
use gimli::{
    BaseAddresses, CfaRule, DebugFrame, LittleEndian, Register, RegisterRule, UnwindContext, UnwindSection,
};

/// A change of the rules, after a step in the code.
#[derive(Debug, Arbitrary)]
enum Change {
    CfaOffset(u32),
    Save { register: u8, slot: u16 },
    SaveIn { register: u8, source: u8 },
    Undefined(u8),
    Same(u8),
    Restore(u8),
}

/// Registers that have a rule at the same time: gimli's table holds 192.
const REGISTERS: u8 = 64;
const CODE_ALIGNMENT: u64 = 4;
const DATA_ALIGNMENT: i64 = -4;
const CFA_REGISTER: u16 = 1;

/// Rules of one stretch of code: CFA offset, and register to rule.
type Rules = (i64, BTreeMap<u16, RegisterRule<usize>>);

/// The shortest form that holds the step, or a longer one.
fn advance(delta: u16, widen: bool) -> Cfi {
    match (delta, widen) {
        (0..=0x3f, false) => Cfi::AdvanceLoc(delta as u8),
        (0..=0xff, _) => Cfi::AdvanceLoc1(delta as u8),
        (_, false) => Cfi::AdvanceLoc2(delta),
        (_, true) => Cfi::AdvanceLoc4(delta.into()),
    }
}

/// Applies a change to the rules and returns its instruction.
fn apply(change: &Change, rules: &mut Rules, widen: bool) -> Cfi {
    match *change {
        Change::CfaOffset(offset) => {
            rules.0 = offset.into();
            Cfi::DefCfaOffset(offset.into())
        }
        Change::Save { register, slot } => {
            let register = register % REGISTERS;
            rules.1.insert(register.into(), RegisterRule::Offset(i64::from(slot) * DATA_ALIGNMENT));
            let factored_offset = u64::from(slot);
            if widen {
                Cfi::OffsetExtended { register: register.into(), factored_offset }
            } else {
                Cfi::Offset { register, factored_offset }
            }
        }
        Change::SaveIn { register, source } => {
            let register = u16::from(register % REGISTERS);
            rules.1.insert(register, RegisterRule::Register(Register(source.into())));
            Cfi::Register { register: register.into(), source: source.into() }
        }
        Change::Undefined(register) => {
            let register = u16::from(register % REGISTERS);
            rules.1.insert(register, RegisterRule::Undefined);
            Cfi::Undefined { register: register.into() }
        }
        Change::Same(register) => {
            let register = u16::from(register % REGISTERS);
            rules.1.insert(register, RegisterRule::SameValue);
            Cfi::SameValue { register: register.into() }
        }
        Change::Restore(register) => {
            let register = register % REGISTERS;
            rules.1.remove(&register.into()); // the CIE has no rules for registers
            if widen { Cfi::RestoreExtended { register: register.into() } } else { Cfi::Restore { register } }
        }
    }
}

/// Writes the rules that `data` stands for and compares them with what gimli unwinds by.
///
/// # Panics
///
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let format = if input.arbitrary().unwrap_or(false) { Format::Dwarf64 } else { Format::Dwarf32 };
    let start = u64::from(input.arbitrary::<u32>().unwrap_or(0));
    let (mut address, mut rules) = (start, (0, BTreeMap::new()));
    let (mut instructions, mut expected) = (Vec::new(), Vec::new());
    while !input.is_empty() {
        let Ok((delta, widen, change)) = input.arbitrary::<(u16, bool, Change)>() else { break };
        if delta != 0 {
            let next = address + u64::from(delta) * CODE_ALIGNMENT;
            expected.push((address..next, rules.clone()));
            address = next;
            instructions.push(advance(delta, widen));
        }
        instructions.push(apply(&change, &mut rules, widen));
    }
    let end = address + CODE_ALIGNMENT;
    expected.push((address..end, rules));

    let mut frames = FrameTable::new(Params { format, ..Params::default() }).expect("valid");
    let cie = frames.cie(&Cie {
        version: 3,
        code_alignment_factor: CODE_ALIGNMENT,
        data_alignment_factor: DATA_ALIGNMENT,
        return_address_register: 0xffff,
        instructions: vec![Cfi::DefCfa { register: CFA_REGISTER.into(), offset: 0 }],
        ..Cie::default()
    });
    let fde = Fde {
        cie: cie.expect("valid"),
        initial_location: Address::Constant(start),
        address_range: end - start,
        range_symbol: None,
        instructions,
    };
    frames.fde(&fde).expect("valid");
    check(&frames.finish().bytes, start, &expected);
}

fn check(bytes: &[u8], start: u64, expected: &[(std::ops::Range<u64>, Rules)]) {
    assert_eq!(bytes.len() % 8, 0);
    let mut section = DebugFrame::new(bytes, LittleEndian);
    section.set_address_size(8);
    let bases = BaseAddresses::default();
    let fde = section.fde_for_address(&bases, start, DebugFrame::cie_from_offset).expect("covered");
    let mut context = UnwindContext::new();
    let mut table = fde.rows(&section, &bases, &mut context).expect("readable");
    for (range, (offset, registers)) in expected {
        let row = table.next_row().expect("readable").expect("one more row");
        assert_eq!((row.start_address(), row.end_address()), (range.start, range.end));
        assert_eq!(
            *row.cfa(),
            CfaRule::RegisterAndOffset { register: Register(CFA_REGISTER), offset: *offset }
        );
        let seen: BTreeMap<_, _> =
            row.registers().map(|(register, rule)| (register.0, rule.clone())).collect();
        assert_eq!(seen, *registers);
    }
    assert!(table.next_row().expect("readable").is_none());
}
