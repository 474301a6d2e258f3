//! The facts of native code that Mercury code lacks and that follow from a capsule.

use crate::clone_policy::native_name;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::address_space::parameter_base;
use nv_debug_sections::catalog::CODE_PREFIX;
use nv_debug_sections::cubin::{Cubin, SectionIndex, Symbol, SymbolIndex};
use nv_debug_sections::nv_info::{self, Attribute, KernelParameter, Record, Value};
use nv_debug_sections::release::Target;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Chips, as 100 for sm_100, with the value of their `SW_WAR`, a set of workarounds. Observed:
/// ptxas 13.0.88; all sections of a file, the suffixes of architectures and options make no
/// difference.
const SW_WAR: [(u32, u32); 5] = [(100, 8), (103, 8), (110, 8), (120, 0), (121, 0)];

/// Returns the `.nv.info` records of a kernel that only the native section has, not its Mercury
/// clone. They are made from the parameter records of the clone, as ptxas and nvlink 13.0 write
/// them for a chip. `constants` is the symbol of the section `.nv.constant0.F`, which a kernel with
/// parameters has; `has_images` says whether the kernel uses `.texref`, `.samplerref` or `.surfref`
/// variables.
///
/// # Errors
///
/// There are parameters but no `constants`, they do not fit 16 bits, or the chip is none of those
/// seen.
pub fn native_only(
    mercury: &[Record<'_>],
    target: Target,
    constants: Option<SymbolIndex>,
    has_images: bool,
) -> Result<Vec<Record<'static>>> {
    let missing = |text: Cow<'static, str>| Error::in_section(nv_info::NAME, ErrorKind::Missing(text));
    let (_, workarounds) = SW_WAR
        .iter()
        .find(|(chip, _)| *chip == target.sm)
        .ok_or_else(|| missing(format!("EIATTR_SW_WAR of sm_{} is not known", target.sm).into()))?;
    let sized = |bytes: Vec<u8>| Value::Sized(Cow::Owned(bytes));
    let mut only = Vec::new();
    if let Some(size) = mercury.iter().filter_map(parameter_end).max() {
        let half = |what, value| {
            let kind = ErrorKind::DoesNotFit { what, value, field: "16 bits" };
            u16::try_from(value).map_err(|_| Error::in_section(nv_info::NAME, kind))
        };
        let base = half("where a kernel's parameters begin", parameter_base(target))?;
        let size = half("the size of a kernel's parameters", size)?;
        let constants =
            constants.ok_or_else(|| missing("a kernel has parameters but no constants".into()))?;
        let [b0, b1] = base.to_le_bytes();
        let [s0, s1] = size.to_le_bytes();
        let bank = [constants.0.to_le_bytes(), [b0, b1, s0, s1]].concat();
        only.push(Record { attribute: Attribute::CBANK_PARAM_SIZE, value: Value::Half(size) });
        only.push(Record { attribute: Attribute::PARAM_CBANK, value: sized(bank) });
    }
    only.push(Record { attribute: Attribute::SW_WAR, value: sized(workarounds.to_le_bytes().to_vec()) });
    if has_images {
        // The constant bank of their headers, bank 0, whichever kinds of variables there are.
        let bank = Value::Byte { value: 0, padding: 0 };
        let banks = [Attribute::BINDLESS_TEXTURE_BANK, Attribute::BINDLESS_SURFACE_BANK];
        only.extend(banks.map(|attribute| Record { attribute, value: bank.clone() }));
    }
    Ok(only)
}

/// Where the parameter of a record ends, in bytes from the first.
fn parameter_end(record: &Record<'_>) -> Option<u64> {
    if record.attribute == Attribute::KPARAM_INFO_V2 {
        // As in KPARAM_INFO, but with 16 bits for a size. Observed: cuobjdump 13.2.86, each bit set
        // in turn.
        let (place, size) = (record.words().nth(1)?, record.words().nth(2)?);
        return Some(u64::from(place >> 16) + u64::from(size & 0xffff));
    }
    let KernelParameter { offset, size, .. } = record.parameter()?;
    Some(u64::from(offset) + u64::from(size))
}

/// Gives, for each function of a cubin, the function whose stack frame it uses. That is the
/// function after which the code section is named.
///
/// Observed: ptxas 13.0.88, all 324 functions of the corpus that are in another's section.
#[derive(Debug, Clone)]
pub struct FrameOwners<'c> {
    symbols: &'c [Symbol],
    /// By capsule, the function that it is named after.
    owners: HashMap<SectionIndex, SymbolIndex>,
}

impl<'c> FrameOwners<'c> {
    /// Finds, for each function of a cubin, the function whose stack frame it uses, from the
    /// symbols of the Mercury code.
    ///
    /// # Errors
    ///
    /// That of [`Cubin::check_name_expansion`].
    pub fn of(cubin: &'c Cubin<'_>) -> Result<Self> {
        cubin.check_name_expansion()?;
        let Some(symtab) = cubin.mercury_symtab() else {
            return Ok(Self { symbols: &[], owners: HashMap::new() });
        };
        let owner = |name: &str| Some(native_name(name)?.strip_prefix(CODE_PREFIX)?.to_owned());
        let names: HashMap<SectionIndex, String> =
            cubin.iter().filter_map(|(index, name, _)| Some((index, owner(name)?))).collect();
        let symbols = cubin.symbols_of(symtab);
        let owners = (0..).map(SymbolIndex).zip(symbols).filter_map(|(number, symbol)| {
            let section = symbol.section().filter(|_| symbol.is_function())?;
            (names.get(&section)? == cubin.symbol_name_in(symtab, number)).then_some((section, number))
        });
        Ok(Self { symbols, owners: owners.collect() })
    }

    /// Returns the native frame size of each function in bytes, by symbols of `.nv.merc.symtab`:
    /// the Mercury frame size of the function whose stack frame it uses. `mercury` has the records
    /// of `.nv.merc.nv.info`. A function is left out if it has no section, or if no function has
    /// the name of its section.
    pub fn sizes(&self, mercury: &[Record<'_>]) -> BTreeMap<SymbolIndex, u32> {
        let needs = nv_info::functions(mercury);
        let size = |symbol: &SymbolIndex| {
            let function = self.symbols.get(symbol.as_usize()).filter(|symbol| symbol.is_function())?;
            needs.get(self.owners.get(&function.section()?)?)?.frame_size
        };
        needs.keys().filter_map(|symbol| Some((*symbol, size(symbol)?))).collect()
    }
}
