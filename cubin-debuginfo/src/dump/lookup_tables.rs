//! The lookup tables `.debug_aranges`, `.debug_pubnames` and `.debug_pubtypes`.

use super::contents::Contents;
use super::dump_source::{DumpSource, read_all};
use super::relocated_view::RelocatedView;
use super::span::Span;
use super::stream::{ItemStream, StreamPart};
use super::unclaimed_bytes::UnclaimedBytes;
use dwarf2_reader::{aranges, pubnames};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// An entry of `.debug_pubnames` or `.debug_pubtypes`: a name, and the `.debug_info` entry that it
/// stands for.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LookupName")]
pub struct NameLookup<'s> {
    /// The byte range of the name in its section.
    #[serde(flatten)]
    pub at: Span,
    /// The name of the variable, function or type.
    pub name: Cow<'s, str>,
    /// Byte offset in `.debug_info` of the entry that has the name.
    pub die: u64,
}

/// An entry of `.debug_aranges`: a range of addresses that belongs to a unit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddressRange {
    /// The byte range of the address range in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Byte offset in `.debug_info` of the unit to which the range belongs.
    pub unit: u64,
    /// Start of the address range: a section and offset, or a number where no relocation names a
    /// section.
    pub start: String,
    /// Length of the address range, in bytes.
    pub length: u64,
}

/// `.debug_aranges` (DWARF 2.0.0 §7.20): sets of address ranges, each for a unit.
pub(super) fn addresses<'s>(
    source: &'s DumpSource<'_, '_>,
    view: &'s RelocatedView<'_>,
) -> Result<Contents<'s>> {
    let items = || aranges::items(&view.data.bytes, |at| view.data.target(at).is_some());
    read_all(view, items())?;
    Ok(Contents::Addresses(ItemStream::new(move |visit| {
        let mut unit = 0;
        for (span, item) in items().map_while(Result::ok) {
            let (field, at) = (span.start, span.into());
            visit(match item {
                aranges::Item::Set(set) => {
                    unit = set.info;
                    let header = format!("addresses of the unit at {unit:#x}, version {}", set.version);
                    StreamPart::Rest(UnclaimedBytes::new(at, header))
                }
                aranges::Item::Padding(bytes) => StreamPart::Rest(UnclaimedBytes::filler(field, bytes)),
                aranges::Item::Range { address, length } => {
                    let start = source.code_address(view, field, address);
                    StreamPart::Item(AddressRange { at, unit, start, length })
                }
                aranges::Item::End => StreamPart::Rest(UnclaimedBytes::new(at, "end of addresses")),
            })?;
        }
        ControlFlow::Continue(())
    })))
}

/// `.debug_pubnames`, `.debug_pubtypes` (DWARF 2.0.0 §7.19): sets of names, each for a unit.
pub(super) fn names<'s>(view: &'s RelocatedView<'_>, kind: SectionKind) -> Result<Contents<'s>> {
    let items = move || pubnames::items(kind.name(), &view.data.bytes);
    read_all(view, items())?;
    Ok(Contents::Lookup(ItemStream::new(move |visit| {
        let mut unit = 0;
        for (span, item) in items().map_while(Result::ok) {
            let (field, at) = (span.start, span.into());
            visit(match item {
                pubnames::Item::Set(pubnames::Set { version, info, info_length, .. }) => {
                    unit = info;
                    let header =
                        format!("names of the unit at {unit:#x}, {info_length:#x} bytes, version {version}");
                    StreamPart::Rest(UnclaimedBytes::new(at, header))
                }
                pubnames::Item::Padding(bytes) => StreamPart::Rest(UnclaimedBytes::filler(field, bytes)),
                pubnames::Item::Name { entry, name } => {
                    let (name, die) = (String::from_utf8_lossy(name), unit.saturating_add(entry));
                    StreamPart::Item(NameLookup { at, name, die })
                }
                pubnames::Item::End => StreamPart::Rest(UnclaimedBytes::new(at, "end of names")),
            })?;
        }
        ControlFlow::Continue(())
    })))
}
