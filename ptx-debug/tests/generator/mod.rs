//! Modules with random locations, as LLVM IR for libNVVM and as a model for our writer.
//!
//! Each instruction that matters is inline assembly with a number of its own, so that it is found
//! again in the PTX.

mod ir;

use fastrand::Rng;
use ptx_debug::Model;
use ptx_debug::model::{
    Block, BlockId, CallSiteId, EmissionKind, File, FileId, Location, Scope, Subprogram, SubprogramId, Unit,
};

/// The two versions of IR that libNVVM reads, and the text of PTX that it writes for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IrVersion {
    /// Typed pointers, for `compute_90`.
    Typed,
    /// Opaque pointers, for `compute_100`.
    Modern,
}

/// A generated module.
#[derive(Debug)]
pub(crate) struct GeneratedModule {
    files: Vec<(String, String)>,
    subprograms: Vec<GeneratedSubprogram>,
    scopes: Vec<GeneratedScope>,
    /// Locations of the inlined calls.
    call_sites: Vec<GeneratedLocation>,
    pub(crate) functions: Vec<GeneratedFunction>,
}

#[derive(Debug)]
struct GeneratedSubprogram {
    name: String,
    linkage_name: Option<String>,
    file: usize,
    line: u32,
    scope_line: u32,
}

#[derive(Debug, Clone, Copy)]
struct GeneratedScope {
    subprogram: usize,
    kind: ScopeKind,
}

#[derive(Debug, Clone, Copy)]
enum ScopeKind {
    Subprogram,
    Block {
        parent: usize,
        line: u32,
        column: u32,
    },
    /// A part of a function that stands in another file.
    OtherFile {
        parent: usize,
        file: usize,
    },
}

/// A location, by indices of [`GeneratedModule`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct GeneratedLocation {
    scope: usize,
    line: u32,
    column: u32,
    inlined_at: Option<usize>,
}

/// A kernel.
#[derive(Debug)]
pub(crate) struct GeneratedFunction {
    pub(crate) name: String,
    pub(crate) subprogram: usize,
    /// Whether it has a parameter, so that its first instruction has no location.
    has_parameter: bool,
    pub(crate) blocks: Vec<GeneratedBlock>,
}

/// A basic block: inline assembly, then a branch or return.
#[derive(Debug)]
pub(crate) struct GeneratedBlock {
    /// The number of the first inline assembly. The others follow.
    pub(crate) first_number: u32,
    pub(crate) instructions: Vec<Option<GeneratedLocation>>,
    /// Where a condition is computed, in a block with two successors.
    pub(crate) comparison: Option<GeneratedLocation>,
    pub(crate) terminator: Option<GeneratedLocation>,
    successors: Vec<usize>,
}

impl GeneratedModule {
    /// Makes a module up. Few lines and columns are used, so many locations occur again.
    pub(crate) fn new(rng: &mut Rng) -> Self {
        let files =
            ["k.cu", "inc/a.h", "/abs/b \"q\\\" ä.h", "k.cu"].map(|name| ("/src".into(), name.into()));
        let mut module = Self {
            files: files.into(),
            subprograms: Vec::new(),
            scopes: Vec::new(),
            call_sites: Vec::new(),
            functions: Vec::new(),
        };
        let kernels = rng.usize(1..4);
        for number in 0..kernels + rng.usize(1..4) {
            let name = format!("f{number}");
            let linkage_name = match rng.u32(0..4) {
                _ if number < kernels => Some(name.clone()),
                0 => None,
                1 => Some(format!("_Z{}f{number}", "long".repeat(rng.usize(8..22)))),
                _ => Some(format!("_Z2f{number}v")),
            };
            let scope_line = if rng.u32(0..20) == 0 { 0 } else { rng.u32(1..9) };
            let line = rng.u32(1..5);
            module.subprograms.push(GeneratedSubprogram {
                name,
                linkage_name,
                file: rng.usize(0..4),
                line,
                scope_line,
            });
            let subprogram = module.scopes.len();
            let of = module.subprograms.len() - 1;
            module.scopes.push(GeneratedScope { subprogram: of, kind: ScopeKind::Subprogram });
            for _ in 0..rng.u32(0..3) {
                let kind = if rng.bool() {
                    ScopeKind::Block { parent: subprogram, line: rng.u32(1..9), column: rng.u32(1..4) }
                } else {
                    ScopeKind::OtherFile { parent: module.scopes.len() - 1, file: rng.usize(0..4) }
                };
                module.scopes.push(GeneratedScope { subprogram: of, kind });
            }
        }
        let mut number = 1000;
        for subprogram in 0..kernels {
            module.function(rng, subprogram, &mut number);
        }
        module
    }

    fn function(&mut self, rng: &mut Rng, subprogram: usize, number: &mut u32) {
        // Call sites of this function, each with the inlined function: at most four deep.
        let mut contexts = vec![(subprogram, None, 0)];
        for _ in 0..rng.usize(0..8) {
            let (caller, inlined_at, depth) = contexts[rng.usize(0..contexts.len())];
            if depth == 4 {
                continue;
            }
            let location = match self.call_sites.last() {
                // Another call at the same place.
                Some(last)
                    if last.inlined_at == inlined_at
                        && rng.u32(0..3) == 0
                        && self.scopes[last.scope].subprogram == caller =>
                {
                    *last
                }
                _ => self.location(rng, caller, inlined_at),
            };
            self.call_sites.push(location);
            let callee = rng.usize(0..self.subprograms.len());
            contexts.push((callee, Some(self.call_sites.len() - 1), depth + 1));
        }
        let without_locations = rng.u32(0..12) == 0;
        let sparse = rng.u32(1..5);
        let some_location = |rng: &mut Rng| {
            if without_locations || rng.u32(0..6) < sparse - 1 {
                return None;
            }
            let (subprogram, inlined_at, _) = contexts[rng.usize(0..contexts.len())];
            Some(self.location(rng, subprogram, inlined_at))
        };
        let has_parameter = rng.u32(0..3) > 0;
        let count = rng.usize(1..6);
        let mut blocks = Vec::new();
        for block in 0..count {
            let first_number = *number;
            let mut instructions = Vec::new();
            for _ in 0..rng.usize(1..5) {
                let again = instructions.last().copied().flatten();
                let location = some_location(rng);
                instructions.push(if rng.u32(0..5) == 0 { again } else { location });
                *number += 1;
            }
            let mut successors = Vec::new();
            if block + 1 < count {
                successors.push(block + 1);
                if rng.bool() {
                    successors.push(rng.usize(block + 1..count));
                }
            }
            let (comparison, terminator) = (some_location(rng), some_location(rng));
            blocks.push(GeneratedBlock { first_number, instructions, comparison, terminator, successors });
        }
        self.functions.push(GeneratedFunction {
            name: format!("f{subprogram}"),
            subprogram,
            has_parameter,
            blocks,
        });
    }

    fn location(&self, rng: &mut Rng, subprogram: usize, inlined_at: Option<usize>) -> GeneratedLocation {
        let scopes: Vec<_> =
            (0..self.scopes.len()).filter(|scope| self.scopes[*scope].subprogram == subprogram).collect();
        let scope = scopes[rng.usize(0..scopes.len())];
        let line = if rng.u32(0..7) == 0 { 0 } else { rng.u32(1..5) };
        GeneratedLocation { scope, line, column: rng.u32(0..4), inlined_at }
    }

    /// The model with what is in the IR.
    pub(crate) fn model(&self, kind: EmissionKind) -> GeneratedModel {
        let mut model = Model::new();
        let files: Vec<FileId> = (self.files.iter())
            .map(|(directory, name)| {
                model.file(File { directory: directory.as_bytes(), name: name.as_bytes() }).unwrap()
            })
            .collect();
        let unit = model.unit(Unit::new(kind, files[0])).unwrap();
        let subprograms: Vec<SubprogramId> = (self.subprograms.iter())
            .map(|of| {
                let name = of.name.as_bytes();
                let linkage_name = of.linkage_name.as_deref().unwrap_or("").as_bytes();
                let subprogram = Subprogram {
                    linkage_name,
                    line: of.line,
                    scope_line: of.scope_line,
                    ..Subprogram::new(name, files[of.file], unit)
                };
                model.subprogram(subprogram).unwrap()
            })
            .collect();
        let mut scopes: Vec<Scope> = Vec::new();
        for scope in &self.scopes {
            let parent = |parent: usize| scopes[parent];
            let block = match scope.kind {
                ScopeKind::Subprogram => {
                    scopes.push(subprograms[scope.subprogram].into());
                    continue;
                }
                ScopeKind::Block { parent: of, line, column } => {
                    let file = files[self.subprograms[scope.subprogram].file];
                    Block { parent: parent(of), file, line, column }
                }
                ScopeKind::OtherFile { parent: of, file } => {
                    Block { parent: parent(of), file: files[file], line: 0, column: 0 }
                }
            };
            let block: BlockId = model.block(block).unwrap();
            scopes.push(block.into());
        }
        let mut call_sites = Vec::new();
        for location in &self.call_sites {
            let location = model_location(location, &scopes, &call_sites);
            call_sites.push(model.call_site(location).unwrap());
        }
        GeneratedModel { model, subprograms, scopes, call_sites }
    }
}

/// A model, with the handles of what the indices of a [`GeneratedModule`] stand for.
pub(crate) struct GeneratedModel {
    pub(crate) model: Model,
    pub(crate) subprograms: Vec<SubprogramId>,
    scopes: Vec<Scope>,
    call_sites: Vec<CallSiteId>,
}

impl GeneratedModel {
    pub(crate) fn location(&self, location: &GeneratedLocation) -> Location {
        model_location(location, &self.scopes, &self.call_sites)
    }
}

fn model_location(location: &GeneratedLocation, scopes: &[Scope], call_sites: &[CallSiteId]) -> Location {
    let inlined_at = location.inlined_at.map(|site| call_sites[site]);
    Location { inlined_at, ..Location::new(scopes[location.scope], location.line, location.column) }
}
