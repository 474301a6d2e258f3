//! `lines --style json`: the object that llvm-symbolizer writes for an address.

use super::reply::{Reply, ReplyError};
use super::style::{Form, only};
use crate::commands::read::shown;
use cubin_debuginfo::images::RequestKind;
use cubin_debuginfo::names::Name;
use cubin_debuginfo::symbolize;
use serde::Serialize;

/// The object that `llvm-symbolizer --output-style=JSON` writes for an address. Members are those
/// of LLVM 19, in its order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SymbolizerObject<'r> {
    address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Message<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<[(); 0]>,
    module_name: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<Vec<Symbol>>,
}

/// A variable about which nothing is known.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Data {
    name: &'static str,
    size: &'static str,
    start: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Message<'r> {
    message: &'r str,
}

/// A frame. Line tables do not have what is a constant here.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Symbol {
    column: u64,
    discriminator: u32,
    file_name: String,
    function_name: String,
    line: u32,
    start_address: String,
    start_file_name: &'static str,
    start_line: u32,
}

impl<'r> SymbolizerObject<'r> {
    /// The JSON object that llvm-symbolizer would write for the answer to a query.
    pub(super) fn of(form: Form, reply: &'r Reply<'_, '_>) -> Self {
        let answer = only(reply);
        let number = reply.number.filter(|_| form.is_loaded || answer.is_none());
        let address = number.or_else(|| answer.map(|answer| answer.offset));
        let shown_address = address.map_or_else(|| reply.asked.to_owned(), |address| format!("{address:#x}"));
        let mut object = Self {
            address: shown_address,
            data: None,
            error: None,
            frame: None,
            module_name: reply.module_name(),
            symbol: None,
        };
        match (reply.kind, &reply.error) {
            (RequestKind::Data, _) => object.data = Some(Data { name: "", size: "0x0", start: "0x0" }),
            (RequestKind::Frame, _) => object.frame = Some([]),
            (RequestKind::Code, Some(ReplyError::File(why))) => object.error = Some(Message { message: why }),
            (RequestKind::Code, _) => object.symbol = Some(symbols(address, reply)),
        }
        object
    }
}

/// The frames of an address; one that says nothing if there are none.
fn symbols(address: Option<u64>, reply: &Reply<'_, '_>) -> Vec<Symbol> {
    let answer = only(reply);
    let start = answer.filter(|answer| answer.function.is_some()).map(|answer| {
        format!("{:#x}", address.unwrap_or(answer.offset).saturating_sub(answer.function_offset))
    });
    let start = start.unwrap_or_default();
    let symbol = |name: Option<&Name>, file: &str, line: u32, column: u64| Symbol {
        column,
        discriminator: 0,
        file_name: file.to_owned(),
        function_name: name.map_or(String::new(), |name| shown(name).into_owned()),
        line,
        start_address: start.clone(),
        start_file_name: "",
        start_line: 0,
    };
    let frames = answer.into_iter().flat_map(|answer| answer.lines.frames.iter());
    let mut symbols: Vec<Symbol> = frames
        .map(|named| {
            let symbolize::Frame { file, line, column, .. } = named.frame;
            symbol(named.name.as_ref(), file.path().unwrap_or_default(), line, column)
        })
        .collect();
    if symbols.is_empty() {
        symbols.push(symbol(answer.and_then(|answer| answer.function.as_ref()), "", 0, 0));
    }
    symbols
}
