//! The ways in which people spell the names of functions.

use super::{CanonicalName, demangle};
use std::collections::HashMap;

/// How a name that was asked for matches that of a function. The best comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameMatch {
    /// It is the name, in one of its spellings.
    Exact,
    /// It is the own name of a function that ptxas folded into a kernel, whose symbol is
    /// `$kernel$function`.
    Folded,
    /// It is a part of the name.
    Part,
}

/// The spellings of names, each name by its index.
#[derive(Debug)]
pub(crate) struct Spellings {
    /// Each name as it is, demangled, and that in its [canonical](CanonicalName) spelling.
    all: Vec<[String; 3]>,
    /// By every name that is exact: the name itself, and the canonical spellings of the demangled
    /// one.
    exact: HashMap<String, Vec<usize>>,
    /// The same of the own names of folded functions.
    folded: HashMap<String, Vec<usize>>,
}

impl Spellings {
    /// Demangles names, which takes longer than everything else in a query.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let plain = |name: &str| demangle(name).unwrap_or_else(|| name.to_owned());
        let (mut exact, mut folded) = (HashMap::new(), HashMap::new());
        let mut all = Vec::new();
        for (index, name) in names.enumerate() {
            let demangled = plain(name);
            let spelled = CanonicalName::of(&demangled);
            all.push([name.to_owned(), demangled, spelled.whole.clone()]);
            add(&mut exact, index, name, spelled);
            for own in own_names(name) {
                add(&mut folded, index, own, CanonicalName::of(&plain(own)));
            }
        }
        Self { all, exact, folded }
    }

    /// Finds the indices of the names that match best, among those that are meant, and how they
    /// match. Several may have the part that was asked for.
    pub(crate) fn find(
        &self,
        name: &str,
        is_meant: impl Fn(usize) -> bool,
    ) -> (Option<NameMatch>, Vec<usize>) {
        let spelled = CanonicalName::of(name);
        let meant = |indices: &Vec<usize>| -> Option<Vec<usize>> {
            let found: Vec<usize> = indices.iter().copied().filter(|index| is_meant(*index)).collect();
            (!found.is_empty()).then_some(found)
        };
        for (kind, known) in [(NameMatch::Exact, &self.exact), (NameMatch::Folded, &self.folded)] {
            let mut asked = [name, &spelled.whole, &spelled.without_return].into_iter();
            if let Some(found) = asked.find_map(|asked| meant(known.get(asked)?)) {
                return (Some(kind), found);
            }
        }
        let has = |[own, demangled, canonical]: &[String; 3]| {
            let is_in = [own, demangled].iter().any(|spelling| spelling.contains(name));
            !name.is_empty() && (is_in || canonical.contains(&spelled.without_return))
        };
        let parts = self.all.iter().enumerate().filter(|(index, names)| is_meant(*index) && has(names));
        let parts: Vec<usize> = parts.map(|(index, _)| index).collect();
        ((!parts.is_empty()).then_some(NameMatch::Part), parts)
    }
}

/// Whether a name is mangled (Itanium C++, Rust): nothing else is spelled so once demangled.
pub(crate) fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("_R")
}

fn add(names: &mut HashMap<String, Vec<usize>>, index: usize, name: &str, spelled: CanonicalName) {
    for name in [name.to_owned()].into_iter().chain(spelled.spellings()) {
        let indices = names.entry(name).or_default();
        if indices.last() != Some(&index) {
            indices.push(index);
        }
    }
}

/// The possible own names of a folded function: everything after any `$` but the first, since names
/// may contain `$`.
fn own_names(symbol: &str) -> impl Iterator<Item = &str> {
    let after = symbol.strip_prefix('$').unwrap_or_default();
    after.match_indices('$').filter_map(move |(at, _)| after.get(at + 1..)).filter(|name| !name.is_empty())
}
