#[allow(dead_code)] // until the checks of a whole module call it
pub(crate) mod dwarf;
