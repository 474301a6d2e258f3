//! DWARF 2 sections from values.
