//! Repairs of `.file` indices, and of the `.loc` that use them.
//!
//! Whose file a `.loc` means where an index is given twice: compilers write their `.file` after
//! their code (all of the corpus do: cicc, NVRTC, clang, Triton, Numba), people before it. The
//! first `.loc` of the module tells which: if a `.file` of its index stands before it, each `.loc`
//! means the nearest one before, else the nearest one after; at the ends of the text, the one there
//! is. Modules pasted together come out right if all are of one kind, or the first has no code.
//!
//! File numbers in the bytes of `.debug_info` (`DW_AT_decl_file`) are not touched.

use std::collections::{HashMap, HashSet};

use super::{Edit, FixSelection};
use crate::file_directive::FileDirective;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::loc::LocDirective;
use crate::module::Module;
use crate::number::Literal;
use crate::parser::Parsed;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// The largest index that ptxas stores.
const MAX_INDEX: u64 = u16::MAX as u64;

/// Gives the second `.file` of an index another one, or drops it.
pub(super) fn merge(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let table = Table::new(&parsed.module);
    if table.by_index.values().all(|files| files.len() == 1) {
        return Vec::new();
    }
    let uses = uses(&parsed.module);
    let fate = table.fates(&uses);
    let leading = table.is_leading(&uses);
    let mut edits = Vec::new();
    for (file, fate) in table.files.iter().zip(&fate) {
        match *fate {
            FileAction::Stays => {}
            FileAction::Goes => edits.push(Edit::delete(parsed.module.text, file.node.range)),
            FileAction::Becomes(index) => edits.push(Edit::new(file.number, index.to_string())),
        }
    }
    for used in &uses {
        if let Some(&FileAction::Becomes(index)) = table.meant(used, leading).and_then(|file| fate.get(file))
        {
            edits.push(Edit::new(used.number, index.to_string()));
        }
    }
    edits
}

/// Numbers the files without gaps, in the order of their indices. Files whose index ptxas cannot
/// store go into the gaps, or after the others. A `.loc` whose file is not declared must not come
/// to mean one that is.
pub(super) fn renumber(parsed: &Parsed<'_>, _: &FixSelection) -> Vec<Edit> {
    let table = Table::new(&parsed.module);
    let count = table.files.len() as u64;
    let sound = table.by_index.keys().all(|index| (1..=count).contains(index));
    if sound || table.by_index.len() != table.files.len() {
        return Vec::new(); // as it should be, or two of one index
    }
    let uses = uses(&parsed.module);
    let mut new = table.without_gaps();
    // Undeclared ones that are in the way move up.
    let undeclared = uses.iter().map(|used| used.index).filter(|index| !new.contains_key(index));
    let mut taken: HashSet<u64> = undeclared.collect();
    let mut free = count + 1;
    for used in &uses {
        if (1..=count).contains(&used.index) && !new.contains_key(&used.index) {
            while !taken.insert(free) {
                free += 1;
            }
            new.insert(used.index, free);
        }
    }
    let files = table.files.iter().map(|file| (file.number, file.node.index));
    let numbers = files.chain(uses.iter().map(|used| (used.number, used.index)));
    let changed = numbers.filter_map(|(number, old)| {
        let &new = new.get(&old).filter(|&&new| new != old)?;
        Some(Edit::new(number, new.to_string()))
    });
    changed.collect()
}

/// A `.file` and the token of its index.
struct File<'m, 'a> {
    node: &'m FileDirective<'a>,
    number: TextRange,
}

/// A file number of a `.loc` and its token.
struct Use {
    index: u64,
    number: TextRange,
}

/// What becomes of a `.file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileAction {
    Stays,
    /// One before it says the same.
    Goes,
    Becomes(u64),
}

/// The `.file` directives in text order.
struct Table<'m, 'a> {
    files: Vec<File<'m, 'a>>,
    by_index: HashMap<u64, Vec<usize>>,
}

impl<'m, 'a> Table<'m, 'a> {
    fn new(module: &'m Module<'a>) -> Self {
        let mut table = Self { files: Vec::new(), by_index: HashMap::new() };
        for node in module.files() {
            let number = number_after(module.text, node.range, ".file");
            let Some(number) = number.filter(|&(_, index)| index == node.index).map(|(range, _)| range)
            else {
                continue;
            };
            table.by_index.entry(node.index).or_default().push(table.files.len());
            table.files.push(File { node, number });
        }
        table
    }

    fn start(&self, file: usize) -> u32 {
        self.files.get(file).map_or(0, |file| file.number.start)
    }

    /// Whether `.file` comes before the code.
    fn is_leading(&self, uses: &[Use]) -> bool {
        let first = uses.iter().find_map(|used| Some((used, *self.by_index.get(&used.index)?.first()?)));
        first.is_some_and(|(used, file)| self.start(file) < used.number.start)
    }

    /// The file that a `.loc` means.
    fn meant(&self, used: &Use, leading: bool) -> Option<usize> {
        let files = self.by_index.get(&used.index)?;
        let after = files.partition_point(|&file| self.start(file) < used.number.start);
        let at = if leading { after.saturating_sub(1) } else { after.min(files.len() - 1) };
        files.get(at).copied()
    }

    /// What becomes of each file, if all but the first of an index are to go or to get a free one.
    fn fates(&self, uses: &[Use]) -> Vec<FileAction> {
        let mut known: HashMap<(u64, &str), &FileDirective<'_>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut taken: HashSet<u64> =
            self.by_index.keys().copied().chain(uses.iter().map(|used| used.index)).collect();
        let mut free = 1;
        let fates = self.files.iter().map(|File { node, .. }| {
            if seen.insert(node.index) {
                known.insert((node.index, node.path), node);
                return FileAction::Stays;
            }
            let timeless = node.timestamp.is_none();
            let says_the_same = |before: &FileDirective<'_>| {
                before.timestamp.is_some() && timeless
                    || (before.timestamp, before.size) == (node.timestamp, node.size)
            };
            // Only what the first `.file` of an index says needs no index of its own.
            if known.get(&(node.index, node.path)).is_some_and(|before| says_the_same(before)) {
                return FileAction::Goes;
            }
            while !taken.insert(free) {
                free += 1;
            }
            FileAction::Becomes(free)
        });
        fates.collect()
    }

    /// The new index of each old one.
    fn without_gaps(&self) -> HashMap<u64, u64> {
        let in_range = |index: &u64| (1..=MAX_INDEX).contains(index);
        let mut taken: HashSet<u64> = self.by_index.keys().copied().filter(in_range).collect();
        let mut free = 1;
        let mut places: Vec<(u64, u64)> = Vec::with_capacity(self.files.len());
        for index in self.files.iter().map(|file| file.node.index) {
            if in_range(&index) {
                places.push((index, index));
                continue;
            }
            while !taken.insert(free) {
                free += 1;
            }
            places.push((free, index));
        }
        places.sort_unstable();
        (1..).zip(places).map(|(new, (_, old))| (old, new)).collect()
    }
}

/// Every file number of every `.loc`, `.loc_intermediate` and `.code_block`, in text order.
fn uses(module: &Module<'_>) -> Vec<Use> {
    let mut uses = Vec::new();
    for statement in module.functions().filter_map(|f| f.body.as_ref()).flat_map(|body| &body.statements) {
        match statement {
            Statement::Loc(loc) => uses.extend(uses_of(module.text, loc).into_iter().flatten()),
            Statement::IntermediateLoc(loc) => {
                let number = number_after(module.text, loc.range, ".loc_intermediate");
                let number = number.filter(|&(_, index)| index == loc.file);
                uses.extend(number.map(|(number, index)| Use { index, number }));
            }
            _ => {}
        }
    }
    let of_blocks = module.code_blocks().map(|block| Use { index: block.file, number: block.file_range });
    uses.extend(of_blocks);
    uses.sort_by_key(|used| used.number);
    uses
}

fn uses_of(text: &str, loc: &LocDirective<'_>) -> [Option<Use>; 2] {
    let own = number_after(text, loc.range, ".loc").filter(|&(_, index)| index == loc.file);
    let call = loc
        .inlined_at
        .as_ref()
        .and_then(|at| number_after(text, at.range, "inlined_at").filter(|&(_, index)| index == at.file));
    [own, call].map(|used| used.map(|(number, index)| Use { index, number }))
}

/// The number that follows a word inside `range`, and its value as ptxas reads it there.
fn number_after(text: &str, range: TextRange, word: &str) -> Option<(TextRange, u64)> {
    let mut lexer = Lexer::new(text, range.start);
    let mut next = || {
        Some(lexer.next_significant())
            .filter(|token| token.range.end <= range.end && token.kind != TokenKind::Eof)
    };
    while next()?.range.slice(text) != word {}
    let Token { kind, range } = next()?;
    match (kind, range.slice(text)) {
        (TokenKind::Integer, digits) => Some((range, u64::from(Literal::read(digits).to_u32().0))),
        (TokenKind::Ident, "WARP_SZ") => Some((range, 32)),
        _ => None,
    }
}
