//! `DW_AT_address_class` of variables and pointer types: which memory of the GPU an address is in.
//!
//! Sources: PTX Writer's Guide to Interoperability §6.2, "CUDA-Specific DWARF Definitions" (1 to
//! 12, `ADDR_*_space`); `ptxStorageKind` of NVIDIA's cudadebugger.h (CUDA-GDB, open source) for 13
//! to 16. DWARF 2.0.0 §2.16 leaves the values to the architecture, and 0, `DW_ADDR_none`, for none.

mod section_memory;

use crate::cubin::Symbol;
use std::fmt;

pub use section_memory::{constant_bank, memory_of_section};

/// A memory or register class that `DW_AT_address_class` can name. CUDA-GDB reads an entry without
/// the attribute as [`Global`](Self::Global).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum AddressClass {
    /// Code memory.
    Code = 1,
    /// A PTX register, which `DW_OP_regx` names.
    Register = 2,
    /// A special register, such as `%tid`.
    SpecialRegister = 3,
    /// Constant memory (`.const`): the address is a byte offset in the constant bank.
    Constant = 4,
    /// Global memory (`.global`).
    Global = 5,
    /// Local memory (`.local`): the address is an offset in a thread's own memory.
    Local = 6,
    /// Parameters (`.param`): the address is a byte offset in the constant bank,
    /// [`parameter_base`](crate::address_space::parameter_base) included.
    Parameter = 7,
    /// Shared memory (`.shared`): the address is a byte offset in the shared window,
    /// [`shared_window_reserve`](crate::address_space::shared_window_reserve) included.
    Shared = 8,
    /// The surface space (`ADDR_surf_space`): the variable is a surface.
    Surface = 9,
    /// The texture space (`ADDR_tex_space`): the variable is a texture.
    Texture = 10,
    /// The sampler space (`ADDR_tex_sampler_space`): the variable is a sampler of textures.
    Sampler = 11,
    /// Generic addressing: the window in which an address lies tells the memory.
    Generic = 12,
    /// The input parameters of a function. Only CUDA-GDB defines this class.
    InputParameter = 13,
    /// The output parameters of a function. Only CUDA-GDB defines this class.
    OutputParameter = 14,
    /// Stack memory: the address is an offset from the frame. Only CUDA-GDB defines this class.
    Frame = 15,
    /// A uniform register. Only CUDA-GDB defines this class.
    UniformRegister = 16,
}

/// The facts about one address class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    class: AddressClass,
    /// In the PTX Writer's Guide; where that has none, `ptxStorageKind`'s.
    name: &'static str,
    /// PTX state space, without its dot, of the variables that have this class.
    space: Option<&'static str>,
}

const fn row(class: AddressClass, name: &'static str, space: Option<&'static str>) -> Row {
    Row { class, name, space }
}

/// All classes, by ascending number, from 1 without a gap.
const CLASSES: [Row; 16] = [
    row(AddressClass::Code, "ADDR_code_space", None),
    row(AddressClass::Register, "ADDR_reg_space", Some("reg")),
    row(AddressClass::SpecialRegister, "ADDR_sreg_space", Some("sreg")),
    row(AddressClass::Constant, "ADDR_const_space", Some("const")),
    row(AddressClass::Global, "ADDR_global_space", Some("global")),
    row(AddressClass::Local, "ADDR_local_space", Some("local")),
    row(AddressClass::Parameter, "ADDR_param_space", Some("param")),
    row(AddressClass::Shared, "ADDR_shared_space", Some("shared")),
    row(AddressClass::Surface, "ADDR_surf_space", None),
    row(AddressClass::Texture, "ADDR_tex_space", Some("tex")),
    row(AddressClass::Sampler, "ADDR_tex_sampler_space", None),
    row(AddressClass::Generic, "ADDR_generic_space", None),
    row(AddressClass::InputParameter, "ptxIParamStorage", None),
    row(AddressClass::OutputParameter, "ptxOParamStorage", None),
    row(AddressClass::Frame, "ptxFrameStorage", None),
    row(AddressClass::UniformRegister, "ptxURegStorage", None),
];

impl AddressClass {
    /// Returns the address class for a `DW_AT_address_class` value; `None` for 0 and for an unknown
    /// value.
    pub fn of_value(value: u64) -> Option<Self> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        CLASSES.get(index).map(|row| row.class)
    }

    /// Returns the address class of variables in a PTX state space, given the space's name without
    /// the dot (PTX ISA, State Spaces).
    pub fn of_state_space(space: &str) -> Option<Self> {
        CLASSES.iter().find(|row| row.space == Some(space)).map(|row| row.class)
    }

    fn row(self) -> Option<&'static Row> {
        CLASSES.get(usize::from(self as u8) - 1)
    }

    /// Returns the value of `DW_AT_address_class` for this class.
    pub fn value(self) -> u8 {
        self as u8
    }

    /// Returns NVIDIA's name of the class, such as `ADDR_shared_space`.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// Returns the PTX state space of variables that have this class, without its dot: `shared`.
    pub fn state_space(self) -> Option<&'static str> {
        self.row().and_then(|row| row.space)
    }
}

impl AddressClass {
    /// Whether a variable of this class can lie in `memory`: the memory has the same class, or
    /// addresses of the class can also refer to that memory.
    ///
    /// A generic address of global memory is the same number. Textures, surfaces and samplers are
    /// `.global` variables. Parameters are in a constant bank.
    pub fn fits(self, memory: Self) -> bool {
        self == memory
            || match memory {
                Self::Global => matches!(self, Self::Generic | Self::Surface | Self::Texture | Self::Sampler),
                Self::Parameter => {
                    matches!(self, Self::Constant | Self::InputParameter | Self::OutputParameter)
                }
                Self::Local => self == Self::Frame,
                Self::Register => self == Self::UniformRegister,
                _ => false,
            }
    }

    /// Whether a linked file has addresses of this class as plain numbers, without a relocation.
    ///
    /// Offsets in the shared window and among the parameters are numbers. Code, constants and
    /// global variables are known by their sections, places in local memory by the frame that they
    /// are in, and registers have no address.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Shared | Self::Parameter | Self::InputParameter | Self::OutputParameter)
    }

    /// Whether this class is a class of registers, which have no address.
    pub fn is_register(self) -> bool {
        matches!(self, Self::Register | Self::SpecialRegister | Self::UniformRegister)
    }

    /// Returns the memory of a variable that is defined in another file, as its undefined symbol
    /// states it; `None` if the symbol does not state it.
    pub fn of_undefined(symbol: &Symbol) -> Option<Self> {
        match (symbol.kind(), symbol.other) {
            (Symbol::CUDA_OBJECT, Symbol::CUDA_GLOBAL) => Some(Self::Global),
            (Symbol::CUDA_OBJECT, Symbol::CUDA_SHARED) => Some(Self::Shared),
            (Symbol::CUDA_OBJECT, Symbol::CUDA_CONSTANT) => Some(Self::Constant),
            _ => None,
        }
    }
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // PTX Writer's Guide to Interoperability, table of §6.2, and what LLVM's NVPTX back end writes
    // (NVPTXAddrSpace.h).
    #[test]
    fn values_are_those_of_the_guide() {
        for (name, value, space) in [
            ("ADDR_code_space", 1, None),
            ("ADDR_reg_space", 2, Some("reg")),
            ("ADDR_sreg_space", 3, Some("sreg")),
            ("ADDR_const_space", 4, Some("const")),
            ("ADDR_global_space", 5, Some("global")),
            ("ADDR_local_space", 6, Some("local")),
            ("ADDR_param_space", 7, Some("param")),
            ("ADDR_shared_space", 8, Some("shared")),
            ("ADDR_surf_space", 9, None),
            ("ADDR_tex_space", 10, Some("tex")),
            ("ADDR_tex_sampler_space", 11, None),
            ("ADDR_generic_space", 12, None),
        ] {
            let class = AddressClass::of_value(value).unwrap();
            assert_eq!((class.name(), u64::from(class.value()), class.state_space()), (name, value, space));
            assert!(space.is_none_or(|space| AddressClass::of_state_space(space) == Some(class)));
        }
    }

    // Sections of cubins of ptxas 13.0.88 (docs/formats/entries.md, address classes).
    #[test]
    fn memories_of_sections() {
        for (name, memory) in [
            (".nv.global", Some(AddressClass::Global)),
            (".nv.global.init", Some(AddressClass::Global)),
            (".nv.constant3", Some(AddressClass::Constant)),
            (".nv.constant2.kernel", Some(AddressClass::Constant)),
            (".nv.constant0.kernel", Some(AddressClass::Parameter)),
            (".nv.shared.kernel", Some(AddressClass::Shared)),
            (".nv_debug.shared", Some(AddressClass::Shared)),
            (".nv.local.kernel", Some(AddressClass::Local)),
            (".text.kernel", Some(AddressClass::Code)),
            (".nv.globals", None),
            (".nv.constantx", None),
            (".debug_info", None),
        ] {
            assert_eq!(memory_of_section(name), memory, "{name}");
        }
        assert!(
            AddressClass::Generic.fits(AddressClass::Global)
                && AddressClass::Texture.fits(AddressClass::Global)
        );
        assert!(
            !AddressClass::Shared.fits(AddressClass::Global)
                && !AddressClass::Global.fits(AddressClass::Constant)
        );
    }

    // `st_info` and `st_other` of undefined variables in relocatable cubins of ptxas 13.0.88:
    // `.extern .global`, `.shared`, `.const`.
    #[test]
    fn undefined_variables_say_their_memory() {
        for (info, other, memory) in [
            (0x1d, 0x20, Some(AddressClass::Global)),
            (0x1d, 0x40, Some(AddressClass::Shared)),
            (0x1d, 0x80, Some(AddressClass::Constant)),
            (0x1d, 0, None),
            (0x12, 0x20, None),
            (0, 0, None),
        ] {
            let symbol = Symbol { info, other, ..Symbol::default() };
            assert_eq!(AddressClass::of_undefined(&symbol), memory, "{info:#x} {other:#x}");
        }
    }

    #[test]
    fn the_table_has_no_gap() {
        for (value, row) in (1..).zip(CLASSES) {
            assert_eq!(
                (u64::from(row.class.value()), AddressClass::of_value(value)),
                (value, Some(row.class))
            );
        }
        assert!([0, 17, u64::MAX].iter().all(|value| AddressClass::of_value(*value).is_none()));
        assert_eq!(AddressClass::of_state_space("sharedd"), None);
    }

    proptest! {
        #[test]
        fn values_come_back(value in prop_oneof![0_u64..20, any::<u64>()]) {
            let class = AddressClass::of_value(value);
            prop_assert_eq!(class.map(|class| u64::from(class.value())), Some(value).filter(|value| (1..=16).contains(value)));
            let space = class.and_then(AddressClass::state_space);
            prop_assert!(space.is_none_or(|space| AddressClass::of_state_space(space) == class));
        }
    }
}
