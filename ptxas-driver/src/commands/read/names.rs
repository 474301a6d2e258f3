//! Functions by the names that people use for them.

use super::demangle;
use nv_debug_sections::symbolize::Function;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Most candidates that a message lists.
const MAX_LISTED: usize = 20;

/// The functions of a cubin by name.
pub(in crate::commands) struct Names<'s> {
    functions: &'s [Function<'s>],
    by_symbol: HashMap<&'s str, Vec<usize>>,
    /// Made when a name is asked for that is nobody's symbol: demangling takes longer than all else that one query needs.
    spellings: OnceCell<Spellings>,
}

/// What people call functions, each by its index.
struct Spellings {
    /// Demangled name of each function, else its symbol's.
    demangled: Vec<String>,
    /// By every name that is exact: symbol, demangled, demangled without parameters.
    exact: HashMap<String, Vec<usize>>,
    /// The same of the own names of functions that ptxas folded into a kernel, whose symbols are `$kernel$function`.
    folded: HashMap<String, Vec<usize>>,
}

impl Spellings {
    fn new(functions: &[Function<'_>]) -> Self {
        let demangled: Vec<String> = functions
            .iter()
            .map(|function| demangle(function.name).unwrap_or_else(|| function.name.to_owned()))
            .collect();
        let (mut exact, mut folded) = (HashMap::new(), HashMap::new());
        for (index, (function, demangled)) in functions.iter().zip(&demangled).enumerate() {
            add(&mut exact, index, [function.name, demangled, without_parameters(demangled)]);
            for own in own_names(function.name) {
                let demangled = demangle(own).unwrap_or_else(|| own.to_owned());
                add(&mut folded, index, [own, &demangled, without_parameters(&demangled)]);
            }
        }
        Self { demangled, exact, folded }
    }
}

impl<'s> Names<'s> {
    pub(in crate::commands) fn new(functions: &'s [Function<'s>]) -> Self {
        let mut by_symbol: HashMap<&str, Vec<usize>> = HashMap::with_capacity(functions.len());
        for (index, function) in functions.iter().enumerate() {
            by_symbol.entry(function.name).or_default().push(index);
        }
        Self { functions, by_symbol, spellings: OnceCell::new() }
    }

    /// The functions of an exact name, else those folded into kernels that have it, else the one that `name` is a part of.
    ///
    /// # Errors
    ///
    /// A message that lists the functions, when there is none or several have the part.
    pub(in crate::commands) fn find(&self, name: &str) -> Result<Vec<&'s Function<'s>>, String> {
        let all = self.functions;
        let of = |indices: &[usize]| indices.iter().filter_map(|&index| all.get(index)).collect();
        if let Some(indices) = self.by_symbol.get(name).filter(|_| is_mangled(name)) {
            return Ok(of(indices));
        }
        let spellings = self.spellings.get_or_init(|| Spellings::new(all));
        if let Some(indices) = spellings.exact.get(name).or_else(|| spellings.folded.get(name)) {
            return Ok(of(indices));
        }
        let has = |(function, demangled): &(&Function<'_>, &String)| {
            !name.is_empty() && (function.name.contains(name) || demangled.contains(name))
        };
        let parts: Vec<_> =
            all.iter().zip(&spellings.demangled).filter(has).map(|(function, _)| function).collect();
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

/// Whether a name is mangled (Itanium C++, Rust): nothing else is spelled so once demangled.
fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("_R")
}

fn add(names: &mut HashMap<String, Vec<usize>>, index: usize, spellings: [&str; 3]) {
    for name in spellings {
        let indices = names.entry(name.to_owned()).or_default();
        if indices.last() != Some(&index) {
            indices.push(index);
        }
    }
}

/// What may be the own name of a folded function: all that is behind a `$` but the first, as names may have some themselves.
fn own_names(symbol: &str) -> impl Iterator<Item = &str> {
    let behind = symbol.strip_prefix('$').unwrap_or_default();
    behind.match_indices('$').filter_map(move |(at, _)| behind.get(at + 1..)).filter(|name| !name.is_empty())
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
    use nv_debug_sections::cubin::{SectionIndex, SymbolIndex};

    fn function(at: u32, name: &str) -> Function<'_> {
        let (section, symbol) = (SectionIndex(at), SymbolIndex(at));
        Function { name, symbol, section, offset: 0, size: 16, kernel: false }
    }

    #[test]
    fn folded_functions_have_their_own_names() {
        let names = [
            "k1",
            "$k1$_Z6helperfi",
            "$k1$_Z6helperf",
            "_Z4bothv",
            "$k1$_Z4bothv",
            "$k$2$plain",
            "$k1$_Z1ai$3",
        ];
        let functions: Vec<_> = (0..).zip(names).map(|(at, name)| function(at, name)).collect();
        let names = Names::new(&functions);
        let find = |name: &str| {
            let found = names.find(name).map_err(|_| ())?;
            Ok::<Vec<u32>, ()>(found.iter().map(|function| function.symbol.0).collect())
        };
        for (name, found) in [
            ("_Z6helperfi", Ok(vec![1])),
            ("helper(float, int)", Ok(vec![1])),
            ("helper", Ok(vec![1, 2])),
            // What is not folded comes first.
            ("both", Ok(vec![3])),
            ("$k1$_Z4bothv", Ok(vec![4])),
            ("plain", Ok(vec![5])),
            ("_Z1ai$3", Ok(vec![6])),
            ("help", Err(())),
            ("helper(int)", Err(())),
        ] {
            assert_eq!(find(name), found, "{name}");
        }
    }

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
