//! The macro definitions of `.debug_macinfo`.

use super::contents::Contents;
use super::dump_source::read_all;
use super::relocated_view::RelocatedView;
use super::stream::ItemStream;
use super::with_offset::WithOffset;
use dwarf2_reader::macinfo;
use dwarf2_reader::macinfo::Macro;
use nv_debug_sections::Result;

/// `.debug_macinfo` (DWARF 2.0.0 §7.22).
pub(super) fn macros<'s>(view: &'s RelocatedView<'_>) -> Result<Contents<'s>> {
    let items = || macinfo::items(&view.data.bytes, 0);
    read_all(view, items())?;
    let words = |item| match item {
        None => "end".to_owned(),
        Some(Macro::Define { line, text: macro_text }) => {
            format!("DW_MACINFO_define {line} {}", String::from_utf8_lossy(macro_text))
        }
        Some(Macro::Undef { line, text: name }) => {
            format!("DW_MACINFO_undef {line} {}", String::from_utf8_lossy(name))
        }
        Some(Macro::StartFile { line, file }) => format!("DW_MACINFO_start_file {line} {file}"),
        Some(Macro::EndFile) => "DW_MACINFO_end_file".to_owned(),
        Some(Macro::Vendor { constant, text: words }) => {
            format!("DW_MACINFO_vendor_ext {constant} {}", String::from_utf8_lossy(words))
        }
    };
    Ok(Contents::Macros(ItemStream::of(move || {
        let items = items().map_while(Result::ok);
        items.map(move |(span, item)| WithOffset { at: span.into(), value: words(item).into() })
    })))
}
