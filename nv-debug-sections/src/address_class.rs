//! `DW_AT_address_class` of variables and pointer types: which memory of the GPU an address is in.
//!
//! Sources: PTX Writer's Guide to Interoperability §6.2, "CUDA-Specific DWARF Definitions" (1 to 12, `ADDR_*_space`); `ptxStorageKind` of NVIDIA's
//! cudadebugger.h (CUDA-GDB, open source) for 13 to 16. DWARF 2.0.0 §2.16 leaves the values to the architecture, and 0, `DW_ADDR_none`, for
//! none.

use std::fmt;

/// A class with a name. An entry without one is taken for [`Global`](Self::Global) by CUDA-GDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum AddressClass {
    /// Code.
    Code = 1,
    /// A register: what `DW_OP_regx` names.
    Register = 2,
    /// A special register.
    SpecialRegister = 3,
    /// `.const`: byte offset in the constant bank.
    Constant = 4,
    /// `.global`.
    Global = 5,
    /// `.local`: offset in a thread's own memory.
    Local = 6,
    /// `.param`: byte offset in the constant bank, [`parameter_base`](crate::address_space::parameter_base) included.
    Parameter = 7,
    /// `.shared`: byte offset in the window, [`shared_window_reserve`](crate::address_space::shared_window_reserve) included.
    Shared = 8,
    /// A surface.
    Surface = 9,
    /// A texture.
    Texture = 10,
    /// A texture's sampler.
    Sampler = 11,
    /// A generic address, whose window tells the memory.
    Generic = 12,
    /// A function's input parameter; CUDA-GDB only.
    InputParameter = 13,
    /// A function's output parameter; CUDA-GDB only.
    OutputParameter = 14,
    /// An offset from the frame; CUDA-GDB only.
    Frame = 15,
    /// A uniform register; CUDA-GDB only.
    UniformRegister = 16,
}

/// What is known of a class.
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
    /// The class of an attribute's value; `None` for 0 and for what has no name.
    pub fn of_value(value: u64) -> Option<Self> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        CLASSES.get(index).map(|row| row.class)
    }

    /// The class of variables in a PTX state space, by its name without the dot (PTX ISA, State Spaces).
    pub fn of_state_space(space: &str) -> Option<Self> {
        CLASSES.iter().find(|row| row.space == Some(space)).map(|row| row.class)
    }

    fn row(self) -> Option<&'static Row> {
        CLASSES.get(usize::from(self as u8) - 1)
    }

    /// The attribute's value.
    pub fn value(self) -> u8 {
        self as u8
    }

    /// NVIDIA's name, `ADDR_shared_space`.
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// The PTX state space without its dot, `shared`, of variables that have the class.
    pub fn state_space(self) -> Option<&'static str> {
        self.row().and_then(|row| row.space)
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

    // PTX Writer's Guide to Interoperability, table of §6.2, and what LLVM's NVPTX back end writes (NVPTXAddrSpace.h).
    #[test]
    fn values_are_those_of_the_guide() {
        for (name, value, space) in [
            ("ADDR_code_space", 1, None),
            ("ADDR_reg_space", 2, Some("reg")),
            ("ADDR_const_space", 4, Some("const")),
            ("ADDR_global_space", 5, Some("global")),
            ("ADDR_local_space", 6, Some("local")),
            ("ADDR_param_space", 7, Some("param")),
            ("ADDR_shared_space", 8, Some("shared")),
            ("ADDR_tex_sampler_space", 11, None),
            ("ADDR_generic_space", 12, None),
        ] {
            let class = AddressClass::of_value(value).unwrap();
            assert_eq!((class.name(), u64::from(class.value()), class.state_space()), (name, value, space));
            assert!(space.is_none_or(|space| AddressClass::of_state_space(space) == Some(class)));
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
