//! Debug-only objects: files that never had machine code.

use nv_debug_sections::cubin::{CodePlace, Cubin};

/// What a file without code is and who made it, for messages that say `no code`. `None` for files with code, and for side files,
/// whose code is in the cubin that they were made of.
pub(in crate::commands) fn debug_only(cubin: &Cubin<'_>) -> Option<String> {
    if cubin.code_place() != CodePlace::None {
        return None;
    }
    let by = cubin.writer().map_or(String::new(), |writer| {
        let version = writer.version.map(|version| format!(" {version}")).unwrap_or_default();
        format!(" of {}{version}", writer.tool)
    });
    Some(format!("a debug-only object{by}"))
}
