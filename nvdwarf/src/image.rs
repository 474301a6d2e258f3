//! One cubin of a module.

use crate::Error;
use crate::cells::{
    Bytes, CallsCell, ContainerCell, CubinCell, EntriesCell, NamesCell, SymbolizerCell, VariablesCell,
};
use crate::function::PlainNames;
use crate::{Function, Location, SourceLine, Variable};
use cubin_debuginfo::coverage::Coverage;
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::{InlinedCalls, Scope, Variables};
use cubin_debuginfo::verify::{self, Report};
use nv_debug_sections::cubin::{Cubin, SymbolIndex};
use nv_debug_sections::cupti::cubin_crc;
use std::fmt;
use std::sync::OnceLock;

type Lazy<T> = OnceLock<Result<T, nv_debug_sections::Error>>;

/// A cubin of a [`Module`](crate::Module). It is decoded step by step, as queries need it, and
/// keeps what it has decoded.
pub struct Image {
    number: usize,
    /// What the container says; a cubin that is a file itself is asked.
    arch: OnceLock<Option<String>>,
    source: Source,
    bytes: Lazy<Bytes>,
    cubin: Lazy<CubinCell>,
    symbolizer: Lazy<SymbolizerCell>,
    names: OnceLock<NamesCell>,
    entries: Lazy<EntriesCell>,
    variables: Lazy<VariablesCell>,
    calls: Lazy<Option<CallsCell>>,
}

/// Where the bytes of a cubin are from.
enum Source {
    /// All of a file.
    File(Bytes),
    /// The cubin of a container at an index of its cubins.
    Container(ContainerCell, usize),
}

impl Image {
    /// A file that is a cubin itself.
    pub(crate) fn of_file(bytes: Bytes) -> Self {
        Self::new(1, OnceLock::new(), Source::File(bytes))
    }

    /// A cubin of a container, by its index there.
    pub(crate) fn of_container(container: &ContainerCell, index: usize) -> Option<Self> {
        let (number, entry) = container.entries().get(index)?;
        let arch = entry.arch.map_or_else(OnceLock::new, |arch| Some(arch.to_string()).into());
        Some(Self::new(*number, arch, Source::Container(container.clone(), index)))
    }

    fn new(number: usize, arch: OnceLock<Option<String>>, source: Source) -> Self {
        let (bytes, cubin, symbolizer) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (names, entries, variables, calls) =
            (OnceLock::new(), OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { number, arch, source, bytes, cubin, symbolizer, names, entries, variables, calls }
    }

    /// The 1-based number of the cubin among all images of the file, as `ptxas-driver extract`
    /// lists them.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The architecture of the cubin, as the container or else the cubin itself names it: `sm_90`,
    /// or `sm_90a` if that is stated. `None` for a cubin that cannot be read.
    pub fn arch(&self) -> Option<&str> {
        let read = || Some(self.cubin().ok()?.arch().to_string());
        self.arch.get_or_init(read).as_deref()
    }

    /// Returns the number by which CUPTI's samples name the cubin, `cubinCrc`: the result of
    /// `cuptiGetCubinCrc` for its bytes.
    ///
    /// Different cubins may share a number ([`cubin_crc`](nv_debug_sections::cupti::cubin_crc)). It
    /// is of the bytes in the file; where the CUDA driver gives CUPTI others, as after it has
    /// linked or compiled, these have a number of their own.
    ///
    /// # Errors
    ///
    /// The cubin cannot be decompressed.
    pub fn cupti_crc(&self) -> Result<u64, Error> {
        Ok(cubin_crc(self.bytes()?.as_ref()).into())
    }

    /// Returns the cubin in the form that the other crates of this project accept.
    ///
    /// # Errors
    ///
    /// It cannot be decompressed, or is not a cubin.
    pub fn cubin(&self) -> Result<&Cubin<'_>, Error> {
        Ok(self.cubin_cell()?.get())
    }

    /// Returns the functions of the cubin, sorted by section and byte offset.
    ///
    /// # Errors
    ///
    /// As [`locate`](Self::locate).
    pub fn functions(&self) -> Result<Vec<Function>, Error> {
        Ok(self.symbolizer()?.functions().iter().map(Function::of).collect())
    }

    /// Finds a function by its mangled name, by its name as any tool demangles it, or by a part of
    /// that which no other function's name has. All names are demangled once, at the first name
    /// that is not mangled.
    ///
    /// # Errors
    ///
    /// [`Error::Function`] if no function or several have the name; else as
    /// [`locate`](Self::locate).
    pub fn function(&self, name: &str) -> Result<Function, Error> {
        let symbolizer = self.symbolizer_cell()?;
        let names = self.names.get_or_init(|| NamesCell::new(symbolizer.clone()));
        let found = names.get().find(name).map_err(|error| Error::Function(error.to_string()))?;
        let one = found.first().map(|function| Function::of(function));
        one.ok_or_else(|| Error::Function(format!("no function '{name}'")))
    }

    /// Finds the function of a symbol, by its index in `.symtab`, as CUPTI's samples give it;
    /// `None` if the symbol is not a function's. Looks through all functions.
    ///
    /// # Errors
    ///
    /// As [`locate`](Self::locate).
    pub fn function_of_symbol(&self, symbol: u32) -> Result<Option<Function>, Error> {
        let mut all = self.symbolizer()?.functions().iter();
        Ok(all.find(|function| function.symbol == SymbolIndex(symbol)).map(Function::of))
    }

    /// Returns the function and the source lines at a byte offset from a function's start. Inlined
    /// calls that only `.debug_info` has are among the frames.
    ///
    /// # Errors
    ///
    /// The cubin, its line tables or, of code compiled with `-G`, its entries cannot be decoded.
    pub fn locate(&self, function: &Function, offset: u64) -> Result<Location, Error> {
        let (symbolizer, calls) = (self.symbolizer()?, self.calls()?);
        let place = symbolizer.locate(function.section, function.offset.saturating_add(offset));
        Ok(Location::of(place, calls, &mut PlainNames::default()))
    }

    /// Returns the result of [`locate`](Self::locate) for each address, in the given order, which
    /// may be any. An address is a function and a byte offset from its start.
    ///
    /// Faster than one call for each: several are looked up side by side, and a name is demangled
    /// once. The answers are made one by one as the iterator is asked for them.
    ///
    /// ```
    /// # let module = nvdwarf::Module::new(std::fs::read("../examples/saxpy/saxpy.cubin")?)?;
    /// # let image = &module.images()[0];
    /// let saxpy = image.function("saxpy")?;
    /// let samples = [0x300, 0x20, 0x300];
    /// for location in image.locate_all(samples.map(|offset| (&saxpy, offset)))? {
    ///     println!("{location}");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`locate`](Self::locate).
    pub fn locate_all<'f>(
        &self,
        addresses: impl IntoIterator<Item = (&'f Function, u64)>,
    ) -> Result<impl Iterator<Item = Location>, Error> {
        let (symbolizer, calls) = (self.symbolizer()?, self.calls()?);
        let in_sections =
            |(function, offset): (&Function, u64)| (function.section, function.offset.saturating_add(offset));
        let mut names = PlainNames::default();
        let places = symbolizer.locate_all(addresses.into_iter().map(in_sections));
        Ok(places.map(move |place| Location::of(place, calls, &mut names)))
    }

    /// Returns the variables and parameters in scope at a byte offset from a function's start,
    /// innermost scope first, each with its location at the offset. Variables outside functions are
    /// not included.
    ///
    /// # Errors
    ///
    /// The cubin, its entries or its range lists cannot be decoded.
    pub fn variables(&self, function: &Function, offset: u64) -> Result<Vec<Variable>, Error> {
        let variables = self.variables_cell()?.get();
        variables.renew_budget();
        let (section, at) = (function.section, function.offset.saturating_add(offset));
        let has =
            |scope: &Scope| scope.code.iter().any(|code| code.section == section && code.range.contains(&at));
        let in_scope: Vec<bool> = variables.scopes().iter().map(has).collect();
        let mut found: Vec<_> =
            variables.all().iter().filter(|variable| in_scope.get(variable.scope) == Some(&true)).collect();
        // Outer scopes come first in the file.
        found.sort_by_key(|variable| std::cmp::Reverse(variable.scope));
        Ok(found.into_iter().map(|variable| self::variable(variables, variable, section, at)).collect())
    }

    /// Checks the debug information, and returns what is wrong with it.
    ///
    /// # Errors
    ///
    /// The cubin cannot be decoded; what is wrong in it is in the report.
    pub fn verify(&self) -> Result<Report, Error> {
        Ok(verify::verify(self.cubin()?))
    }

    /// Computes the coverage: how much of the code has lines, and how many variables have
    /// locations.
    ///
    /// # Errors
    ///
    /// The cubin, its line tables or its entries cannot be decoded.
    pub fn coverage(&self) -> Result<Coverage<'_>, Error> {
        Ok(Coverage::of(self.cubin()?, self.symbolizer()?)?)
    }

    fn bytes(&self) -> Result<&Bytes, Error> {
        let read = || match &self.source {
            Source::File(bytes) => Ok(bytes.clone()),
            Source::Container(container, index) => container.payload(*index),
        };
        self.bytes.get_or_init(read).as_ref().map_err(|error| Error::Read(error.clone()))
    }

    fn cubin_cell(&self) -> Result<&CubinCell, Error> {
        let bytes = self.bytes()?;
        self.cubin
            .get_or_init(|| CubinCell::new(bytes.clone()))
            .as_ref()
            .map_err(|error| Error::Read(error.clone()))
    }

    fn symbolizer_cell(&self) -> Result<&SymbolizerCell, Error> {
        let cubin = self.cubin_cell()?;
        let read = self.symbolizer.get_or_init(|| SymbolizerCell::new(cubin.clone()));
        read.as_ref().map_err(|error| Error::Read(error.clone()))
    }

    fn symbolizer(&self) -> Result<&Symbolizer<'_>, Error> {
        self.symbolizer_cell().map(SymbolizerCell::get)
    }

    fn variables_cell(&self) -> Result<&VariablesCell, Error> {
        let cubin = self.cubin_cell()?;
        let entries = self.entries.get_or_init(|| EntriesCell::new(cubin.clone()));
        let entries = entries.as_ref().map_err(|error| Error::Read(error.clone()))?;
        let variables = self.variables.get_or_init(|| VariablesCell::new(entries.clone()));
        variables.as_ref().map_err(|error| Error::Read(error.clone()))
    }

    /// The inlined calls of the entries; `None` of a cubin that cannot have any, as most.
    fn calls(&self) -> Result<Option<&InlinedCalls<'_>>, Error> {
        if let Some(Ok(calls)) = self.calls.get() {
            return Ok(calls.as_ref().map(CallsCell::get));
        }
        let calls = if InlinedCalls::can_be_in(self.cubin()?) {
            Some(CallsCell::new(self.variables_cell()?.clone(), self.symbolizer()?))
        } else {
            None
        };
        let kept = self.calls.get_or_init(|| Ok(calls));
        kept.as_ref()
            .map(|calls| calls.as_ref().map(CallsCell::get))
            .map_err(|error| Error::Read(error.clone()))
    }
}

fn variable(
    variables: &Variables<'_>,
    variable: &cubin_debuginfo::variables::Variable,
    section: nv_debug_sections::cubin::SectionIndex,
    at: u64,
) -> Variable {
    let declared = variables.declared(variable).map(|line| SourceLine {
        file: line.file.map(str::to_owned),
        line: line.line,
        column: 0,
    });
    let ranges = variables.location(variable).ranges.into_iter();
    let is_there =
        |code: &cubin_debuginfo::variables::CodeRange| code.section == section && code.range.contains(&at);
    Variable {
        name: variables.name(variable).map(std::borrow::Cow::into_owned),
        type_name: variables.type_name(variable),
        is_parameter: variable.parameter,
        declared,
        places: ranges
            .filter(|range| range.code.as_ref().is_none_or(is_there))
            .map(|range| range.location)
            .collect(),
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("number", &self.number)
            .field("arch", &self.arch())
            .finish_non_exhaustive()
    }
}
