//! The memory of a variable's address, and the offset in it.

use super::frame_base::{FrameBase, FrameOffset};
use super::location_list::Builder;
use super::unavailable::Unavailable;
use super::variable_location::{Memory, VariableLocation};
use super::{DebuggerMistake, Variables};
use crate::entries::Address;
use nv_debug_sections::address_class::{AddressClass, constant_bank, memory_of_section};
use nv_debug_sections::address_space::{parameter_base, shared_window_reserve};
use nv_debug_sections::cubin::{SectionIndex, Symbol, sht};
use std::ops::RangeInclusive;

impl Variables<'_> {
    /// An address in the memory that the entry's class names.
    pub(super) fn memory(&self, address: Address, added: u64, builder: &mut Builder<'_>) -> VariableLocation {
        let space = builder.class.taken.unwrap_or(AddressClass::Global);
        let mut memory =
            Memory { space, offset: added, section: None, bank: None, symbol: None, parameter: None };
        match address {
            Address::InSection { section, offset, symbol } => {
                memory.offset = offset.wrapping_add(added);
                memory.section = Some(section);
                let name = self.cubin.section_name(section);
                memory.bank = constant_bank(name);
                Self::compare_class(memory_of_section(name), &mut memory, builder);
                if self.is_common(section) {
                    // The symbol's value is an alignment, and the addend has the reserve of the
                    // window.
                    let value = self.offset_in(symbol, section, offset);
                    memory.offset =
                        value.saturating_sub(shared_window_reserve(self.cubin.target())).wrapping_add(added);
                    memory.symbol = Some((symbol, memory.offset));
                    memory.section = None;
                    return VariableLocation::Memory(memory);
                }
                let own = self.cubin.symbols().get(symbol.as_usize()).is_none_or(Symbol::is_section);
                memory.symbol = if own {
                    self.object_at(section, memory.offset)
                } else {
                    Some((symbol, self.offset_in(symbol, section, memory.offset)))
                };
            }
            Address::Undefined(symbol) if address.is_local_undefined(self.cubin) => {
                let name = self.cubin.symbol_name(symbol).to_owned();
                return VariableLocation::Unavailable(Unavailable::NoSymbol(name));
            }
            Address::Undefined(symbol) => {
                let found = self.cubin.symbols().get(symbol.as_usize()).and_then(AddressClass::of_undefined);
                Self::compare_class(found, &mut memory, builder);
                memory.symbol = Some((symbol, added));
            }
            Address::Constant(number) => {
                memory.offset = number.wrapping_add(added);
                return self.number(number, memory, builder);
            }
        }
        VariableLocation::Memory(memory)
    }

    /// A number, which is an address where the memory has offsets that are numbers.
    fn number(&self, number: u64, mut memory: Memory, builder: &mut Builder<'_>) -> VariableLocation {
        let base = parameter_base(self.cubin.target());
        let parameter = |memory: &mut Memory| {
            memory.bank = Some(0);
            memory.parameter = memory.offset.checked_sub(base);
        };
        let class = builder.class;
        let is_stated = class.stated.is_some_and(|stated| stated != 0);
        if self.code.has_addresses() {
            // In debug-only objects all addresses are numbers.
            if memory.space == AddressClass::Parameter {
                parameter(&mut memory);
            }
            if class.stated.is_none() {
                builder.remark(DebuggerMistake::NoClass);
            }
            return VariableLocation::Memory(memory);
        }
        let known = self.numbers.memory(self.cubin, self.entries, builder.entry(), number);
        if let Some(found) = known {
            if !class.taken.is_some_and(|class| class.fits(found) && class.is_number()) {
                builder.remark(if is_stated {
                    DebuggerMistake::OtherClass
                } else {
                    DebuggerMistake::NoClass
                });
                memory.space = found;
            }
            if found == AddressClass::Parameter {
                parameter(&mut memory);
            }
        } else {
            match memory.space {
                AddressClass::Local | AddressClass::Frame => {
                    return VariableLocation::Unavailable(Unavailable::NoFrameOffset(number));
                }
                space if space.is_register() => {
                    builder.remark(DebuggerMistake::OtherClass);
                    return VariableLocation::Unavailable(Unavailable::NoAddress(number));
                }
                space if !space.is_number() && class.stated.is_some() => {
                    builder.remark(DebuggerMistake::Unplaced);
                    return VariableLocation::Unavailable(Unavailable::NoAddress(number));
                }
                AddressClass::Global if number == 0 => {
                    builder.remark(DebuggerMistake::NoClass);
                    return VariableLocation::Unavailable(Unavailable::NoAddress(number));
                }
                AddressClass::Shared if number == self.no_shared_address() => {
                    return VariableLocation::Unavailable(Unavailable::NoSharedAddress);
                }
                AddressClass::Shared if self.cubin.header.is_relocatable() => {
                    return VariableLocation::Unavailable(Unavailable::NotRelocated);
                }
                space if self.window(space, builder).is_some_and(|window| !window.contains(&number)) => {
                    return VariableLocation::Unavailable(Unavailable::OutsideMemory(number));
                }
                AddressClass::Parameter => parameter(&mut memory),
                _ => {}
            }
            if class.stated.is_none() {
                builder.remark(DebuggerMistake::NoClass);
            }
        }
        if self.open_symbols.may_be(number, known.is_some()) {
            builder.remark(DebuggerMistake::MaybeUndefined);
        }
        VariableLocation::Memory(memory)
    }

    fn window(&self, space: AddressClass, builder: &Builder<'_>) -> Option<RangeInclusive<u64>> {
        self.numbers.window(self.cubin, self.entries, builder.entry(), space)
    }

    /// Whether a section's variables have no addresses yet: `.shared` of relocatable files.
    fn is_common(&self, section: SectionIndex) -> bool {
        let section = self.cubin.sections.get(section.as_usize());
        self.cubin.header.is_relocatable()
            && section.is_some_and(|section| section.sh_type == sht::CUDA_SHARED)
    }

    /// The address of shared variables that have none: -1, to which the relocation's addend is
    /// added, which is the window's reserve. Observed: ptxas and nvlink 13.0.88, sm_75, 90, 100,
    /// 120.
    fn no_shared_address(&self) -> u64 {
        shared_window_reserve(self.cubin.target()).wrapping_sub(1)
    }

    /// Warns of a class that is not that of the memory that was found, and takes that memory for
    /// the place.
    fn compare_class(found: Option<AddressClass>, memory: &mut Memory, builder: &mut Builder<'_>) {
        let found = found.filter(|found| *found != AddressClass::Code);
        let Some(found) = found.filter(|found| !builder.class.taken.is_some_and(|class| class.fits(*found)))
        else {
            return;
        };
        let is_stated = builder.class.stated.is_some_and(|stated| stated != 0);
        builder.remark(if is_stated { DebuggerMistake::OtherClass } else { DebuggerMistake::NoClass });
        memory.space = found;
    }

    /// Warns of a class that is not that of local memory, where a frame is. Without a class
    /// CUDA-GDB reads that memory too.
    pub(super) fn compare_frame(frame: &FrameOffset, builder: &mut Builder<'_>) {
        let is_other = builder.class.stated.is_some_and(|stated| stated != 0);
        // A frame that counts from a generic address, as that in `%SP`, may be one.
        let fits = |class: AddressClass| {
            class.fits(AddressClass::Local)
                || class == AddressClass::Generic && frame.base != FrameBase::CallFrame
        };
        if is_other && !builder.class.taken.is_some_and(fits) {
            builder.remark(DebuggerMistake::OtherClass);
        }
    }
}
