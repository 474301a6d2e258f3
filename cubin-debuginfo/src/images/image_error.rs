//! Why no image, or no single one, answers a query.

use thiserror::Error;

/// The reason why no image of a set answers a query, or why it is not known which one does.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The file that the query names has no image with code.
    #[error("no image with code")]
    NoImage,
    /// No image has the function. `known` says which functions there are.
    #[error("no function '{function}'{}; {known}", in_images(*images))]
    NoFunction {
        /// The name of the function, as it was asked for.
        function: String,
        /// The number of images that were looked at.
        images: usize,
        /// A message that lists functions of the images.
        known: String,
    },
    /// Several functions have the name as a part of theirs.
    #[error("'{function}' is part of {matches}")]
    Part {
        /// The name, as it was asked for.
        function: String,
        /// The names of the functions.
        matches: String,
    },
    /// Images for several architectures have the function.
    #[error("'{function}' is in images for {}", .archs.join(", "))]
    SeveralArchitectures {
        /// The name of the function, as it was asked for.
        function: String,
        /// The architectures, such as `sm_90`, ascending.
        archs: Vec<String>,
    },
    /// Not exactly one architecture has all functions that a profile samples.
    #[error("{}", sampled_archs(*have_all, archs))]
    SampledArchitecture {
        /// Whether these architectures have all functions. Else none has.
        have_all: bool,
        /// The architectures, such as `sm_90`, ascending.
        archs: Vec<String>,
    },
    /// Several images for one architecture have the function, and do not say the same of it.
    #[error("several images have '{function}': {}", .images.join(", "))]
    SeveralImages {
        /// The name of the function, as it was asked for.
        function: String,
        /// The names of the images.
        images: Vec<String>,
    },
    /// The query is an offset without a function, and there are several images.
    #[error("an offset without a function, and there are {images} images")]
    OffsetAlone {
        /// The number of images.
        images: usize,
    },
    /// No function is loaded at the address.
    #[error("no function is loaded at {address:#x}")]
    NotLoaded {
        /// The address at run time.
        address: u64,
    },
    /// The image that has the function cannot be read, for the reason in the value.
    #[error("{0}")]
    Unreadable(String),
}

fn sampled_archs(have_all: bool, archs: &[String]) -> String {
    let archs = archs.join(", ");
    if have_all {
        format!("each of {archs} has images with all sampled functions")
    } else {
        format!("none of {archs} has images with all sampled functions")
    }
}

/// Of a single image there is nothing to say.
fn in_images(count: usize) -> String {
    if count == 1 { String::new() } else { format!(" in {count} images") }
}
