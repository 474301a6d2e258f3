//! The architecture of a profile: the one whose images have all sampled functions.

use super::function_index::FoundImages;
use super::{ImageError, ImageNumber, ImageSet};
use std::collections::BTreeSet;

impl ImageSet {
    /// Chooses the architecture whose images have all functions or code sections called `names`, as
    /// a profile of one run samples the code of one architecture. `None` if there is nothing to
    /// choose: no name, or images for one architecture only.
    ///
    /// # Errors
    ///
    /// [`ImageError::SampledArchitecture`]: several architectures have all, or none has.
    pub fn arch_of_samples<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Option<&str>, ImageError> {
        let all = self.archs(self.numbers());
        let (mut having, mut count) = (all.clone(), 0);
        for name in names {
            having.retain(|arch| self.has_in_arch(name, arch));
            count += 1;
        }
        if count == 0 || all.len() < 2 {
            return Ok(None);
        }
        if having.len() == 1 {
            return Ok(having.into_iter().next());
        }
        let have_all = !having.is_empty();
        let archs = if have_all { having } else { all };
        Err(ImageError::SampledArchitecture { have_all, archs: ascending(archs) })
    }

    /// The architecture of an image; empty for a number that no image has.
    pub fn arch(&self, image: ImageNumber) -> &str {
        self.image(image).map_or("", |image| &image.arch)
    }

    /// Whether an image for an architecture has a function.
    fn has_in_arch(&self, name: &str, arch: &str) -> bool {
        let is_for = |image: ImageNumber| self.arch(image) == arch;
        match &*self.find(name, None) {
            FoundImages::Of(images) => images.iter().any(|image| is_for(*image)),
            // It may be a part of one name only there.
            FoundImages::Part { .. } => matches!(self.functions.find(name, is_for), FoundImages::Of(_)),
            FoundImages::None(_) => false,
        }
    }

    /// The architectures of images.
    pub(super) fn archs(&self, images: impl Iterator<Item = ImageNumber>) -> BTreeSet<&str> {
        images.map(|image| self.arch(image)).collect()
    }
}

/// Names of architectures, by their numbers.
pub(super) fn ascending(archs: BTreeSet<&str>) -> Vec<String> {
    let mut archs: Vec<String> = archs.into_iter().map(str::to_owned).collect();
    archs.sort_by_key(String::len);
    archs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::{FileNumber, ImageFacts};

    fn set(images: &[(&str, &[&str])]) -> ImageSet {
        let mut set = ImageSet::default();
        for (arch, functions) in images {
            let functions: Vec<String> = functions.iter().map(|&name| name.to_owned()).collect();
            let sections = functions.iter().map(|name| format!(".text.{name}")).collect();
            let (name, arch) = (String::new(), (*arch).to_owned());
            set.add(ImageFacts { file: FileNumber(0), name, arch, functions, sections });
        }
        set
    }

    #[test]
    fn the_architecture_that_has_all() {
        // Two images for sm_90 have them together.
        let set = set(&[
            ("sm_100", &["a", "c"]),
            ("sm_90", &["a"]),
            ("sm_90", &["_Z3onev", "_Z3twov"]),
            ("sm_75", &["a", "_Z3onev"]),
        ]);
        let choose = |names: &[&str]| set.arch_of_samples(names.iter().copied());
        assert_eq!(choose(&["a", "_Z3twov"]), Ok(Some("sm_90")));
        assert_eq!(choose(&["a", "two()"]), Ok(Some("sm_90")));
        assert_eq!(choose(&["c"]), Ok(Some("sm_100")));
        assert_eq!(choose(&[".text._Z3twov", "one"]), Ok(Some("sm_90")));
        assert_eq!(choose(&[]), Ok(None));
        let error = |have_all, archs: &[&str]| {
            let archs = archs.iter().map(|&arch| arch.to_owned()).collect();
            Err(ImageError::SampledArchitecture { have_all, archs })
        };
        assert_eq!(choose(&["a"]), error(true, &["sm_75", "sm_90", "sm_100"]));
        assert_eq!(choose(&["a", "one"]), error(true, &["sm_75", "sm_90"]));
        assert_eq!(choose(&["c", "one"]), error(false, &["sm_75", "sm_90", "sm_100"]));
        assert_eq!(choose(&["nobody"]), error(false, &["sm_75", "sm_90", "sm_100"]));
        // This is a part of two names for sm_90, and of one for sm_75.
        assert_eq!(choose(&["_Z3"]), Ok(Some("sm_75")));
    }

    #[test]
    fn one_architecture_is_no_choice() {
        let set = set(&[("sm_90", &["a"]), ("sm_90", &["b"])]);
        assert_eq!(set.arch_of_samples(["nobody"]), Ok(None));
    }
}
