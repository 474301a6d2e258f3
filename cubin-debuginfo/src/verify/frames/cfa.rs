//! The rows of an FDE that have no rule for the CFA (DWARF 2.0.0 §6.4.1).

use dwarf2_writer::Address;
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, Fde};
use std::ops::Range;

/// How a row finds its CFA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum CfaRule {
    /// The row has no rule for the CFA.
    #[default]
    Missing,
    /// The CFA is a register plus an offset. A call frame instruction may change either alone.
    Register,
    /// The CFA is the value of a DWARF expression.
    Expression,
}

/// What the FDEs of a CIE start from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CieRows {
    rule: CfaRule,
    code_alignment: u64,
}

/// The rule that a CIE ends with.
pub(super) fn of_cie(cie: &Cie) -> CieRows {
    let mut rows = Rows::new(CfaRule::Missing);
    cie.instructions.iter().for_each(|instruction| rows.change(instruction));
    CieRows { rule: rows.rule, code_alignment: cie.code_alignment_factor }
}

/// The first stretch of an FDE's code, in bytes from its start, whose rows have no CFA.
pub(super) fn missing(fde: &Fde, first: CieRows) -> Option<Range<u64>> {
    let mut rows = Rows::new(first.rule);
    let (mut at, mut start) = (0_u64, None);
    let instructions = fde.instructions.iter().map(Some).chain([None]);
    for instruction in instructions {
        let next = match instruction.map(|instruction| step(instruction, fde, first.code_alignment, at)) {
            Some(Some(next)) => next,
            Some(None) => {
                if let Some(instruction) = instruction {
                    rows.change(instruction);
                }
                continue;
            }
            None => fde.address_range,
        };
        // A row without bytes says nothing; ptxas also writes steps back.
        if next > at && at < fde.address_range {
            match (rows.rule, start) {
                (CfaRule::Missing, None) => start = Some(at),
                (CfaRule::Register | CfaRule::Expression, Some(start)) => return Some(start..at),
                _ => {}
            }
        }
        at = next;
    }
    start.map(|start| start..fde.address_range)
}

/// Where the row after this instruction begins, in bytes from the start of the FDE; `None` if it
/// begins no row.
fn step(instruction: &Cfi, fde: &Fde, code_alignment: u64, at: u64) -> Option<u64> {
    let units = match instruction {
        Cfi::AdvanceLoc(units) | Cfi::AdvanceLoc1(units) => u64::from(*units),
        Cfi::AdvanceLoc2(units) => u64::from(*units),
        // A step back is a negative number of 32 bits.
        Cfi::AdvanceLoc4(units) => i64::from(units.cast_signed()).cast_unsigned(),
        Cfi::SetLoc(address) => return Some(distance(fde.initial_location, *address).unwrap_or(at)),
        _ => return None,
    };
    Some(at.wrapping_add(units.wrapping_mul(code_alignment)))
}

/// Bytes from one address to another, where both count from the same symbol or from none.
fn distance(from: Address, to: Address) -> Option<u64> {
    match (from, to) {
        (Address::Constant(from), Address::Constant(to)) => Some(to.wrapping_sub(from)),
        (Address::Symbol { symbol: from, addend: first }, Address::Symbol { symbol: to, addend: second })
            if from == to =>
        {
            Some(second.wrapping_sub(first).cast_unsigned())
        }
        _ => None,
    }
}

/// The CFA rule while instructions are carried out.
struct Rows {
    rule: CfaRule,
    remembered: Vec<CfaRule>,
}

impl Rows {
    fn new(rule: CfaRule) -> Self {
        Self { rule, remembered: Vec::new() }
    }

    fn change(&mut self, instruction: &Cfi) {
        match instruction {
            Cfi::DefCfa { .. } | Cfi::DefCfaSf { .. } => self.rule = CfaRule::Register,
            Cfi::DefCfaExpression(_) => self.rule = CfaRule::Expression,
            // Those that change a part need a rule with a register and an offset (DWARF 3
            // §6.4.2.2).
            Cfi::DefCfaRegister { .. } | Cfi::DefCfaOffset(_) | Cfi::DefCfaOffsetSf(_)
                if self.rule != CfaRule::Register =>
            {
                self.rule = CfaRule::Missing;
            }
            Cfi::RememberState => self.remembered.push(self.rule),
            Cfi::RestoreState => self.rule = self.remembered.pop().unwrap_or_default(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwarf2_writer::frame::CieId;

    const DEFINED: Cfi = Cfi::DefCfa { register: 0x500_0001, offset: 0 };

    fn missing_of(cie: &[Cfi], fde: &[Cfi]) -> Option<Range<u64>> {
        let cie = Cie { code_alignment_factor: 4, instructions: cie.to_vec(), ..Cie::default() };
        let fde = Fde {
            cie: CieId(0),
            initial_location: Address::Constant(0),
            address_range: 0x100,
            range_symbol: None,
            instructions: fde.to_vec(),
        };
        missing(&fde, of_cie(&cie))
    }

    #[test]
    fn every_row_needs_a_rule() {
        use Cfi::{AdvanceLoc, AdvanceLoc4, DefCfaOffset, RememberState, RestoreState};
        let back = AdvanceLoc4((-4_i32).cast_unsigned());
        for (cie, fde, expected) in [
            (&[DEFINED][..], &[][..], None),
            (&[], &[], Some(0..0x100)),
            (&[], &[DEFINED], None),
            (&[], &[AdvanceLoc(4), AdvanceLoc(4), DEFINED, AdvanceLoc(4)], Some(0..0x20)),
            // The last row has none, or is after the end.
            (&[DEFINED], &[RememberState, AdvanceLoc(8), DefCfaOffset(16), RestoreState], None),
            (&[DEFINED], &[AdvanceLoc(8), RestoreState], Some(0x20..0x100)),
            (&[DEFINED], &[AdvanceLoc4(0x40), RestoreState], None),
            (&[DEFINED], &[AdvanceLoc(8), back.clone(), AdvanceLoc(1)], None),
            (&[], &[DefCfaOffset(16)], Some(0..0x100)),
            (
                &[],
                &[Cfi::SetLoc(Address::Constant(0x40)), DEFINED, Cfi::SetLoc(Address::Constant(0x80))],
                Some(0..0x40),
            ),
        ] {
            assert_eq!(missing_of(cie, fde), expected, "{cie:?} {fde:?}");
        }
    }
}
