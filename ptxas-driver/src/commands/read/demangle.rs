//! C++ and Rust names as their programmers wrote them.

use cpp_demangle::DemangleOptions;
use std::fmt::{self, Write};

/// A demangled name is cut off as hopeless beyond this many bytes: back references let a short one grow without limit.
const MAX_LEN: usize = 1 << 16;

/// The name demangled, if any part of it was mangled.
///
/// ptxas and nvlink join names by `$` (`$kernel$function`, `function$5`): each part is taken on its own.
pub(in crate::commands) fn demangle(name: &str) -> Option<String> {
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
    symbol.structured_demangle(&mut out, &DemangleOptions::new()).ok().map(|()| out.0)
}

struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_LEN {
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
            ("saxpy", None),
            ("_Z", None),
        ] {
            assert_eq!(demangle(mangled).as_deref(), want, "{mangled}");
        }
    }
}
