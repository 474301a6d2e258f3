//! Which memory an address of a variable is in, and where there.

use super::location::Builder;
use super::place::{Memory, Place, Unavailable};
use super::{Remark, Variables};
use crate::entries::Address;
use nv_debug_sections::address_class::{AddressClass, constant_bank, memory_of_section};
use nv_debug_sections::address_space::{parameter_base, shared_window_reserve};
use nv_debug_sections::cubin::{SectionIndex, Symbol, sht};

impl Variables<'_> {
    /// An address in the memory that the entry's class names.
    pub(super) fn memory(&self, address: Address, added: u64, builder: &mut Builder<'_>) -> Place {
        let space = builder.class.taken.unwrap_or(AddressClass::Global);
        let mut memory =
            Memory { space, offset: added, section: None, bank: None, symbol: None, parameter: None };
        match address {
            Address::Place { section, offset, symbol } => {
                memory.offset = offset.wrapping_add(added);
                memory.section = Some(section);
                let name = self.cubin.section_name(section);
                memory.bank = constant_bank(name);
                Self::compare_class(name, &mut memory, builder);
                if self.is_common(section) {
                    // The symbol's value is an alignment, and the addend has the reserve of the window.
                    let value = self.offset_in(symbol, section, offset);
                    memory.offset = value
                        .saturating_sub(shared_window_reserve(self.cubin.header.sm()))
                        .wrapping_add(added);
                    memory.symbol = Some((symbol, memory.offset));
                    memory.section = None;
                    return Place::Memory(memory);
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
                return Place::Unavailable(Unavailable::NoSymbol(name));
            }
            Address::Undefined(symbol) => memory.symbol = Some((symbol, added)),
            Address::Constant(number) => {
                memory.offset = number.wrapping_add(added);
                let is_placed = space.is_number() || self.code.has_addresses();
                match space {
                    AddressClass::Parameter => memory.bank = Some(0),
                    _ if !is_placed && builder.class.stated.is_some() => {
                        builder.remark(Remark::Unplaced);
                        return Place::Unavailable(Unavailable::NoAddress(number));
                    }
                    AddressClass::Global if number == 0 && !is_placed => {
                        builder.remark(Remark::NoClass);
                        return Place::Unavailable(Unavailable::NoAddress(number));
                    }
                    AddressClass::Shared if number == self.no_shared_address() => {
                        return Place::Unavailable(Unavailable::NoSharedAddress);
                    }
                    AddressClass::Shared if self.cubin.header.is_relocatable() => {
                        return Place::Unavailable(Unavailable::NotRelocated);
                    }
                    _ => {}
                }
                if space == AddressClass::Parameter {
                    memory.parameter = memory.offset.checked_sub(parameter_base(self.cubin.header.sm()));
                }
                if builder.class.stated.is_none() {
                    builder.remark(Remark::NoClass);
                }
            }
        }
        Place::Memory(memory)
    }

    /// Whether a section's variables have no addresses yet: `.shared` of relocatable files.
    fn is_common(&self, section: SectionIndex) -> bool {
        let section = self.cubin.sections.get(section.as_usize());
        self.cubin.header.is_relocatable()
            && section.is_some_and(|section| section.sh_type == sht::CUDA_SHARED)
    }

    /// The address of shared variables that have none: -1, to which the relocation's addend is added, which is the window's reserve.
    /// Observed: ptxas and nvlink 13.0.88, sm_75, 90, 100, 120.
    fn no_shared_address(&self) -> u64 {
        shared_window_reserve(self.cubin.header.sm()).wrapping_sub(1)
    }

    /// Warns of a class that is not that of the section's memory, and takes that memory for the place.
    fn compare_class(name: &str, memory: &mut Memory, builder: &mut Builder<'_>) {
        let found = memory_of_section(name).filter(|found| *found != AddressClass::Code);
        let Some(found) = found.filter(|found| !builder.class.taken.is_some_and(|class| class.fits(*found)))
        else {
            return;
        };
        let is_stated = builder.class.stated.is_some_and(|stated| stated != 0);
        builder.remark(if is_stated { Remark::OtherClass } else { Remark::NoClass });
        memory.space = found;
    }
}
