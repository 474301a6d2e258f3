//! What debug information says: units, files, functions, blocks, source locations, call sites.
//!
//! Whatever is added to a [`Model`] gets a handle, by which others refer to it. Nothing is
//! changed or removed afterwards, so there are no circles.
//!
//! ```
//! use ptx_debug::Model;
//! use ptx_debug::model::{EmissionKind, File, Location, Subprogram, Unit};
//!
//! let mut model = Model::new();
//! let file = model.file(File { directory: b"/src", name: b"k.cu" })?;
//! let unit = model.unit(Unit::new(EmissionKind::Directives, file))?;
//! let square = Subprogram { line: 1, scope_line: 1, ..Subprogram::new(b"square", file, unit) };
//! let square = model.subprogram(square)?;
//! let kernel = Subprogram { line: 3, scope_line: 3, ..Subprogram::new(b"kernel", file, unit) };
//! let kernel = model.subprogram(kernel)?;
//!
//! // Two calls of `square` have one line and column: they are two call sites.
//! let call = Location::new(kernel, 4, 7);
//! let first = model.call_site(call)?;
//! let second = model.call_site(call)?;
//! assert_ne!(first, second);
//! let inlined = Location { inlined_at: Some(second), ..Location::new(square, 1, 30) };
//! assert_eq!(model.outermost_subprogram(inlined)?, kernel);
//! # Ok::<(), ptx_debug::Error>(())
//! ```

mod file;
mod location;
mod scope;
mod types;
mod unit;
mod variable;

use alloc::vec::Vec;

use crate::Error;
pub use file::{File, FileId};
pub use location::{CallSiteId, Location};
pub use scope::{Block, BlockId, Scope, Subprogram, SubprogramId};
pub use types::{Enumerator, Member, RecordKind, Type, TypeId};
pub use unit::{EmissionKind, Unit, UnitId};
pub use variable::{AddressClass, Place, PlaceInRange, Variable, VariableId, VariableKind, VariableLocation};

use file::OwnedFile;
use scope::OwnedSubprogram;

/// The debug information of a PTX module, before it is text.
#[derive(Debug, Clone, Default)]
pub struct Model {
    units: Vec<Unit>,
    files: Vec<OwnedFile>,
    subprograms: Vec<OwnedSubprogram>,
    blocks: Vec<Block>,
    call_sites: Vec<Location>,
    /// `None` for a declared type that is not defined yet.
    types: Vec<Option<Type>>,
    variables: Vec<Variable>,
}

impl Model {
    /// Creates a model without anything in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a unit: what was compiled at once.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`], [`Error::NulInString`], [`Error::TooMany`].
    pub fn unit(&mut self, unit: Unit) -> Result<UnitId, Error> {
        get(&self.files, unit.file.0, "file")?;
        check_string(&unit.producer, "producer")?;
        push(&mut self.units, unit, "unit").map(UnitId)
    }

    /// Adds a source file.
    ///
    /// # Errors
    ///
    /// [`Error::RelativePath`], [`Error::NulInString`], [`Error::TooMany`].
    pub fn file(&mut self, file: File<'_>) -> Result<FileId, Error> {
        push(&mut self.files, OwnedFile::new(file)?, "file").map(FileId)
    }

    /// Adds a function of the source.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`], [`Error::NulInString`], [`Error::TooMany`].
    pub fn subprogram(&mut self, subprogram: Subprogram<'_>) -> Result<SubprogramId, Error> {
        get(&self.files, subprogram.file.0, "file")?;
        get(&self.units, subprogram.unit.0, "unit")?;
        subprogram.returns.map_or(Ok(()), |of| get(&self.types, of.0, "type").map(drop))?;
        push(&mut self.subprograms, OwnedSubprogram::new(subprogram)?, "subprogram").map(SubprogramId)
    }

    /// Adds a block of statements in a function, or a part of a function that stands in another
    /// file.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`], [`Error::TooMany`].
    pub fn block(&mut self, block: Block) -> Result<BlockId, Error> {
        get(&self.files, block.file.0, "file")?;
        self.subprogram_of(block.parent)?;
        push(&mut self.blocks, block, "block").map(BlockId)
    }

    /// Adds a call that was inlined. Each call of this method is another call site, also if its
    /// location is that of a call site before.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`], [`Error::TooMany`].
    pub fn call_site(&mut self, location: Location) -> Result<CallSiteId, Error> {
        self.outermost_subprogram(location)?;
        push(&mut self.call_sites, location, "call site").map(CallSiteId)
    }

    /// Adds a type.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`], [`Error::NulInString`], [`Error::TooMany`].
    pub fn type_(&mut self, of: Type) -> Result<TypeId, Error> {
        self.check_type(&of)?;
        push(&mut self.types, Some(of), "type").map(TypeId)
    }

    /// Adds a type that is told later by [`Model::define_type`]: a structure that points to itself.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`].
    pub fn declare_type(&mut self) -> Result<TypeId, Error> {
        push(&mut self.types, None, "type").map(TypeId)
    }

    /// Says what a declared type is.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`], [`Error::NulInString`], [`Error::DefinedType`].
    pub fn define_type(&mut self, id: TypeId, of: Type) -> Result<(), Error> {
        self.check_type(&of)?;
        match self.types.get_mut(id.0 as usize) {
            None => Err(Error::UnknownHandle { kind: "type", index: id.0 }),
            Some(Some(_)) => Err(Error::DefinedType { index: id.0 }),
            Some(declared) => {
                *declared = Some(of);
                Ok(())
            }
        }
    }

    /// Adds a variable or parameter.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`], [`Error::NulInString`], [`Error::RegisterName`],
    /// [`Error::TooMany`].
    pub fn variable(&mut self, variable: Variable) -> Result<VariableId, Error> {
        get(&self.types, variable.of.0, "type")?;
        get(&self.files, variable.file.0, "file")?;
        match variable.kind {
            VariableKind::Global(unit) => drop(self.unit_entry(unit)?),
            VariableKind::Parameter(scope) | VariableKind::Local(scope) => drop(self.subprogram_of(scope)?),
        }
        variable.check()?;
        push(&mut self.variables, variable, "variable").map(VariableId)
    }

    fn check_type(&self, of: &Type) -> Result<(), Error> {
        of.check()?;
        of.parts().iter().try_for_each(|part| get(&self.types, part.0, "type").map(drop))
    }

    /// Returns the function that the code of a location was inlined into, by way of all its call
    /// sites: the function itself if it was not inlined.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`].
    pub fn outermost_subprogram(&self, mut location: Location) -> Result<SubprogramId, Error> {
        while let Some(caller) = location.inlined_at {
            self.subprogram_of(location.scope)?;
            location = self.call_site_location(caller)?;
        }
        self.subprogram_of(location.scope)
    }

    /// Returns the function that a scope is in.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`].
    pub fn subprogram_of(&self, mut scope: Scope) -> Result<SubprogramId, Error> {
        loop {
            match scope {
                Scope::Subprogram(id) => {
                    return get(&self.subprograms, id.0, "subprogram").map(|_| id);
                }
                Scope::Block(id) => scope = get(&self.blocks, id.0, "block")?.parent,
            }
        }
    }

    /// Returns the location of a call.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`].
    pub fn call_site_location(&self, call_site: CallSiteId) -> Result<Location, Error> {
        get(&self.call_sites, call_site.0, "call site").copied()
    }

    /// Returns the file that the lines of a scope are counted in.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHandle`].
    pub fn file_of(&self, scope: Scope) -> Result<FileId, Error> {
        match scope {
            Scope::Subprogram(id) => self.subprogram_entry(id).map(|subprogram| subprogram.file),
            Scope::Block(id) => get(&self.blocks, id.0, "block").map(|block| block.file),
        }
    }

    pub(crate) fn subprogram_entry(&self, id: SubprogramId) -> Result<&OwnedSubprogram, Error> {
        get(&self.subprograms, id.0, "subprogram")
    }

    pub(crate) fn unit_entry(&self, id: UnitId) -> Result<&Unit, Error> {
        get(&self.units, id.0, "unit")
    }

    pub(crate) fn block_entry(&self, id: BlockId) -> Result<&Block, Error> {
        get(&self.blocks, id.0, "block")
    }

    pub(crate) fn units(&self) -> &[Unit] {
        &self.units
    }

    pub(crate) fn types(&self) -> &[Option<Type>] {
        &self.types
    }

    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    pub(crate) fn file_entry(&self, id: FileId) -> Result<&OwnedFile, Error> {
        get(&self.files, id.0, "file")
    }
}

fn push<T>(items: &mut Vec<T>, item: T, kind: &'static str) -> Result<u32, Error> {
    let index = u32::try_from(items.len()).map_err(|_| Error::TooMany { kind })?;
    items.push(item);
    Ok(index)
}

fn get<'a, T>(items: &'a [T], index: u32, kind: &'static str) -> Result<&'a T, Error> {
    items.get(index as usize).ok_or(Error::UnknownHandle { kind, index })
}

/// Refuses a string with a NUL inside.
fn check_string(string: &[u8], field: &'static str) -> Result<(), Error> {
    match string.iter().position(|byte| *byte == 0) {
        Some(offset) => Err(Error::NulInString { field, offset }),
        None => Ok(()),
    }
}
