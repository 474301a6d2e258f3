//! Names with dots, which compilers write in debug sections for symbols that they have declared
//! without dots.

mod mangled_names;
mod words;

use std::collections::{HashMap, HashSet};

pub(crate) use mangled_names::{MangledNames, MangledWord};

use crate::declared_names::{Declared, Names, declared};
use crate::module::Module;
use crate::text_range::TextRange;

/// What stands for a dot in the names of LLVM.
pub(crate) const DOT: &str = "_$_";

/// The whole of `a.b.c` if the word of `range` follows a name without a blank. The name may begin
/// with a dot itself, as `.str.12` does.
pub(crate) fn dotted_symbol(text: &str, range: TextRange) -> Option<TextRange> {
    let whole = whole_name(text, range);
    let first = *text.as_bytes().get(whole.start as usize)?;
    let follows = whole.start < range.start;
    (follows && !first.is_ascii_digit()).then_some(whole)
}

/// A range with all letters, digits and dots that stand right before and after it.
pub(crate) fn whole_name(text: &str, range: TextRange) -> TextRange {
    let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%' | b'.');
    let before = text.as_bytes().get(..range.start as usize).unwrap_or(&[]);
    let after = text.as_bytes().get(range.end as usize..).unwrap_or(&[]);
    let less = before.iter().rev().take_while(part).count() as u32;
    TextRange::new(range.start - less, range.end + after.iter().take_while(part).count() as u32)
}

/// The declared names, to be found by their letters.
#[derive(Debug)]
pub(crate) struct DeclaredNames<'a> {
    exact: HashSet<&'a str>,
    /// None where two have the same letters.
    by_letters: HashMap<Vec<u8>, Option<&'a str>>,
}

impl<'a> DeclaredNames<'a> {
    /// Functions and variables, wherever they are declared.
    pub(crate) fn new(module: &Module<'a>) -> Self {
        Self::of(&declared(module))
    }

    /// Those of all names of a module.
    pub(crate) fn of(names: &Names<'a>) -> Self {
        let is_symbol = |what: Declared| {
            !matches!(what, Declared::CodeLabel | Declared::Parameter | Declared::FunctionParameter)
        };
        let all: Vec<&str> =
            names.iter().filter(|&(_, what)| is_symbol(what)).map(|(name, _)| name).collect();
        let mut by_letters = HashMap::new();
        for &name in &all {
            by_letters.entry(letters(name)).and_modify(|known| *known = None).or_insert(Some(name));
        }
        Self { exact: all.into_iter().collect(), by_letters }
    }

    /// The declared name that a dotted name stands for: LLVM's spelling of it, otherwise the only
    /// one with the same letters and digits.
    pub(crate) fn meant(&self, dotted: &str) -> Option<&'a str> {
        if is_section_name(dotted) {
            return None;
        }
        let exact = self.exact.get(dotted.replace('.', DOT).as_str()).copied();
        exact.or_else(|| self.by_letters.get(&letters(dotted)).copied().flatten())
    }
}

/// What a section of that name would be called. Other names that begin with a dot may stand for a
/// variable, as `.str.12` and `.L__unnamed_3` of LLVM do.
pub(crate) fn is_section_name(name: &str) -> bool {
    name.starts_with(".debug_") || name.starts_with(".nv")
}

fn letters(name: &str) -> Vec<u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn names_by_their_letters() {
        let text = ".version 8.0\n.target sm_90\n.global .b8 a_$_b, ab, __func___$_k, x_y, xy, c$d, _$_str_$_1, debug_x;\n";
        let parsed = parse(text);
        let names = DeclaredNames::new(&parsed.module);
        assert_eq!(names.meant("a.b"), Some("a_$_b"), "LLVM's spelling first");
        assert_eq!(names.meant("__func__.k"), Some("__func___$_k"));
        assert_eq!(names.meant("c.d"), Some("c$d"));
        assert_eq!(names.meant("x.y"), None, "two choices");
        assert_eq!(names.meant("nothing.here"), None);
        assert_eq!(names.meant(".str.1"), Some("_$_str_$_1"));
        assert_eq!(names.meant(".debug_x"), None, "a section");
    }
}
