//! The strings of `.debug_str`.

use super::contents::Contents;
use super::dump_source::read_all;
use super::relocated_view::RelocatedView;
use super::stream::ItemStream;
use super::with_offset::WithOffset;
use dwarf2_reader::strings;
use nv_debug_sections::Result;

pub(super) fn strings<'s>(view: &'s RelocatedView<'_>) -> Result<Contents<'s>> {
    let strings = || strings::strings(&view.data.bytes);
    read_all(view, strings())?;
    Ok(Contents::Strings(ItemStream::of(move || {
        let strings = strings().map_while(Result::ok);
        strings.map(|(span, string)| WithOffset { at: span.into(), value: String::from_utf8_lossy(string) })
    })))
}
