//! `--line-table`.

/// The style in which `.debug_line` is written (`--line-table`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineTableStyle {
    /// The rows and bytes of ptxas.
    #[default]
    Ptxas,
    /// The rows of ptxas in fewer bytes.
    Compact,
    /// Rows with everything that the PTX states, also columns, every change of file or call site,
    /// and the beginnings of statements.
    Full,
}
