//! C++ and Rust names as their programmers wrote them.

use crate::limits::MAX_DEMANGLED;
use cpp_demangle::DemangleOptions;
use std::fmt::{self, Write};

/// Returns a mangled name as its programmer wrote it; `None` if no part of it is mangled.
///
/// ptxas and nvlink join names by `$` (`$kernel$function`, `function$5`): each part is taken on its
/// own.
pub fn demangle(name: &str) -> Option<String> {
    if let Some(whole) = one(name) {
        return Some(whole);
    }
    let mut any = false;
    let parts: Vec<String> = name
        .split('$')
        .map(|part| {
            let demangled = one(part);
            any |= demangled.is_some();
            demangled.unwrap_or_else(|| part.to_owned())
        })
        .collect();
    any.then(|| parts.join("$"))
}

/// Demangles the names in a type that is spelled as in C; `None` if none is mangled. nvcc mangles
/// the names of types in namespaces.
pub fn demangle_type(spelled: &str) -> Option<String> {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut any = false;
    let mut text = String::with_capacity(spelled.len());
    let mut rest = spelled;
    while let Some(start) = rest.find(is_of_name) {
        let (before, tail) = rest.split_at(start);
        let (name, after) = tail.split_at(tail.find(|c| !is_of_name(c)).unwrap_or(tail.len()));
        let demangled = one(name);
        any |= demangled.is_some();
        text.push_str(before);
        text.push_str(demangled.as_deref().unwrap_or(name));
        rest = after;
    }
    text.push_str(rest);
    any.then_some(text)
}

fn one(name: &str) -> Option<String> {
    if !name.starts_with("_Z") && !name.starts_with("_R") {
        return None;
    }
    let mut out = Limited(String::new());
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        // Without the hash that only tells instances apart.
        return write!(out, "{rust:#}").ok().map(|()| out.0);
    }
    let symbol = cpp_demangle::Symbol::new(name).ok()?;
    symbol.structured_demangle(&mut out, &DemangleOptions::new()).ok().map(|()| without_empty_packs(out.0))
}

/// The name without the commas around parameter packs that are empty, which `cpp_demangle` leaves:
/// `f(int, )` is `f(int)`.
fn without_empty_packs(mut name: String) -> String {
    for (commas, joined) in [(", , ", ", "), (", )", ")"), (", >", ">"), ("(, ", "(")] {
        while name.contains(commas) {
            name = name.replace(commas, joined);
        }
    }
    name
}

struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_DEMANGLED {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_each_language_and_of_the_linker() {
        for (mangled, want) in [
            ("_Z5saxpyifPKfPf", Some("saxpy(int, float, float const*, float*)")),
            ("_Z7advanceR8Particlef$5", Some("advance(Particle&, float)$5")),
            ("$_Z1kPf$__cuda_sm20_div_s32", Some("$k(float*)$__cuda_sm20_div_s32")),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", Some("core::fmt::Write::write_fmt")),
            // As c++filt has them, but for the commas that it leaves in the last two.
            ("_Z3varIJEEvPiDpT_", Some("void var<>(int*)")),
            ("_Z1fIiJEEvT_DpT0_", Some("void f<int>(int)")),
            ("_Z1gIJEEvDpT_", Some("void g<>()")),
            ("_Z1hIJEEvDpT_i", Some("void h<>(int)")),
            ("_Z1pIJiEJEEvDpT_DpT0_i", Some("void p<int>(int, int)")),
            ("saxpy", None),
            ("_Z", None),
        ] {
            assert_eq!(demangle(mangled).as_deref(), want, "{mangled}");
        }
    }

    #[test]
    fn names_in_types() {
        for (spelled, want) in [
            ("_ZN1N1EE", Some("N::E")),
            ("_ZN1N1EE const *const", Some("N::E const *const")),
            ("Pair<_ZN1N1EE, int> (*)[4]", Some("Pair<N::E, int> (*)[4]")),
            ("void (*)(_ZN1N1EE, _ZN1N1EE &)", Some("void (*)(N::E, N::E &)")),
            ("_ZZ1kiEUliE_", Some("k(int)::{lambda(int)#1}")),
            ("float const *", None),
            ("_Zq", None),
            ("?", None),
        ] {
            assert_eq!(demangle_type(spelled).as_deref(), want, "{spelled}");
        }
    }
}
