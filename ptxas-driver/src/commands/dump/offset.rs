//! `--offset`: a byte of a section.

/// A byte of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Its name, alone.
    pub(super) section: Vec<String>,
    /// Byte offset in it.
    pub(super) offset: u64,
}

impl Place {
    /// `SECTION+0x2d`, hexadecimal after 0x, else decimal.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let place = text.rsplit_once('+').and_then(|(section, offset)| {
            let offset = match offset.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => offset.parse(),
            };
            Some(Self { section: vec![section.to_owned()], offset: offset.ok()? })
        });
        place.ok_or_else(|| "expected a section and an offset, such as .debug_info+0x2d".to_owned())
    }
}
