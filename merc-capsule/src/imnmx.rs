//! The `IMNMX` instructions of sm_110, whose lines are not those of the Mercury instruction that
//! they come from.
//!
//! ptxas makes `IMNMX` of integer minima and maxima there, which are `VIMNMX` in Mercury code and
//! on other chips. It gives them the lines of an instruction before it in the section, be that in
//! another function: of the last that it made anew from its Mercury instruction, and neither copied
//! nor filled in. Those are all that become several native instructions, but for `LDGSTS`,
//! `UTCATOMSWS` and `BSYNC`, and of the others [some](SETTERS), not the same in each release.
//!
//! Before the first of them ptxas takes the lines that it had in hand before it came to the
//! section. No file says which these are, but the native table has their PTX line.
//!
//! Observed: ptxas 13.0.88 to 13.5.37. docs/conformance.md has the numbers.

use crate::capsule_code::{self, Instruction, Operation};
use nv_debug_sections::release::{ImnmxLines, Release, Target};

/// The SM whose native code has `IMNMX`.
const SM: u32 = 110;
/// Opcode of `IMNMX` in the low nine bits of an instruction; the bits above say where the second
/// operand is.
const IMNMX: u16 = 0x17;
/// The bits of an instruction that hold the opcode.
const OPCODE: u16 = 0x1ff;
/// Bytes of an instruction.
pub(crate) const INSTRUCTION: u64 = 16;

/// An `IMNMX` instruction (integer minimum or maximum) in native code for sm_110, or a `NOP` that
/// ptxas adds after one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Imnmx {
    /// The byte offset of the instruction in the native code section.
    pub address: u64,
    /// The byte offset of the earlier instruction whose source and PTX line the `IMNMX` has; `None`
    /// if the section has no such instruction, or if the capsule does not tell.
    pub lines_of: Option<u64>,
    /// Whether the `IMNMX` stands directly after the instruction whose lines it has.
    pub follows: bool,
    /// The size in bytes of the Mercury instruction from which the `IMNMX` is made; 0 if there is
    /// none, or if the capsule does not tell.
    pub mercury_size: u64,
}

impl Imnmx {
    /// The byte offset after the instruction.
    pub(crate) fn end(&self) -> u64 {
        self.address.saturating_add(INSTRUCTION)
    }
}

/// The operations and variants of Mercury instructions that become one native instruction and give
/// their lines to the `IMNMX` after them.
const SETTERS: &[(u8, &[u8])] = &[
    // S2R, S2UR, CS2R, and LDC and LDCU of what the driver passes.
    (0x0b, &[0x04, 0x06, 0x0c, 0x0e]),
    // SYNCS.EXCH.
    (0x1b, &[0x5e]),
    // LDC and LDCU; LDL.
    (0x22, &[0x08, 0x0a, 0x0c, 0x0e, 0x28]),
    // DEPBAR.
    (0x23, &[0x12, 0x40]),
    // REDUX.
    (0x32, &[0x10]),
    // STL.
    (0x38, &[0x20]),
    // UCGABAR_ARV, BAR.SYNC.
    (0x47, &[0x00, 0x56, 0x58, 0x5a]),
    // MEMBAR, and fences that become CCTL or NOP.
    (0x49, &[0x00, 0x0e, 0x10, 0x12, 0x1a]),
    // ACQBULK.
    (0x62, &[0x00]),
];

/// Those that do so before CUDA 13.2: HMMA, DMMA, IMMA.
const MATRIX_SETTERS: &[(u8, &[u8])] = &[(0x5a, &[0x00, 0x04, 0x08, 0x0c])];

/// Those that do so from CUDA 13.3 on.
const WAIT_SETTERS: &[(u8, &[u8])] = &[
    // MOV.
    (0x00, &[0x0a, 0x0c]),
    // SYNCS.PHASECHK, with TRYWAIT and without.
    (0x1b, &[0x42, 0x44, 0x48, 0x4a, 0x4c]),
    // PRMT, UPRMT.
    (0x39, &[0x10, 0x12]),
];

/// Those that do so from CUDA 13.4 on: ATOMG.EXCH.
const EXCHANGE_SETTERS: &[(u8, &[u8])] = &[(0x18, &[0x00])];

/// Operations, and the variant if it matters, that do not although they become several native
/// instructions: BSYNC, which is one before CUDA 13.2, LDGSTS, UTCATOMSWS.
const NO_SETTERS: [(u8, Option<u8>); 3] = [(0x09, None), (0x23, Some(0x30)), (0x63, None)];

fn is_setter(Operation { code: [operation, variant], is_expanded }: Operation, release: Release) -> bool {
    if is_expanded {
        let is_this =
            |(of, only): &(u8, Option<u8>)| *of == operation && only.is_none_or(|only| only == variant);
        !NO_SETTERS.iter().any(is_this)
    } else {
        let of_release: [&[(u8, &[u8])]; 2] = match release.imnmx_lines() {
            ImnmxLines::OfMatrices => [MATRIX_SETTERS, &[]],
            ImnmxLines::OfNeither => [&[], &[]],
            ImnmxLines::OfWaits => [WAIT_SETTERS, &[]],
            ImnmxLines::OfWaitsAndExchanges => [WAIT_SETTERS, EXCHANGE_SETTERS],
        };
        let mut setters = SETTERS.iter().chain(of_release.into_iter().flatten());
        setters.any(|(of, variants)| *of == operation && variants.contains(&variant))
    }
}

fn is_imnmx(code: &[u8], address: u64) -> bool {
    let instruction = usize::try_from(address).ok().and_then(|at| code.get(at..)?.first_chunk());
    instruction.is_some_and(|bytes| u16::from_le_bytes(*bytes) & OPCODE == IMNMX)
}

/// Returns the `IMNMX` instructions in the native code of a section, by address; none unless the SM
/// is 110. `capsule` has the Mercury code of the section. If it is empty or does not fit the native
/// code, the lines of the instructions are unknown.
pub fn imnmx_instructions(target: Target, code: &[u8], capsule: &[u8]) -> Vec<Imnmx> {
    let addresses = (0..code.len() as u64).step_by(INSTRUCTION as usize);
    let alone: Vec<Imnmx> = if target.sm == SM {
        let imnmx = addresses.filter(|address| is_imnmx(code, *address));
        imnmx.map(|address| Imnmx { address, lines_of: None, follows: false, mercury_size: 0 }).collect()
    } else {
        Vec::new()
    };
    if alone.is_empty() { alone } else { with_lines(target.release, code, capsule).unwrap_or(alone) }
}

fn with_lines(release: Release, code: &[u8], capsule: &[u8]) -> Option<Vec<Imnmx>> {
    let code_size = code.len() as u64;
    let (mut found, mut setter, mut is_after, mut start) = (Vec::new(), None, false, 0);
    for Instruction { count, operation, is_added, size } in capsule_code::instructions(capsule) {
        let end = count.checked_mul(INSTRUCTION).and_then(|bytes| bytes.checked_add(start))?;
        if end > code_size {
            return None;
        }
        if operation.is_some_and(|operation| is_setter(operation, release)) {
            setter = Some((start, end));
        }
        for address in (start..end).step_by(INSTRUCTION as usize) {
            is_after = is_imnmx(code, address) || is_after && is_added;
            if is_after {
                let lines_of = setter.map(|(start, _)| start);
                let follows = setter.is_some_and(|(_, end)| end == address);
                found.push(Imnmx { address, lines_of, follows, mercury_size: size });
            }
        }
        start = end;
    }
    (start == code_size).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: [u8; 2] = [0x17, 0x78];
    const NOP: [u8; 2] = [0x18, 0x79];

    fn code(opcodes: &[[u8; 2]]) -> Vec<u8> {
        opcodes.iter().flat_map(|opcode| [&opcode[..], &[0; 14]].concat()).collect()
    }

    fn target(sm: u32) -> Target {
        Target { release: Release::V13_0, sm }
    }

    fn capsule(count: u8, bits: u8, records: &[&[u8]]) -> Vec<u8> {
        let head = [5, 0, 0, 0, 1, 0, 0, 0xc0, count, 0, 0, 0, bits, 0, 0, 0];
        [&head[..], &records.concat()].concat()
    }

    fn record(operation: u8, variant: u8) -> Vec<u8> {
        [&[1, operation, variant, 0][..], &[0; 12]].concat()
    }

    #[test]
    fn the_setter_before_in_the_section() {
        // MOV, IMNMX, LDC, STG, IMNMX, NOP, MEMBAR + NOP, IMNMX, padding.
        let code = code(&[[2, 2], MAX, [2, 2], [2, 2], MAX, NOP, [2, 2], NOP, MAX, NOP]);
        let minimum = record(0x17, 0x1e);
        let records: [&[u8]; 8] = [
            &minimum,
            &record(0x22, 0x0e),
            &record(0x38, 0x0e),
            &minimum,
            &[0xd0, 0],
            &[&[0x51, 1][..], &record(0x49, 0x10)].concat(),
            &minimum,
            &[0xd0, 0],
        ];
        let capsule = capsule(9, 0b1, &records);
        let found =
            |address, lines_of, follows, mercury_size| Imnmx { address, lines_of, follows, mercury_size };
        let want = [
            found(0x10, None, false, 16),
            found(0x40, Some(0x20), false, 16),
            found(0x50, Some(0x20), false, 0),
            found(0x80, Some(0x60), true, 16),
            found(0x90, Some(0x60), false, 0),
        ];
        assert_eq!(imnmx_instructions(target(110), &code, &capsule), want);
        assert_eq!(imnmx_instructions(target(100), &code, &capsule), []);
        // Without a capsule of this code nothing is known but the place.
        let alone = [0x10, 0x40, 0x80].map(|address| found(address, None, false, 0));
        for other in [&[][..], capsule.get(..60).unwrap_or_default()] {
            assert_eq!(imnmx_instructions(target(110), &code, other), alone);
        }
    }

    #[test]
    fn what_is_a_setter() {
        let setters = |[operation, variant]: [u8; 2], is_expanded| {
            ["13.1", "13.2", "13.3", "13.4"].map(|release| {
                let release = Release::of_version(release).unwrap_or(Release::OLDEST);
                is_setter(Operation { code: [operation, variant], is_expanded }, release)
            })
        };
        for code in [[0x0b, 0x04], [0x47, 0x58], [0x49, 0x0e]] {
            assert_eq!(setters(code, false), [true; 4]);
        }
        assert_eq!(setters([0x4e, 0x44], true), [true; 4]);
        assert_eq!(setters([0x38, 0x0e], false), [false; 4]);
        for code in [[0x23, 0x30], [0x63, 0x04], [0x09, 0x02], [0x09, 0x04]] {
            assert_eq!(setters(code, true), [false; 4]);
        }
        assert_eq!(setters([0x5a, 0x0c], false), [true, false, false, false]);
        for code in [[0x00, 0x0a], [0x00, 0x0c], [0x1b, 0x42], [0x1b, 0x4c], [0x39, 0x10], [0x39, 0x12]] {
            assert_eq!(setters(code, false), [false, false, true, true]);
        }
        assert_eq!(setters([0x18, 0x00], false), [false, false, false, true]);
    }
}
