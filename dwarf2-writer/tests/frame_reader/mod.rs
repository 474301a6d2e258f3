//! `.debug_frame` to values, for the round trip over the corpus.
#![allow(non_upper_case_globals, clippy::wildcard_imports, reason = "all of DW_CFA_*, as patterns")]

use dwarf2_writer::constants::*;
use dwarf2_writer::frame::{CallFrameInstruction as Cfi, Cie, CieId, Fde, FrameTable, Params};
use dwarf2_writer::{Address, Expression, Format, Section};
use leb128_nv::{read_sleb128, read_uleb128};

type Result<T> = std::result::Result<T, String>;

/// The bytes not read yet.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len).ok_or("cut short")?;
        self.0 = rest;
        Ok(head)
    }

    fn number(&mut self, width: usize) -> Result<u64> {
        let mut bytes = [0; 8];
        bytes[..width].copy_from_slice(self.take(width)?);
        Ok(u64::from_le_bytes(bytes))
    }

    fn uleb(&mut self) -> Result<u64> {
        let (value, len) = read_uleb128(self.0).map_err(|error| error.to_string())?;
        self.take(len).map(|_| value)
    }

    fn sleb(&mut self) -> Result<i64> {
        let (value, len) = read_sleb128(self.0).map_err(|error| error.to_string())?;
        self.take(len).map(|_| value)
    }

    fn expression(&mut self) -> Result<Expression> {
        let len = self.uleb()?;
        Ok(self.take(len as usize)?.to_vec().into())
    }
}

/// Decodes all entries and writes them again; padding is part of the instructions, as `Nop`.
///
/// A CIE pointer (8 bytes) to no CIE is taken for the nearest CIE before it, and returned with its
/// place.
pub(crate) fn rewrite(data: &[u8]) -> Result<(Section, Vec<(usize, u64)>)> {
    let format = if data.starts_with(&[0xff; 4]) { Format::Dwarf64 } else { Format::Dwarf32 };
    let mut out =
        FrameTable::new(Params { format, ..Params::default() }).map_err(|error| error.to_string())?;
    let (mut cies, mut stray) = (Vec::new(), Vec::new());
    let mut input = Input(data);
    while !input.0.is_empty() {
        let start = (data.len() - input.0.len()) as u64;
        let (width, id_of_cie) = match format {
            Format::Dwarf32 => (4, u64::from(u32::MAX)),
            Format::Dwarf64 => (8, u64::MAX),
        };
        input.take(width - 4)?; // the escape
        let len = input.number(width)?;
        let mut entry = Input(input.take(len as usize)?);
        let id = entry.number(width)?;
        if id == id_of_cie {
            out.cie(&cie(&mut entry)?).map_err(|error| error.to_string())?;
            cies.push(start);
        } else {
            let index = cies.iter().position(|cie| *cie == id).unwrap_or_else(|| {
                stray.push((start as usize + 12, id));
                cies.len() - 1
            });
            let fde = Fde {
                cie: CieId(index as u32),
                initial_location: Address::Constant(entry.number(8)?),
                address_range: entry.number(8)?,
                range_symbol: None,
                instructions: instructions(&mut entry)?,
            };
            out.fde(&fde).map_err(|error| error.to_string())?;
        }
    }
    Ok((out.finish(), stray))
}

fn cie(entry: &mut Input<'_>) -> Result<Cie> {
    let version = entry.number(1)? as u8;
    let end = entry.0.iter().position(|byte| *byte == 0).ok_or("augmentation")?;
    let augmentation = entry.take(end)?.to_vec();
    entry.take(1)?;
    Ok(Cie {
        version,
        augmentation,
        code_alignment_factor: entry.uleb()?,
        data_alignment_factor: entry.sleb()?,
        return_address_register: if version == 1 { entry.number(1)? } else { entry.uleb()? },
        instructions: instructions(entry)?,
    })
}

fn instructions(entry: &mut Input<'_>) -> Result<Vec<Cfi>> {
    let mut found = Vec::new();
    while !entry.0.is_empty() {
        found.push(instruction(entry)?);
    }
    Ok(found)
}

fn instruction(i: &mut Input<'_>) -> Result<Cfi> {
    let opcode = i.number(1)? as u8;
    let low = opcode & 0x3f;
    Ok(match opcode & 0xc0 {
        DW_CFA_advance_loc => Cfi::AdvanceLoc(low),
        DW_CFA_offset => Cfi::Offset { register: low, factored_offset: i.uleb()? },
        DW_CFA_restore => Cfi::Restore { register: low },
        _ => match opcode {
            DW_CFA_nop => Cfi::Nop,
            DW_CFA_set_loc => Cfi::SetLoc(Address::Constant(i.number(8)?)),
            DW_CFA_advance_loc1 => Cfi::AdvanceLoc1(i.number(1)? as u8),
            DW_CFA_advance_loc2 => Cfi::AdvanceLoc2(i.number(2)? as u16),
            DW_CFA_advance_loc4 => Cfi::AdvanceLoc4(i.number(4)? as u32),
            DW_CFA_offset_extended => Cfi::OffsetExtended { register: i.uleb()?, factored_offset: i.uleb()? },
            DW_CFA_offset_extended_sf => {
                Cfi::OffsetExtendedSf { register: i.uleb()?, factored_offset: i.sleb()? }
            }
            DW_CFA_val_offset => Cfi::ValOffset { register: i.uleb()?, factored_offset: i.uleb()? },
            DW_CFA_val_offset_sf => Cfi::ValOffsetSf { register: i.uleb()?, factored_offset: i.sleb()? },
            DW_CFA_restore_extended => Cfi::RestoreExtended { register: i.uleb()? },
            DW_CFA_undefined => Cfi::Undefined { register: i.uleb()? },
            DW_CFA_same_value => Cfi::SameValue { register: i.uleb()? },
            DW_CFA_register => Cfi::Register { register: i.uleb()?, source: i.uleb()? },
            DW_CFA_remember_state => Cfi::RememberState,
            DW_CFA_restore_state => Cfi::RestoreState,
            DW_CFA_def_cfa => Cfi::DefCfa { register: i.uleb()?, offset: i.uleb()? },
            DW_CFA_def_cfa_sf => Cfi::DefCfaSf { register: i.uleb()?, factored_offset: i.sleb()? },
            DW_CFA_def_cfa_register => Cfi::DefCfaRegister { register: i.uleb()? },
            DW_CFA_def_cfa_offset => Cfi::DefCfaOffset(i.uleb()?),
            DW_CFA_def_cfa_offset_sf => Cfi::DefCfaOffsetSf(i.sleb()?),
            DW_CFA_def_cfa_expression => Cfi::DefCfaExpression(i.expression()?),
            DW_CFA_expression => Cfi::Expression { register: i.uleb()?, expression: i.expression()? },
            DW_CFA_val_expression => Cfi::ValExpression { register: i.uleb()?, expression: i.expression()? },
            other => return Err(format!("call frame instruction {other:#x}")),
        },
    })
}
