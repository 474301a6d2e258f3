//! The `.loc` that an `inlined_at` refers to: the last one before it in the text with the same
//! file, line and column.
//!
//! Observed: ptxas 13.0.88 compares 16 bits of the file, as many as it keeps, and 32 of line and
//! column.

use foldhash::{HashMap, HashMapExt as _};

use crate::loc::LocDirective;
use crate::module::Module;
use crate::statement::Statement;

/// The `.loc` to which the `inlined_at` of another `.loc` refers: the last one before with the same
/// file, line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallSite {
    /// No `.loc` before the `inlined_at` has its file, line and column.
    Unseen,
    /// The call site is a `.loc` of another function, which ptxas accepts. The value is the 0-based
    /// position of that `.loc` among all `.loc` in function bodies of the module.
    Elsewhere(u32),
    /// The call site is a `.loc` of the function that has the `inlined_at`. The value is the
    /// 0-based position of that `.loc` among all `.loc` in function bodies of the module.
    Here(u32),
}

/// Finds the `.loc` to which each `inlined_at` of a module refers. The `.loc` directives must be
/// given in text order.
#[derive(Debug, Clone)]
pub struct CallSites {
    /// Number and function of the last `.loc` at a place.
    last: HashMap<LocKey, (u32, u32)>,
    next: u32,
    function: u32,
}

/// File, line and column, in the bits that ptxas compares.
type LocKey = (u16, u32, u32);

impl CallSites {
    /// Creates an empty list of call sites, with capacity for every `.loc` of a module.
    pub fn of(module: &Module<'_>) -> Self {
        let bodies = module.functions().filter_map(|function| function.body.as_ref());
        let statements = bodies.flat_map(|body| &body.statements);
        let count = statements.filter(|statement| matches!(statement, Statement::Loc(_))).count();
        Self { last: HashMap::with_capacity(count), next: 0, function: 0 }
    }

    /// Records that the `.loc` directives after this call belong to the next function.
    pub fn begin_function(&mut self) {
        self.function += 1;
    }

    /// The 0-based number of the next `.loc`, among all of the module's functions.
    pub fn next_number(&self) -> u32 {
        self.next
    }

    /// Records the next `.loc` of the module. Returns the `.loc` to which its `inlined_at` refers;
    /// `None` if it has no `inlined_at`.
    pub fn take(&mut self, loc: &LocDirective<'_>) -> Option<CallSite> {
        let place = |file: u64, line: u64, column: u64| (file as u16, line as u32, column as u32);
        let inlined = loc.inlined_at.as_deref();
        let call_site = inlined.map(|at| match self.last.get(&place(at.file, at.line, at.column)) {
            None => CallSite::Unseen,
            Some(&(number, function)) if function == self.function => CallSite::Here(number),
            Some(&(number, _)) => CallSite::Elsewhere(number),
        });
        self.last.insert(place(loc.file, loc.line, loc.column), (self.next, self.function));
        self.next += 1;
        call_site
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_loc_of_the_place_counts_if_it_is_of_the_same_function() {
        let inlined = |at: &str| format!(".loc 1 9 9, function_name $name, inlined_at {at}\n");
        let body = |locs: &[String]| format!("{{\n{}}}\n", locs.concat());
        let plain = || ".loc 1 2 3\n".to_owned();
        let first =
            body(&[inlined("1 2 3"), plain(), inlined("1 2 3"), plain(), inlined("1 2 3"), inlined("1 2 4")]);
        let second = body(&[inlined("1 2 3"), plain(), inlined("1 2 3")]);
        let text = format!(".version 8.0\n.target sm_80\n.func f()\n{first}.func g()\n{second}");
        let parsed = crate::parse(&text);
        assert_eq!(parsed.errors, []);
        let mut call_sites = CallSites::of(&parsed.module);
        let mut found = Vec::new();
        for function in parsed.module.functions() {
            call_sites.begin_function();
            for statement in function.body.iter().flat_map(|body| &body.statements) {
                if let Statement::Loc(loc) = statement {
                    found.push(call_sites.take(loc));
                }
            }
        }
        let of_first = [
            Some(CallSite::Unseen),
            None,
            Some(CallSite::Here(1)),
            None,
            Some(CallSite::Here(3)),
            Some(CallSite::Unseen),
        ];
        let of_second = [Some(CallSite::Elsewhere(3)), None, Some(CallSite::Here(7))];
        assert_eq!(found, [&of_first[..], &of_second].concat());
        assert_eq!(call_sites.next_number(), 9);
    }
}
