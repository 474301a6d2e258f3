//! Fuzz target: changes of unwind rules, written as `.debug_frame`. gimli unwinds by the same
//! rules.
//!
//! Entries that cannot be written leave not a byte.

use crate::Target;
use crate::seeds::sections;
use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Unstructured};
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, CieId, Fde, FrameTable, Params};
use dwarf2_writer::{Address, Format};
use gimli::{
    BaseAddresses, CfaRule, DebugFrame, LittleEndian, Register, RegisterRule, UnwindContext, UnwindSection,
};

/// A change of the rules, after a step in the code.
#[derive(Debug, Arbitrary)]
enum Change {
    CfaOffset(u32),
    CfaOffsetSf(i16),
    CfaRegister(u8),
    Save { register: u8, slot: u16 },
    SaveSf { register: u8, slot: i16 },
    Value { register: u8, slot: u16 },
    ValueSf { register: u8, slot: i16 },
    Remember,
    Recall,
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
/// The number of states that can be remembered: gimli's stack holds 4, one of them the current.
const REMEMBERED: usize = 2;

/// Rules of one stretch of code.
#[derive(Debug, Clone, Default)]
struct Rules {
    cfa_register: u16,
    cfa_offset: i64,
    registers: BTreeMap<u16, RegisterRule<usize>>,
}

/// The shortest form that holds the step, or a longer one.
fn advance(delta: u16, widen: bool) -> Cfi {
    match (delta, widen) {
        (0..=0x3f, false) => Cfi::AdvanceLoc(delta as u8),
        (0..=0xff, _) => Cfi::AdvanceLoc1(delta as u8),
        (_, false) => Cfi::AdvanceLoc2(delta),
        (_, true) => Cfi::AdvanceLoc4(delta.into()),
    }
}

/// Applies a change to the rules and returns its instruction; none if there is nothing to recall,
/// or no room to remember.
fn apply(change: &Change, rules: &mut Rules, stack: &mut Vec<Rules>, widen: bool) -> Option<Cfi> {
    Some(match *change {
        Change::CfaOffset(offset) => {
            rules.cfa_offset = offset.into();
            let (register, offset) = (rules.cfa_register.into(), offset.into());
            if widen { Cfi::DefCfa { register, offset } } else { Cfi::DefCfaOffset(offset) }
        }
        Change::CfaOffsetSf(factored) => {
            rules.cfa_offset = i64::from(factored) * DATA_ALIGNMENT;
            let (register, factored_offset) = (rules.cfa_register.into(), factored.into());
            if widen {
                Cfi::DefCfaSf { register, factored_offset }
            } else {
                Cfi::DefCfaOffsetSf(factored_offset)
            }
        }
        Change::CfaRegister(register) => {
            rules.cfa_register = register.into();
            Cfi::DefCfaRegister { register: register.into() }
        }
        Change::Remember if stack.len() < REMEMBERED => {
            stack.push(rules.clone());
            Cfi::RememberState
        }
        Change::Recall => {
            *rules = stack.pop()?;
            Cfi::RestoreState
        }
        Change::Remember => return None,
        Change::SaveSf { register, slot } => {
            let offset = i64::from(slot) * DATA_ALIGNMENT;
            let register = rules.set(register, RegisterRule::Offset(offset));
            Cfi::OffsetExtendedSf { register, factored_offset: slot.into() }
        }
        Change::Value { register, slot } => {
            let offset = i64::from(slot) * DATA_ALIGNMENT;
            let register = rules.set(register, RegisterRule::ValOffset(offset));
            Cfi::ValOffset { register, factored_offset: slot.into() }
        }
        Change::ValueSf { register, slot } => {
            let offset = i64::from(slot) * DATA_ALIGNMENT;
            let register = rules.set(register, RegisterRule::ValOffset(offset));
            Cfi::ValOffsetSf { register, factored_offset: slot.into() }
        }
        Change::Save { register, slot } => {
            let register = register % REGISTERS;
            rules.set(register, RegisterRule::Offset(i64::from(slot) * DATA_ALIGNMENT));
            let factored_offset = u64::from(slot);
            if widen {
                Cfi::OffsetExtended { register: register.into(), factored_offset }
            } else {
                Cfi::Offset { register, factored_offset }
            }
        }
        Change::SaveIn { register, source } => {
            let register = rules.set(register, RegisterRule::Register(Register(source.into())));
            Cfi::Register { register, source: source.into() }
        }
        Change::Undefined(register) => {
            Cfi::Undefined { register: rules.set(register, RegisterRule::Undefined) }
        }
        Change::Same(register) => Cfi::SameValue { register: rules.set(register, RegisterRule::SameValue) },
        Change::Restore(register) => {
            let register = register % REGISTERS;
            rules.registers.remove(&register.into()); // the CIE has no rules for registers
            if widen { Cfi::RestoreExtended { register: register.into() } } else { Cfi::Restore { register } }
        }
    })
}

impl Rules {
    /// Gives one of [`REGISTERS`] a rule; the register.
    fn set(&mut self, register: u8, rule: RegisterRule<usize>) -> u64 {
        let register = register % REGISTERS;
        self.registers.insert(register.into(), rule);
        register.into()
    }
}

/// Asserts that entries that cannot be written, each for another reason, are rejected and leave no
/// bytes.
fn refuse(frames: &mut FrameTable, cie: &Cie, fde: &Fde) {
    let before = frames.clone().finish();
    for cie in [
        Cie { version: 2, ..cie.clone() },
        Cie { version: 1, ..cie.clone() },
        Cie { augmentation: vec![b'z', 0], ..cie.clone() },
    ] {
        frames.cie(&cie).expect_err("no such CIE");
    }
    let mut broken = fde.clone();
    broken.instructions.push(Cfi::Restore { register: 64 });
    frames.fde(&broken).expect_err("a register in 6 bits");
    frames.fde(&Fde { cie: CieId(1), ..fde.clone() }).expect_err("there is one CIE");
    assert!(frames.clone().finish() == before, "a refused entry left a trace");
}

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(5_000, 400);
    target.run_on_damaged(100, &sections());
}

/// Writes the rules that `data` stands for and compares them with what gimli unwinds by.
pub(crate) fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let format = if input.arbitrary().unwrap_or(false) { Format::Dwarf64 } else { Format::Dwarf32 };
    let start = u64::from(input.arbitrary::<u32>().unwrap_or(0));
    let (mut address, mut stack) = (start, Vec::new());
    let mut rules = Rules { cfa_register: CFA_REGISTER, ..Rules::default() };
    let (mut instructions, mut expected) = (Vec::new(), Vec::new());
    while !input.is_empty() {
        let Ok((delta, widen, change)) = input.arbitrary::<(u16, bool, Change)>() else { break };
        if delta != 0 {
            let next = address + u64::from(delta) * CODE_ALIGNMENT;
            expected.push((address..next, rules.clone()));
            address = next;
            instructions.push(advance(delta, widen));
        }
        instructions.extend(apply(&change, &mut rules, &mut stack, widen));
    }
    let end = address + CODE_ALIGNMENT;
    expected.push((address..end, rules));

    let mut frames = FrameTable::new(Params { format, ..Params::default() }).expect("valid");
    let cie = Cie {
        version: 3,
        code_alignment_factor: CODE_ALIGNMENT,
        data_alignment_factor: DATA_ALIGNMENT,
        return_address_register: 0xffff,
        instructions: vec![Cfi::DefCfa { register: CFA_REGISTER.into(), offset: 0 }],
        ..Cie::default()
    };
    let fde = Fde {
        cie: frames.cie(&cie).expect("valid"),
        initial_location: Address::Constant(start),
        address_range: end - start,
        range_symbol: None,
        instructions,
    };
    refuse(&mut frames, &cie, &fde);
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
    for (range, rules) in expected {
        let row = table.next_row().expect("readable").expect("one more row");
        assert_eq!((row.start_address(), row.end_address()), (range.start, range.end));
        assert_eq!(
            *row.cfa(),
            CfaRule::RegisterAndOffset { register: Register(rules.cfa_register), offset: rules.cfa_offset }
        );
        let seen: BTreeMap<_, _> =
            row.registers().map(|(register, rule)| (register.0, rule.clone())).collect();
        assert_eq!(seen, rules.registers);
    }
    assert!(table.next_row().expect("readable").is_none());
}
