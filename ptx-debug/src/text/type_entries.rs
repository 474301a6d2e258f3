//! Entries of types and variables.

use alloc::vec::Vec;

use dwarf2_writer::constants::{
    DW_AT_address_class, DW_AT_byte_size, DW_AT_const_value, DW_AT_count, DW_AT_data_member_location,
    DW_AT_decl_file, DW_AT_decl_line, DW_AT_encoding, DW_AT_external, DW_AT_location, DW_AT_name, DW_AT_type,
    DW_TAG_array_type, DW_TAG_base_type, DW_TAG_class_type, DW_TAG_const_type, DW_TAG_enumeration_type,
    DW_TAG_enumerator, DW_TAG_formal_parameter, DW_TAG_member, DW_TAG_pointer_type, DW_TAG_reference_type,
    DW_TAG_structure_type, DW_TAG_subrange_type, DW_TAG_typedef, DW_TAG_union_type, DW_TAG_variable,
};
use dwarf2_writer::info::{Block, EntryId, Value};
use dwarf2_writer::loc::Location as ListEntry;
use dwarf2_writer::{Expression, Operation};

use super::entries::{Entries, number};
use crate::Error;
use crate::model::{Place, PlaceInRange, RecordKind, Type, TypeId, Variable, VariableKind, VariableLocation};

impl Entries<'_, '_> {
    /// Adds all types of the model to a unit.
    pub(super) fn types(&mut self, root: EntryId) -> Result<(), Error> {
        let model = self.model;
        self.types.clear();
        for _ in model.types() {
            self.types.push(self.info.reserve(root)?);
        }
        for (index, of) in (0..).zip(model.types()) {
            let of = of.as_ref().ok_or(Error::UndefinedType { index })?;
            let id = self.types.get(index as usize).copied();
            let id = id.ok_or(Error::UnknownHandle { kind: "type", index })?;
            self.type_with_parts(root, id, of)?;
        }
        Ok(())
    }

    /// The entry of a type.
    pub(super) fn type_entry(&self, id: TypeId) -> Result<EntryId, Error> {
        let found = self.types.get(id.index() as usize);
        found.copied().ok_or(Error::UnknownHandle { kind: "type", index: id.index() })
    }

    fn type_with_parts(&mut self, root: EntryId, id: EntryId, of: &Type) -> Result<(), Error> {
        let mut attributes = Vec::new();
        let reference =
            |entries: &Self, of: &TypeId| Ok::<_, Error>((DW_AT_type, Value::Ref4(entries.type_entry(*of)?)));
        let tag = match of {
            Type::Base { name, encoding, byte_size } => {
                attributes.push((DW_AT_name, Value::String(name)));
                attributes.push((DW_AT_encoding, Value::Data1(*encoding)));
                attributes.push((DW_AT_byte_size, Value::Data1(*byte_size)));
                DW_TAG_base_type
            }
            Type::Pointer(to) | Type::Const(to) => {
                if let Some(to) = to {
                    attributes.push(reference(self, to)?);
                }
                if matches!(of, Type::Const(_)) { DW_TAG_const_type } else { DW_TAG_pointer_type }
            }
            Type::Reference(to) => {
                attributes.push(reference(self, to)?);
                DW_TAG_reference_type
            }
            Type::Typedef { name, of } => {
                attributes.push(reference(self, of)?);
                attributes.push((DW_AT_name, Value::String(name)));
                DW_TAG_typedef
            }
            Type::Array { element, .. } => {
                attributes.push(reference(self, element)?);
                DW_TAG_array_type
            }
            Type::Record { kind, name, byte_size, .. } => {
                push_name(&mut attributes, name);
                attributes.push((DW_AT_byte_size, number(*byte_size)));
                match kind {
                    RecordKind::Structure => DW_TAG_structure_type,
                    RecordKind::Union => DW_TAG_union_type,
                    RecordKind::Class => DW_TAG_class_type,
                }
            }
            Type::Enumeration { name, byte_size, .. } => {
                push_name(&mut attributes, name);
                attributes.push((DW_AT_byte_size, Value::Data1(*byte_size)));
                DW_TAG_enumeration_type
            }
        };
        self.info.fill(id, root, tag, &attributes)?;
        match of {
            Type::Array { index, counts, .. } => {
                for count in counts {
                    let mut attributes = Vec::from([reference(self, index)?]);
                    attributes.extend(count.map(|count| (DW_AT_count, number(count))));
                    self.info.entry(id, DW_TAG_subrange_type, &attributes)?;
                }
            }
            Type::Record { members, .. } => {
                for member in members {
                    let offset = Expression::new(&[Operation::PlusUconst(member.offset)])?;
                    let mut attributes = Vec::new();
                    push_name(&mut attributes, &member.name);
                    attributes.push(reference(self, &member.of)?);
                    attributes.push((DW_AT_data_member_location, Value::Block1(Block::from(&offset))));
                    self.info.entry(id, DW_TAG_member, &attributes)?;
                }
            }
            Type::Enumeration { enumerators, .. } => {
                for enumerator in enumerators {
                    let attributes = [
                        (DW_AT_name, Value::String(&enumerator.name)),
                        (DW_AT_const_value, Value::Sdata(enumerator.value)),
                    ];
                    self.info.entry(id, DW_TAG_enumerator, &attributes)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds a variable, in an entry that has no code without its location.
    pub(super) fn variable(
        &mut self,
        parent: EntryId,
        variable: &Variable,
        has_code: bool,
    ) -> Result<(), Error> {
        let mut attributes = Vec::new();
        let expression;
        let location = variable.location.as_ref().filter(|_| has_code);
        match location {
            None => {}
            Some(VariableLocation::Single(place)) => {
                expression = self.place(place)?;
                attributes.push((DW_AT_location, Value::Block1(Block::from(&expression))));
            }
            Some(VariableLocation::List(ranges)) => {
                let mut list = Vec::new();
                for PlaceInRange { begin, end, place } in ranges {
                    let begin = self.symbols.address(begin, 0);
                    let end = self.symbols.address(end, 0);
                    list.push(ListEntry::Range { begin, end, location: self.place(place)? });
                }
                let offset = self.lists.list(&list)?;
                let offset = self.symbols.address(".debug_loc", offset.into());
                attributes.push((DW_AT_location, Value::Offset(offset)));
            }
        }
        attributes.push((DW_AT_address_class, Value::Data1(variable.memory as u8)));
        attributes.push((DW_AT_name, Value::String(&variable.name)));
        attributes.push((DW_AT_decl_file, self.file(variable.file)?));
        attributes.push((DW_AT_decl_line, number(variable.line.into())));
        attributes.push((DW_AT_type, Value::Ref4(self.type_entry(variable.of)?)));
        let tag = match variable.kind {
            VariableKind::Parameter(_) => DW_TAG_formal_parameter,
            VariableKind::Local(_) => DW_TAG_variable,
            VariableKind::Global(_) => {
                attributes.push((DW_AT_external, Value::Flag(true)));
                DW_TAG_variable
            }
        };
        self.info.entry(parent, tag, &attributes)?;
        Ok(())
    }

    fn place(&mut self, place: &Place) -> Result<Expression, Error> {
        let mut operations = Vec::new();
        match place {
            Place::Symbol { name, offset } => {
                operations.push(Operation::Addr(self.symbols.address(name, 0)));
                if *offset != 0 {
                    operations.push(Operation::PlusUconst(*offset));
                }
            }
            Place::Register(name) => operations.push(Operation::Regx(Place::register_number(name)?)),
            Place::AtRegister { name, offset } => {
                let register = Place::register_number(name)?;
                operations.push(Operation::Bregx { register, offset: *offset });
            }
        }
        Ok(Expression::new(&operations)?)
    }
}

/// A name, unless it is empty.
fn push_name<'a>(attributes: &mut Vec<(u16, Value<'a>)>, name: &'a [u8]) {
    if !name.is_empty() {
        attributes.push((DW_AT_name, Value::String(name)));
    }
}
