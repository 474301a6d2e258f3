//! Facts of the whole module that several rules ask for.

use super::PtxVersion;
use super::ptxas_transcript::Modes;
use crate::module::{Item, Module};
use crate::statement::Statement;

/// Facts of the whole module that several rules ask for.
#[derive(Debug)]
pub(crate) struct ModuleFacts {
    /// `.target ..., debug`
    pub(super) debug: bool,
    /// Whether anything follows the header, so that ptxas does more than parse.
    pub(super) code: bool,
    /// ptxas is called with -c.
    pub(super) relocatable: bool,
    /// Modes in which line information is made.
    pub(super) lines: Modes,
    /// Modes in which a line table is written.
    pub(super) line_table: Modes,
    /// Modes in which it has rows.
    pub(super) rows: Modes,
    /// Modes in which `.debug_str` is kept.
    pub(super) names: Modes,
}

impl ModuleFacts {
    pub(super) fn new(module: &Module<'_>, version: Option<PtxVersion>, relocatable: bool) -> Self {
        let debug = module.is_debug();
        let bodies = module.functions().filter_map(|function| function.body.as_ref());
        let code = first_item(module).is_some();
        let has_loc = bodies.flat_map(|body| &body.statements).any(|s| matches!(s, Statement::Loc(_)));
        // From PTX 4.0 on `.loc` asks for line information by itself.
        let unasked = version.is_some_and(|version| version >= PtxVersion::new(4, 0));
        let lines = if unasked || debug { Modes::ALL } else { Modes::ASKED };
        let line_table = if has_loc { lines } else { Modes::ASKED };
        let rows = if has_loc { lines } else { Modes::NEVER };
        let names = if has_loc { lines } else { Modes::ASKED };
        Self { debug, code, relocatable, lines, line_table, rows, names }
    }
}

/// The first item after `.version`, `.target` and `.address_size`.
pub(super) fn first_item<'m, 'a>(module: &'m Module<'a>) -> Option<&'m Item<'a>> {
    let is_header = |item: &&Item<'_>| {
        matches!(item, Item::Version(_) | Item::Target(_) | Item::AddressSize(_) | Item::Unknown(_))
    };
    module.items.iter().find(|item| !is_header(item))
}

/// Whether no error cut an item short.
pub(super) fn is_complete(item: &Item<'_>, text: &str) -> bool {
    match item {
        Item::File(file) => file.is_complete,
        Item::AtDwarf(line) => line.is_complete,
        item => item.range().slice(text).ends_with([';', '}']),
    }
}
