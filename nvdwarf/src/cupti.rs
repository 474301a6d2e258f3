//! Lookup of cubins by the numbers that CUPTI's samples have.

use crate::{Image, Module};
use std::collections::HashMap;

/// Finds cubins, among those of many modules, by the number `cubinCrc` that CUPTI's samples have.
///
/// ```
/// use nvdwarf::{CuptiIndex, Module};
///
/// let mut index = CuptiIndex::default();
/// index.insert(&Module::new(std::fs::read("../examples/saxpy/saxpy.cubin")?)?);
/// let cubin_crc = 0x477c_a8c4; // of a sample
/// for image in index.images(cubin_crc) {
///     println!("{:?}", image.functions()?);
/// }
/// # assert_eq!(index.images(cubin_crc).count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CuptiIndex {
    /// Module, and number of the image in it from 0.
    by_crc: HashMap<u64, Vec<(Module, usize)>>,
}

impl CuptiIndex {
    /// Adds the cubins of a module to the index, each under its `cubinCrc`. A cubin that cannot be
    /// decompressed is left out.
    pub fn insert(&mut self, module: &Module) {
        for (at, image) in module.images().iter().enumerate() {
            if let Ok(crc) = image.cupti_crc() {
                self.by_crc.entry(crc).or_default().push((module.clone(), at));
            }
        }
    }

    /// Iterates over the cubins with this `cubinCrc`, in the order in which they were added.
    /// Several may be copies of one cubin, or differ in bytes that the number does not cover; then
    /// the functions that the samples name may tell them apart.
    pub fn images(&self, cubin_crc: u64) -> impl Iterator<Item = &Image> {
        self.by_crc.get(&cubin_crc).into_iter().flatten().filter_map(|(module, at)| module.images().get(*at))
    }
}
