//! The name of a checked file in findings, the same on every machine.

/// The names of a checked file, or of an image in it, for the output of findings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FindingFile {
    /// The name for people: the path as on the command line, and for one of several images of a
    /// file also the image.
    pub shown: String,
    /// The path of the file on the disk, with `/`. It is relative if the file is below the folder
    /// that the command runs in.
    pub path: String,
    /// The image of the file, such as `sm_90:2`; `None` where the file itself is meant.
    pub image: Option<String>,
}

impl FindingFile {
    /// Creates the name of a file. A path below `folder` is made relative to it.
    pub fn new(shown: &str, folder: Option<&str>) -> Self {
        Self { shown: shown.to_owned(), path: portable_path(shown, folder), image: None }
    }

    /// Creates the name of an image of a file. `shown` is the path of the file, a colon and the
    /// image.
    pub fn of_image(shown: &str, image: &str, folder: Option<&str>) -> Self {
        let path = shown.strip_suffix(image).and_then(|path| path.strip_suffix(':'));
        match path {
            Some(path) if !image.is_empty() => Self {
                shown: shown.to_owned(),
                path: portable_path(path, folder),
                image: Some(image.to_owned()),
            },
            _ => Self::new(shown, folder),
        }
    }

    /// Returns the name that the file or image has in a baseline: the path, and for an image also a
    /// colon and the image.
    pub fn stable(&self) -> String {
        match &self.image {
            Some(image) => format!("{}:{image}", self.path),
            None => self.path.clone(),
        }
    }
}

/// A path without detours, and without `folder` if it is below that.
fn portable_path(path: &str, folder: Option<&str>) -> String {
    let path = without_detours(path);
    match folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/')) {
        Some(below) => below.to_owned(),
        None => path,
    }
}

/// A path without `.`, `..` after a name, and empty parts. Links are not looked at.
fn without_detours(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else if part != ".." || !path.starts_with('/') || !parts.is_empty() {
            parts.push(part);
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_same_from_wherever_it_is_named() {
        let path = |shown| FindingFile::new(shown, Some("/w")).path;
        for shown in
            ["a/b.ptx", "./a/b.ptx", ".//a//b.ptx", "/w/a/b.ptx", "/w/c/../a/./b.ptx", "c/../a/b.ptx"]
        {
            assert_eq!(path(shown), "a/b.ptx", "{shown}");
        }
        assert_eq!(
            [path("/wa/b"), path("../b"), path("../../b"), path("/../b")],
            ["/wa/b", "../b", "../../b", "/b"]
        );
        let image = FindingFile::of_image("./lib.a:sm_90:2", "sm_90:2", None);
        assert_eq!((image.path.as_str(), image.stable().as_str()), ("lib.a", "lib.a:sm_90:2"));
    }
}
