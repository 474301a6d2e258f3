//! Comparison of the code of two cubins.

use nv_debug_sections::catalog::CODE_PREFIX;
use nv_debug_sections::cubin::Cubin;

/// Returns the name of the first section in which the native code of two cubins differs: a code
/// section with another index, name or contents, or `.symtab` if the functions differ. `None` if
/// the code is the same; the address maps of one cubin are then right for the other.
pub fn code_difference<'c>(cubin: &'c Cubin<'_>, other: &'c Cubin<'_>) -> Option<&'c str> {
    let code = |cubin: &'c Cubin<'_>| {
        let all =
            cubin.iter().filter(|(_, name, section)| name.starts_with(CODE_PREFIX) && !section.is_mercury());
        all.map(|(index, name, _)| (index, name, cubin.bytes(index).ok())).collect::<Vec<_>>()
    };
    let (ours, theirs) = (code(cubin), code(other));
    let differ =
        ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs).map(|((_, name, _), _)| *name);
    let more = || ours.get(theirs.len()).or(theirs.get(ours.len())).map(|(_, name, _)| *name);
    let names =
        |cubin: &'c Cubin<'_>| cubin.functions().map(|(number, _)| (number, cubin.symbol_name(number)));
    differ.or_else(more).or_else(|| (!names(cubin).eq(names(other))).then_some(".symtab"))
}
