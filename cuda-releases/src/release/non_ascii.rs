//! What ptxas does with text that is not ASCII.

/// What ptxas does with PTX text that is not ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NonAscii {
    /// ptxas accepts text that is not ASCII.
    Taken,
    /// ptxas accepts text that is not ASCII in comments, and crashes where it is elsewhere.
    TakenInComments,
    /// ptxas accepts text that is not ASCII in comments, and refuses it elsewhere.
    RefusedOutsideComments,
    /// ptxas refuses text that is not ASCII, even in comments.
    Refused,
}
