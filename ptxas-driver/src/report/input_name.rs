//! The name of a file or image in an answer.

/// The name of the file, or of the image in one, that a result is about.
#[derive(Debug, Clone, Default)]
pub struct InputName {
    /// The name that is shown for the file or image. As an operand of a command it selects this
    /// image alone.
    pub name: String,
    /// The archive member or source file that an image comes from, for the heading above its
    /// result; empty if it is not known. `None` if the result is the only one.
    pub origin: Option<String>,
    /// The end of the name that selects the image in its file, such as `sm_90:2`; `None` for the
    /// file itself.
    pub number: Option<String>,
}
