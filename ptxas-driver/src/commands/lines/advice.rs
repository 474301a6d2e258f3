//! What is wrong with a query, in the words of the command line: with the option that helps.

use cubin_debuginfo::address_query::QueryError;
use cubin_debuginfo::images::ImageError;

/// What is wrong with a query, and what to do about it.
pub(super) fn query_error_text(error: &QueryError) -> String {
    match error {
        QueryError::Images(error) => image_error_text(error),
        error => error.to_string(),
    }
}

/// Why no image answers, or no single one, and what to do about it.
pub(super) fn image_error_text(error: &ImageError) -> String {
    match error {
        ImageError::SeveralArchitectures { archs, .. } | ImageError::SampledArchitecture { archs, .. } => {
            let last = archs.last().map_or("sm_90", |arch| arch);
            format!("{error}; --arch {last} chooses one")
        }
        ImageError::SeveralImages { images, .. } => match images.first() {
            Some(image) => format!("{error}; as a file, {image} is this one alone"),
            None => error.to_string(),
        },
        ImageError::OffsetAlone { .. } => format!("{error}; FUNCTION+0xOFF says which"),
        error => error.to_string(),
    }
}
