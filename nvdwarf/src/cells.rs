//! Bytes together with the values that borrow from them.

use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::names::FunctionNames;
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::{InlinedCalls, Variables};
use nv_debug_sections::Result;
use nv_debug_sections::container::{Container, Entry, EntryKind};
use nv_debug_sections::cubin::Cubin;
use self_cell::self_cell;
use std::ops::Range;
use std::sync::Arc;

/// A part of bytes that somebody owns.
#[derive(Clone)]
pub(crate) struct Bytes {
    owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl Bytes {
    pub(crate) fn new(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        let range = 0..(*owner).as_ref().len();
        Self { owner, range }
    }

    /// Returns `part` as a slice of these bytes; a copy of it if it lies elsewhere.
    pub(crate) fn part(&self, part: &[u8]) -> Self {
        let all = self.as_ref().as_ptr_range();
        let is_in = all.start <= part.as_ptr() && part.as_ptr_range().end <= all.end;
        if !is_in {
            return Self::new(Arc::new(part.to_vec()));
        }
        let start = self.range.start + (part.as_ptr().addr() - all.start.addr());
        Self { owner: Arc::clone(&self.owner), range: start..start + part.len() }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        // An owner whose bytes are others each time gives what it has.
        (*self.owner).as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

/// The entries of a container that are cubins, each with its number among all entries, 1-based.
type CubinEntries<'d> = Vec<(usize, Entry<'d>)>;

self_cell!(
    struct EntriesOfFile {
        owner: Bytes,

        #[covariant]
        dependent: CubinEntries,
    }
);

self_cell!(
    struct CubinOfBytes {
        owner: Bytes,

        #[covariant]
        dependent: Cubin,
    }
);

self_cell!(
    struct SymbolizerOfCubin {
        owner: CubinCell,

        #[covariant]
        dependent: Symbolizer,
    }
);

self_cell!(
    struct NamesOfSymbolizer {
        owner: SymbolizerCell,

        #[covariant]
        dependent: FunctionNames,
    }
);

self_cell!(
    struct EntriesOfCubin {
        owner: CubinCell,

        #[covariant]
        dependent: Entries,
    }
);

self_cell!(
    struct VariablesOfEntries {
        owner: EntriesCell,

        #[covariant]
        dependent: Variables,
    }
);

self_cell!(
    struct CallsOfVariables {
        owner: VariablesCell,

        #[covariant]
        dependent: InlinedCalls,
    }
);

/// The cubins of a container, not yet decompressed.
#[derive(Clone)]
pub(crate) struct ContainerCell(Arc<EntriesOfFile>);

impl ContainerCell {
    pub(crate) fn new(file: Bytes) -> Result<Self> {
        let read = EntriesOfFile::try_new(file, |file| {
            let all = (1..).zip(Container::parse(file.as_ref())?.entries());
            let is_cubin =
                |entry: &Result<Entry<'_>>| entry.as_ref().map_or(true, |entry| entry.kind == EntryKind::Elf);
            let cubins = all.filter(|(_, entry)| is_cubin(entry));
            cubins.map(|(number, entry)| Ok((number, entry?))).collect()
        });
        read.map(|cell| Self(Arc::new(cell)))
    }

    pub(crate) fn entries(&self) -> &[(usize, Entry<'_>)] {
        self.0.borrow_dependent()
    }

    /// The bytes of the cubin at an index of [`entries`](Self::entries): part of the file unless it
    /// is compressed.
    pub(crate) fn payload(&self, index: usize) -> Result<Bytes> {
        let none = || Bytes::new(Arc::new([]));
        let payload = |(_, entry): &(usize, Entry<'_>)| {
            entry.payload().map(|payload| self.0.borrow_owner().part(&payload))
        };
        self.entries().get(index).map_or_else(|| Ok(none()), payload)
    }
}

/// A cubin with its bytes.
#[derive(Clone)]
pub(crate) struct CubinCell(Arc<CubinOfBytes>);

impl CubinCell {
    pub(crate) fn new(bytes: Bytes) -> Result<Self> {
        CubinOfBytes::try_new(bytes, |bytes| Cubin::parse(bytes.as_ref())).map(|cell| Self(Arc::new(cell)))
    }

    pub(crate) fn get(&self) -> &Cubin<'_> {
        self.0.borrow_dependent()
    }
}

/// The symbolizer of a cubin.
#[derive(Clone)]
pub(crate) struct SymbolizerCell(Arc<SymbolizerOfCubin>);

impl SymbolizerCell {
    pub(crate) fn new(cubin: CubinCell) -> Result<Self> {
        let read = SymbolizerOfCubin::try_new(cubin, |cubin| Symbolizer::new(cubin.get()));
        read.map(|cell| Self(Arc::new(cell)))
    }

    pub(crate) fn get(&self) -> &Symbolizer<'_> {
        self.0.borrow_dependent()
    }
}

/// The functions of a symbolizer by name.
pub(crate) struct NamesCell(NamesOfSymbolizer);

impl NamesCell {
    pub(crate) fn new(symbolizer: SymbolizerCell) -> Self {
        Self(NamesOfSymbolizer::new(symbolizer, |symbolizer| {
            FunctionNames::new(symbolizer.get().functions())
        }))
    }

    pub(crate) fn get(&self) -> &FunctionNames<'_> {
        self.0.borrow_dependent()
    }
}

/// The entries of a cubin.
#[derive(Clone)]
pub(crate) struct EntriesCell(Arc<EntriesOfCubin>);

impl EntriesCell {
    pub(crate) fn new(cubin: CubinCell) -> Result<Self> {
        EntriesOfCubin::try_new(cubin, |cubin| Entries::read(cubin.get())).map(|cell| Self(Arc::new(cell)))
    }

    fn cubin(&self) -> &Cubin<'_> {
        self.0.borrow_owner().get()
    }

    fn get(&self) -> &Entries<'_> {
        self.0.borrow_dependent()
    }
}

/// The variables of a cubin.
#[derive(Clone)]
pub(crate) struct VariablesCell(Arc<VariablesOfEntries>);

impl VariablesCell {
    pub(crate) fn new(entries: EntriesCell) -> Result<Self> {
        let read =
            VariablesOfEntries::try_new(entries, |entries| Variables::read(entries.cubin(), entries.get()));
        read.map(|cell| Self(Arc::new(cell)))
    }

    pub(crate) fn get(&self) -> &Variables<'_> {
        self.0.borrow_dependent()
    }
}

/// The inlined calls of a cubin.
pub(crate) struct CallsCell(CallsOfVariables);

impl CallsCell {
    pub(crate) fn new(variables: VariablesCell, symbolizer: &Symbolizer<'_>) -> Self {
        Self(CallsOfVariables::new(variables, |variables| InlinedCalls::of(variables.get(), symbolizer)))
    }

    pub(crate) fn get(&self) -> &InlinedCalls<'_> {
        self.0.borrow_dependent()
    }
}
