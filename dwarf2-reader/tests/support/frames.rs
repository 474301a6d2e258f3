//! `.debug_frame` by this crate and by gimli.
#![allow(unreachable_pub, reason = "a module of tests")]

use super::outcome::{Outcome, Reading, compare as compare_readings};
use dwarf2_reader::frame::{Entry, entries, instructions_with};
use dwarf2_reader::{Error, ErrorKind, Span};
use dwarf2_writer::frame::CallFrameInstruction as Cfi;
use gimli::read::CallFrameInstruction as GimliCfi;
use gimli::{
    BaseAddresses, CieOrFde, DebugFrame, EndianSlice, LittleEndian, Register, UnwindExpression, UnwindSection,
};

/// gimli has no larger registers.
fn is_small(register: u64) -> bool {
    u16::try_from(register).is_ok()
}

/// Compares both readings of `.debug_frame`.
pub fn compare(section: &[u8]) -> Outcome {
    compare_readings(&ours(section), &theirs(section), || difference(section))
}

/// Headers and instructions in words.
fn ours(section: &[u8]) -> Reading<String> {
    let mut words = Vec::new();
    for item in entries(section) {
        let Ok((span, entry)) = item else { return (words, false) };
        let at = span.start;
        let instructions = match entry {
            Entry::Cie(cie) => {
                let (code, data) = (cie.code_alignment_factor, cie.data_alignment_factor);
                let (version, register) = (cie.version, cie.return_address_register);
                words.push(format!("{at:#x}: CIE {version} {:?} {code} {data} {register}", cie.format));
                cie.instructions
            }
            Entry::Fde(fde) => {
                let (cie, address, range) = (fde.cie, fde.initial_location, fde.address_range);
                words.push(format!("{at:#x}: FDE of {cie:#x} {address:#x} {range:#x}"));
                fde.instructions
            }
        };
        let expression = |span: Span, _: &[u8]| {
            let (offset, length) = (span.start as usize, (span.end - span.start) as usize);
            Ok(UnwindExpression { offset, length })
        };
        for item in instructions_with(section, instructions, |_, address| Ok::<_, Error>(address), expression)
        {
            let Ok((_, instruction)) = item else { return (words, false) };
            match as_gimli(&instruction) {
                Some(instruction) => words.push(format!("{instruction:?}")),
                None => words.push(format!("a large register: {instruction:?}")),
            }
        }
    }
    (words, true)
}

/// The instruction as gimli has it, unless it has a register that gimli does not.
fn as_gimli(instruction: &Cfi<u64, UnwindExpression<usize>>) -> Option<GimliCfi<usize>> {
    let register = |register: u64| Some(Register(u16::try_from(register).ok()?));
    let small = |register: u8| Register(register.into());
    Some(match *instruction {
        Cfi::Nop => GimliCfi::Nop,
        Cfi::SetLoc(address) => GimliCfi::SetLoc { address },
        Cfi::AdvanceLoc(delta) | Cfi::AdvanceLoc1(delta) => GimliCfi::AdvanceLoc { delta: delta.into() },
        Cfi::AdvanceLoc2(delta) => GimliCfi::AdvanceLoc { delta: delta.into() },
        Cfi::AdvanceLoc4(delta) => GimliCfi::AdvanceLoc { delta },
        Cfi::Offset { register, factored_offset } => {
            GimliCfi::Offset { register: small(register), factored_offset }
        }
        Cfi::OffsetExtended { register: number, factored_offset } => {
            GimliCfi::Offset { register: register(number)?, factored_offset }
        }
        Cfi::OffsetExtendedSf { register: number, factored_offset } => {
            GimliCfi::OffsetExtendedSf { register: register(number)?, factored_offset }
        }
        Cfi::ValOffset { register: number, factored_offset } => {
            GimliCfi::ValOffset { register: register(number)?, factored_offset }
        }
        Cfi::ValOffsetSf { register: number, factored_offset } => {
            GimliCfi::ValOffsetSf { register: register(number)?, factored_offset }
        }
        Cfi::Restore { register } => GimliCfi::Restore { register: small(register) },
        Cfi::RestoreExtended { register: number } => GimliCfi::Restore { register: register(number)? },
        Cfi::Undefined { register: number } => GimliCfi::Undefined { register: register(number)? },
        Cfi::SameValue { register: number } => GimliCfi::SameValue { register: register(number)? },
        Cfi::Register { register: number, source } => {
            GimliCfi::Register { dest_register: register(number)?, src_register: register(source)? }
        }
        Cfi::RememberState => GimliCfi::RememberState,
        Cfi::RestoreState => GimliCfi::RestoreState,
        Cfi::DefCfa { register: number, offset } => GimliCfi::DefCfa { register: register(number)?, offset },
        Cfi::DefCfaSf { register: number, factored_offset } => {
            GimliCfi::DefCfaSf { register: register(number)?, factored_offset }
        }
        Cfi::DefCfaRegister { register: number } => GimliCfi::DefCfaRegister { register: register(number)? },
        Cfi::DefCfaOffset(offset) => GimliCfi::DefCfaOffset { offset },
        Cfi::DefCfaOffsetSf(factored_offset) => GimliCfi::DefCfaOffsetSf { factored_offset },
        Cfi::DefCfaExpression(expression) => GimliCfi::DefCfaExpression { expression },
        Cfi::Expression { register: number, expression } => {
            GimliCfi::Expression { register: register(number)?, expression }
        }
        Cfi::ValExpression { register: number, expression } => {
            GimliCfi::ValExpression { register: register(number)?, expression }
        }
    })
}

/// The same by gimli.
fn theirs(section: &[u8]) -> Reading<String> {
    let mut frames = DebugFrame::new(section, LittleEndian);
    frames.set_address_size(8);
    let bases = BaseAddresses::default();
    let mut words = Vec::new();
    let mut all = frames.entries(&bases);
    loop {
        let mut instructions = match all.next() {
            Err(_) => return (words, false),
            Ok(None) => return (words, true),
            Ok(Some(CieOrFde::Cie(cie))) => {
                let (code, data) = (cie.code_alignment_factor(), cie.data_alignment_factor());
                let (version, register) = (cie.version(), cie.return_address_register().0);
                let (at, format) = (cie.offset(), cie.encoding().format);
                words.push(format!("{at:#x}: CIE {version} {format:?} {code} {data} {register}"));
                cie.instructions(&frames, &bases)
            }
            Ok(Some(CieOrFde::Fde(fde))) => {
                let Ok(fde) = fde.parse(DebugFrame::cie_from_offset) else { return (words, false) };
                let (cie, address, range) = (fde.cie().offset(), fde.initial_address(), fde.len());
                words.push(format!("{:#x}: FDE of {cie:#x} {address:#x} {range:#x}", fde.offset()));
                fde.instructions(&frames, &bases)
            }
        };
        loop {
            match instructions.next() {
                Err(_) => return (words, false),
                Ok(None) => break,
                Ok(Some(instruction)) => words.push(format!("{instruction:?}")),
            }
        }
    }
}

/// The first thing in a section on which the readers disagree, and whether values after it may
/// differ.
fn difference(section: &[u8]) -> Option<(&'static str, bool)> {
    let (mut cies, mut end) = (Vec::new(), 0);
    for item in entries(section) {
        let (span, entry) = match item {
            Ok(item) => item,
            Err(error) => return error_difference(section, end, error),
        };
        end = span.end;
        let instructions = match entry {
            Entry::Cie(cie) if !cie.augmentation.is_empty() => return Some(("an augmentation", true)),
            Entry::Cie(cie) if !is_small(cie.return_address_register) => {
                return Some(("a large register", false));
            }
            Entry::Cie(cie) => {
                cies.push(span.start);
                cie.instructions
            }
            Entry::Fde(fde) if !cies.contains(&fde.cie) => {
                return Some(("an FDE that is not after its CIE", true));
            }
            Entry::Fde(fde) => fde.instructions,
        };
        let no_expression = |_, _: &[u8]| Ok(UnwindExpression { offset: 0, length: 0 });
        for item in
            instructions_with(section, instructions, |_, address| Ok::<_, Error>(address), no_expression)
        {
            match item {
                Ok((_, instruction)) if as_gimli(&instruction).is_none() => {
                    return Some(("a large register", false));
                }
                Ok(_) => {}
                Err(error) => return error_difference(section, end, error),
            }
        }
    }
    None
}

/// What gimli takes and this crate refuses; `end` is where the last entry ends.
fn error_difference(section: &[u8], end: u64, error: Error) -> Option<(&'static str, bool)> {
    let rest = EndianSlice::new(section.get(end as usize..)?, LittleEndian);
    match error.kind {
        ErrorKind::Value { field: "opcode", .. } => Some(("an opcode that DWARF 3 does not have", false)),
        ErrorKind::Value { field: "address_size", .. } => Some(("addresses of another size", false)),
        _ if rest.starts_with(&[0; 4]) || rest.starts_with(b"\xff\xff\xff\xff\0\0\0\0\0\0\0\0") => {
            Some(("an entry of no bytes, at which gimli stops", false))
        }
        _ => None,
    }
}
