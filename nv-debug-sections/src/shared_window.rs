//! `.nv_debug.shared`: the shared variables that are not in a kernel's `.nv.shared.F`.
//!
//! The section has a size and no bytes (`SHT_NOBITS`); what it says is in its header and in the
//! symbols defined in it, so that the codec goes from these to a [`SharedWindow`] and back.
//! docs/formats/container.md, shared variables; observed: ptxas 13.0.88, sm_75, 90, 100, 121, by
//! probes with `.shared` variables of several kinds, and all the files of the corpus that have one.
//! It appears
//!
//! * in executables with `-g`, for `extern .shared` arrays without a size (used or not), and for
//!   variables that only device functions use (one file). Size: the system's reserve
//!   (0x400 from sm_90 on) and these variables; alignment 16 for the arrays, whatever they ask for.
//!   An array's symbol has size 0 and as its value where the kernels' own variables end.
//! * in relocatable objects, with `-g` or not, for every `.shared` variable at module scope with a
//!   definition. Addresses are the linker's to give, so a symbol's value is its alignment, as in
//!   ELF's common symbols. Arrays without a size are undefined symbols there. Objects of `-ewp`
//!   have the arrays, with the value 0.
//!
//! `.nv.merc.symtab` repeats the symbols of executables with the value 0.
//!
//! ```
//! use nv_debug_sections::cubin::SectionIndex;
//! use nv_debug_sections::shared_window::{self, LinkStage, SharedVariable, SharedWindow};
//! let partial = SharedVariable { name: "partial", binding: 2, value: 8, size: 32 };
//! let window = SharedWindow { stage: LinkStage::Unlinked, size: 32, align: 8, variables: vec![partial] };
//! let index = SectionIndex(32);
//! let (section, symbols) = shared_window::encode(&window, index)?;
//! assert_eq!((section.sh_type, section.align, symbols[0].shndx), (0x7000_000a, 8, 32));
//! assert_eq!(shared_window::decode(&section, index, [("partial", &symbols[0])])?, window);
//! # Ok::<(), nv_debug_sections::Error>(())
//! ```

use crate::address_space::shared_window_reserve;
use crate::catalog::SectionKind;
use crate::cubin::{Contents, Cubin, Section, SectionIndex, Symbol, SymbolIndex, sht};
use crate::release::Target;
use crate::{Error, ErrorKind, Result};
use object::elf;

/// The name of the section, `.nv_debug.shared`.
pub const NAME: &str = SectionKind::NvDebugShared.name();

/// `SHF_WRITE` and `SHF_ALLOC`, the section's flags in every file seen.
const FLAGS: u64 = 3;
/// Bytes of an `Elf64_Sym`.
const SYMBOL_SIZE: u64 = 24;

/// Whether a file is linked. Only in a linked file do shared variables have addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkStage {
    /// The file is linked: the values of shared variables are byte offsets in the shared window of
    /// a thread block.
    Linked,
    /// The file is not linked (`-c`, `-ewp`): the values of shared variables are alignments.
    Unlinked,
}

/// How a stage shows in the section header and the symbols.
const fn marks(stage: LinkStage) -> (u32, u8, u8) {
    match stage {
        LinkStage::Linked => (elf::SHT_NOBITS.0, elf::STT_OBJECT.0, 0),
        LinkStage::Unlinked => (sht::CUDA_SHARED, Symbol::CUDA_OBJECT, Symbol::CUDA_SHARED),
    }
}

/// The section `.nv_debug.shared` and the variables that it defines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SharedWindow<'c> {
    /// Whether the file is linked, which decides whether the variables' values are offsets or
    /// alignments.
    pub stage: LinkStage,
    /// The size of the window in bytes, `sh_size`.
    pub size: u64,
    /// The alignment of the window, `sh_addralign`: a power of two.
    pub align: u64,
    /// The shared variables, in the order of their symbols.
    pub variables: Vec<SharedVariable<'c>>,
}

/// A shared variable that `.nv_debug.shared` defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SharedVariable<'c> {
    /// The name of the variable's symbol.
    pub name: &'c str,
    /// The binding of the variable's symbol, `STB_*`: 0 local, 1 global (`.visible`, `.extern`), 2
    /// weak.
    pub binding: u8,
    /// The value of the variable's symbol. In a linked file it is the byte offset in the shared
    /// window, including the system's reserve; otherwise it is the alignment in bytes.
    pub value: u64,
    /// The size of the variable in bytes; 0 for an array without a size.
    pub size: u64,
}

impl<'c> SharedWindow<'c> {
    /// Reads the window of shared memory from the section `.nv_debug.shared` of a cubin; `None` if
    /// the cubin has no such section.
    ///
    /// # Errors
    ///
    /// As [`decode`].
    pub fn of(cubin: &'c Cubin<'_>) -> Result<Option<Self>> {
        let Some(index) = cubin.section_by_name(NAME) else { return Ok(None) };
        let symbols =
            (0..).zip(cubin.symbols()).map(|(at, symbol)| (cubin.symbol_name(SymbolIndex(at)), symbol));
        decode(cubin.section(index)?, index, symbols).map(Some)
    }

    /// The number of bytes that the window's own variables take on an SM. In a linked file this is
    /// the size of the window less the system's reserve.
    pub fn own_size(&self, target: Target) -> u64 {
        match self.stage {
            LinkStage::Linked => self.size.saturating_sub(shared_window_reserve(target)),
            LinkStage::Unlinked => self.size,
        }
    }
}

/// Decodes the window of shared memory from the header of `.nv_debug.shared`, the section with the
/// index `index`, and the symbols that it defines. `symbols` are all symbols of `.symtab`, with
/// names.
///
/// # Errors
///
/// [`ErrorKind::Value`] for a header (offset 0 of this section) or a symbol (its offset in
/// `.symtab`) that [`encode`] would not make.
pub fn decode<'c, 's>(
    section: &Section<'_>,
    index: SectionIndex,
    symbols: impl IntoIterator<Item = (&'c str, &'s Symbol)>,
) -> Result<SharedWindow<'c>> {
    let stage =
        [LinkStage::Linked, LinkStage::Unlinked].into_iter().find(|stage| marks(*stage).0 == section.sh_type);
    let expected = "SHT_NOBITS or 0x7000000a";
    let stage = stage.ok_or_else(|| header_fault("sh_type", section.sh_type.into(), expected))?;
    let Contents::NoBits(size) = section.contents else {
        return Err(header_fault("sh_type", section.sh_type.into(), "a section without bytes in the file"));
    };
    let zero = [section.address, section.link.into(), section.info.into(), section.entsize];
    for (field, found) in ["sh_addr", "sh_link", "sh_info", "sh_entsize"].into_iter().zip(zero) {
        if found != 0 {
            return Err(header_fault(field, found, "0"));
        }
    }
    if section.flags != FLAGS {
        return Err(header_fault("sh_flags", section.flags, "3, SHF_WRITE and SHF_ALLOC"));
    }
    check_align(section.align)?;
    let mut variables = Vec::new();
    for (at, (name, symbol)) in (0..).zip(symbols) {
        if symbol.section() != Some(index) || symbol.is_section() {
            continue;
        }
        let (_, kind, other) = marks(stage);
        for (field, found, want) in [("st_info", symbol.kind(), kind), ("st_other", symbol.other, other)] {
            if found != want {
                let expected = "a variable's, linked or not as the section is";
                let kind = ErrorKind::Value { field, found: found.into(), expected };
                return Err(Error::new(".symtab", at * SYMBOL_SIZE, kind));
            }
        }
        let (binding, value, size) = (symbol.binding(), symbol.value, symbol.size);
        variables.push(SharedVariable { name, binding, value, size });
    }
    Ok(SharedWindow { stage, size, align: section.align, variables })
}

/// Encodes the section `.nv_debug.shared`, which stands for the window of shared memory: its
/// header, and a symbol for each `.shared` variable. The names are not part of them.
///
/// # Errors
///
/// [`ErrorKind::Value`] for an alignment that is not a power of two, [`ErrorKind::DoesNotFit`] for
/// a binding from 16 on.
pub fn encode(window: &SharedWindow<'_>, index: SectionIndex) -> Result<(Section<'static>, Vec<Symbol>)> {
    let (sh_type, kind, other) = marks(window.stage);
    check_align(window.align)?;
    let contents = Contents::NoBits(window.size);
    let section = Section { sh_type, flags: FLAGS, align: window.align, contents, ..Section::default() };
    let mut symbols = Vec::with_capacity(window.variables.len());
    for &SharedVariable { binding, value, size, .. } in &window.variables {
        if binding > 15 {
            let kind = ErrorKind::DoesNotFit { what: "a binding", value: binding.into(), field: "4 bits" };
            return Err(Error::new(NAME, 0, kind));
        }
        symbols.push(Symbol { name: 0, info: binding << 4 | kind, other, shndx: index.0, value, size });
    }
    Ok((section, symbols))
}

fn check_align(align: u64) -> Result<()> {
    if align.is_power_of_two() { Ok(()) } else { Err(header_fault("sh_addralign", align, "a power of two")) }
}

fn header_fault(field: &'static str, found: u64, expected: &'static str) -> Error {
    Error::new(NAME, 0, ErrorKind::Value { field, found, expected })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Release;
    use proptest::prelude::*;

    const INDEX: SectionIndex = SectionIndex(9);

    fn decoded<'c>(section: &Section<'_>, names: &[&'c str], symbols: &[Symbol]) -> Result<SharedWindow<'c>> {
        decode(section, INDEX, names.iter().copied().zip(symbols))
    }

    fn sample() -> SharedWindow<'static> {
        let variables = vec![SharedVariable { name: "slots", binding: 1, value: 0x400, size: 0 }];
        SharedWindow { stage: LinkStage::Linked, size: 0x400, align: 16, variables }
    }

    #[test]
    fn other_symbols_and_the_section_s_own_are_no_variables() {
        let (section, symbols) = encode(&sample(), INDEX).unwrap();
        let own = Symbol { info: elf::STT_SECTION.0, shndx: INDEX.0, ..Symbol::default() };
        let other = Symbol { shndx: 8, ..symbols[0] };
        let window = decoded(&section, &["", "x", "slots"], &[own, other, symbols[0]]).unwrap();
        assert_eq!(window, sample());
        let own = |sm| window.own_size(Release::V13_0.target(sm));
        assert_eq!((own(90), own(89)), (0, 0x400));
    }

    #[test]
    fn numbers_of_both_stages() {
        for (stage, sh_type, kind, other) in
            [(LinkStage::Linked, 8, 1, 0), (LinkStage::Unlinked, 0x7000_000a, 13, 0x40)]
        {
            let (section, symbols) = encode(&SharedWindow { stage, ..sample() }, INDEX).unwrap();
            assert_eq!((section.sh_type, section.flags, section.align), (sh_type, 3, 16));
            assert_eq!((section.link, section.info, section.entsize), (0, 0, 0));
            assert!(matches!(section.contents, Contents::NoBits(0x400)));
            let variable = symbols[0];
            assert_eq!((variable.info, variable.other, variable.shndx), (0x10 | kind, other, INDEX.0));
        }
    }

    #[test]
    fn what_would_not_come_back_is_refused() {
        let (section, symbols) = encode(&sample(), INDEX).unwrap();
        let changes: [fn(&mut Section<'static>); 9] = [
            |s| s.sh_type = 1,
            |s| s.contents = Contents::Bytes(b"x"[..].into()),
            |s| s.flags = 7,
            |s| s.align = 3,
            |s| s.align = 0,
            |s| s.link = 1,
            |s| s.info = 1,
            |s| s.entsize = 1,
            |s| s.address = 1,
        ];
        for change in changes {
            let mut section = section.clone();
            change(&mut section);
            let error = decoded(&section, &["slots"], &symbols).unwrap_err();
            assert_eq!((error.section(), error.offset()), (NAME, 0));
        }
        // The symbol of a variable that is not linked, in a section that is.
        let unlinked = Symbol { info: 0x1d, ..symbols[0] };
        let error = decoded(&section, &["a", "slots"], &[symbols[0], unlinked]).unwrap_err();
        assert_eq!((error.section(), error.offset()), (".symtab", 24));
        let mut window = sample();
        window.variables[0].binding = 16;
        assert!(encode(&window, INDEX).is_err());
    }

    proptest! {
        #[test]
        fn windows_come_back(
            linked: bool,
            size: u64,
            align in 0_u32..64,
            variables in prop::collection::vec((0_u8..16, any::<u64>(), any::<u64>()), 0..5),
        ) {
            let stage = if linked { LinkStage::Linked } else { LinkStage::Unlinked };
            let variable = |(binding, value, size)| SharedVariable { name: "v", binding, value, size };
            let variables: Vec<_> = variables.into_iter().map(variable).collect();
            let window = SharedWindow { stage, size, align: 1 << align, variables };
            let (section, symbols) = encode(&window, INDEX).unwrap();
            prop_assert_eq!(decoded(&section, &vec!["v"; symbols.len()], &symbols).unwrap(), window);
        }
    }
}
