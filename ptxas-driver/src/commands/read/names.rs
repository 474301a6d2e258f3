//! Functions by the names that people use for them.

use super::demangle;
use nv_debug_sections::symbolize::Function;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Most candidates that a message lists.
const MAX_LISTED: usize = 20;

/// The functions of a cubin by name.
pub(in crate::commands) struct Names<'s> {
    functions: &'s [Function<'s>],
    /// Demangled name of each function, else its symbol's.
    demangled: Vec<String>,
    /// By every name that is exact: symbol, demangled, demangled without parameters.
    exact: HashMap<String, Vec<usize>>,
}

impl<'s> Names<'s> {
    pub(in crate::commands) fn new(functions: &'s [Function<'s>]) -> Self {
        let demangled: Vec<String> = functions
            .iter()
            .map(|function| demangle(function.name).unwrap_or_else(|| function.name.to_owned()))
            .collect();
        let mut exact: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, (function, demangled)) in functions.iter().zip(&demangled).enumerate() {
            for name in [function.name, demangled, without_parameters(demangled)] {
                let indices = exact.entry(name.to_owned()).or_default();
                if indices.last() != Some(&index) {
                    indices.push(index);
                }
            }
        }
        Self { functions, demangled, exact }
    }

    /// The functions of an exact name, else the one that `name` is a part of.
    ///
    /// # Errors
    ///
    /// A message that lists the functions, when there is none or several have the part.
    pub(in crate::commands) fn find(&self, name: &str) -> Result<Vec<&'s Function<'s>>, String> {
        let all = self.functions;
        if let Some(indices) = self.exact.get(name) {
            return Ok(indices.iter().filter_map(|&index| all.get(index)).collect());
        }
        let has = |(function, demangled): &(&Function<'_>, &String)| {
            !name.is_empty() && (function.name.contains(name) || demangled.contains(name))
        };
        let parts: Vec<_> =
            all.iter().zip(&self.demangled).filter(has).map(|(function, _)| function).collect();
        match parts.as_slice() {
            [] => Err(format!("no function '{name}'; {}", self.all())),
            [_] => Ok(parts),
            several => {
                Err(format!("'{name}' is part of {}", list(several.iter().map(|function| function.name))))
            }
        }
    }

    /// All functions, for a message.
    pub(in crate::commands) fn all(&self) -> String {
        if self.functions.is_empty() {
            return "the file has no functions".to_owned();
        }
        format!("the functions are {}", list(self.functions.iter().map(|function| function.name)))
    }
}

fn list<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(MAX_LISTED);
    let mut text = names.take(MAX_LISTED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// `f` of `f(int)` and of `void f<1>(int)`: what a programmer calls it. Template arguments stay, the return type goes.
fn without_parameters(demangled: &str) -> &str {
    // The parameter list is the last pair of parentheses at depth 0 of angle brackets; names such as `operator()` and
    // `(anonymous namespace)::f` have parentheses of their own before it.
    let Some(close) = demangled.rfind(')') else { return demangled };
    let mut depth = 0_i32;
    let open = demangled.bytes().take(close + 1).rev().position(|byte| {
        depth += i32::from(byte == b')') - i32::from(byte == b'(');
        depth == 0
    });
    let name = open.and_then(|back| demangled.get(..close - back)).unwrap_or(demangled);
    // `void f<int>`: the return type ends at the last blank outside brackets.
    let mut angle = 0_i32;
    let blank = name.bytes().enumerate().filter(|&(_, byte)| {
        angle += i32::from(matches!(byte, b'<' | b'(')) - i32::from(matches!(byte, b'>' | b')'));
        byte == b' ' && angle == 0
    });
    match blank.last() {
        Some((at, _)) if !name.contains("operator") => name.get(at + 1..).unwrap_or(name),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_parameters() {
        for (name, want) in [
            ("saxpy(int, float)", "saxpy"),
            ("void reduce<float, 4>(float*)", "reduce<float, 4>"),
            ("a::b(void (*)(int))", "a::b"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("A::operator()(int) const", "A::operator()"),
            ("plain", "plain"),
            (")(", ")("),
        ] {
            assert_eq!(without_parameters(name), want);
        }
    }
}
