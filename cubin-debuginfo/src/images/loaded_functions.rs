//! Functions by their addresses at run time.

use super::ImageNumber;
use crate::address_query::CodeAddress;
use thiserror::Error;

/// A function that is loaded at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedFunction {
    /// The name of the function in messages.
    pub name: String,
    /// The address of its first byte at run time.
    pub address: u64,
    /// The size of the function in bytes.
    pub size: u64,
    /// The images that have the function, in the order in which they are asked.
    pub images: Vec<FunctionInImage>,
}

/// A function in one image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionInImage {
    /// The image that has the function.
    pub image: ImageNumber,
    /// The first byte of the function in the image.
    pub code: CodeAddress,
}

/// The reason why functions cannot be loaded at these addresses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Two functions share addresses.
    #[error(
        "'{first}' at {first_address:#x} has {first_size:#x} bytes and reaches into '{second}' at {second_address:#x}"
    )]
    Overlap {
        /// The name of the function that begins first.
        first: String,
        /// Its address.
        first_address: u64,
        /// Its size in bytes.
        first_size: u64,
        /// The name of the other function.
        second: String,
        /// Its address.
        second_address: u64,
    },
    /// A function has no bytes, so that no address is in it. The value is its name.
    #[error("'{0}' has no code")]
    Empty(String),
    /// A function would reach past the last address.
    #[error("'{name}' at {address:#x} reaches past the last address")]
    PastLastAddress {
        /// The name of the function.
        name: String,
        /// The address that it was to have.
        address: u64,
    },
}

/// Functions with their addresses at run time. They do not overlap.
#[derive(Debug, Clone, Default)]
pub struct LoadedFunctions(Vec<LoadedFunction>);

impl LoadedFunctions {
    /// Sorts functions by address. The same function at the same address may be there twice.
    ///
    /// # Errors
    ///
    /// Two functions overlap, or one has no place.
    pub fn new(mut functions: Vec<LoadedFunction>) -> Result<Self, LoadError> {
        functions.sort_by_key(|function| function.address);
        functions.dedup_by(|one, other| one.address == other.address && one.images == other.images);
        for LoadedFunction { name, address, size, .. } in &functions {
            if *size == 0 {
                return Err(LoadError::Empty(name.clone()));
            }
            if address.checked_add(size - 1).is_none() {
                return Err(LoadError::PastLastAddress { name: name.clone(), address: *address });
            }
        }
        let mut pairs = functions.iter().zip(functions.iter().skip(1));
        if let Some((first, second)) =
            pairs.find(|(first, second)| second.address - first.address < first.size)
        {
            return Err(LoadError::Overlap {
                first: first.name.clone(),
                first_address: first.address,
                first_size: first.size,
                second: second.name.clone(),
                second_address: second.address,
            });
        }
        Ok(Self(functions))
    }

    /// Finds the function that is loaded at an address, and the offset of the address in it; `None`
    /// if there is none.
    pub fn find(&self, address: u64) -> Option<(&LoadedFunction, u64)> {
        let after = self.0.partition_point(|function| function.address <= address);
        let function = self.0.get(after.checked_sub(1)?)?;
        let inside = address.checked_sub(function.address).filter(|inside| *inside < function.size)?;
        Some((function, inside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nv_debug_sections::cubin::SectionIndex;

    fn function(name: &str, address: u64, size: u64) -> LoadedFunction {
        let code = CodeAddress { section: SectionIndex(1), offset: 0x100 };
        let images = vec![FunctionInImage { image: ImageNumber(0), code }];
        LoadedFunction { name: name.to_owned(), address, size, images }
    }

    #[test]
    fn ranges_are_half_open() {
        let loaded =
            LoadedFunctions::new(vec![function("b", 0x30, 0x10), function("a", 0x10, 0x20)]).unwrap();
        let offset = |address| loaded.find(address).map(|(function, inside)| (&*function.name, inside));
        let at = [0xf, 0x10, 0x2f, 0x30, 0x3f, 0x40, u64::MAX].map(offset);
        assert_eq!(
            at,
            [None, Some(("a", 0)), Some(("a", 0x1f)), Some(("b", 0)), Some(("b", 0xf)), None, None]
        );
        // The last address of all.
        let loaded = LoadedFunctions::new(vec![function("a", u64::MAX - 0xf, 0x10)]).unwrap();
        assert_eq!(loaded.find(u64::MAX).map(|(_, inside)| inside), Some(0xf));
        assert_eq!(LoadedFunctions::default().find(0), None);
    }

    #[test]
    fn functions_that_have_no_place() {
        let error =
            |functions: &[LoadedFunction]| LoadedFunctions::new(functions.to_vec()).unwrap_err().to_string();
        assert_eq!(
            error(&[function("b", 0x1f, 1), function("a", 0x10, 0x10)]),
            "'a' at 0x10 has 0x10 bytes and reaches into 'b' at 0x1f"
        );
        assert_eq!(error(&[function("a", 1, 0)]), "'a' has no code");
        assert_eq!(
            error(&[function("a", u64::MAX, 2)]),
            "'a' at 0xffffffffffffffff reaches past the last address"
        );
        // The same function at the same address does not overlap itself.
        assert!(LoadedFunctions::new(vec![function("a", 0x10, 0x10), function("a", 0x10, 0x10)]).is_ok());
    }
}
