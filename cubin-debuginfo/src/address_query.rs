//! Queries for code addresses: `FUNCTION+0xOFF`, `.text.F:0xOFF`, `0xOFF`.

mod code_address;

use crate::images::ImageError;
use crate::names::{FunctionNames, NameError};
use nv_debug_sections::code::{Code, Function};
use nv_debug_sections::cubin::SectionIndex;
use std::collections::HashMap;
use thiserror::Error;

pub use code_address::CodeAddress;

/// Why no code address could be found for a query.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// No function has the name in the query, or several functions match it. The value is the
    /// message, which names functions.
    #[error("{0}")]
    Function(String),
    /// The query names a `.text.` section that the cubin does not have. The value is the name.
    #[error("no code section '{0}'")]
    Section(String),
    /// The text after the plus sign of `FUNCTION+OFFSET` is not a number. The value is that text.
    #[error("'{0}' is not an offset: expected 0x and hexadecimal digits, or decimal ones")]
    Offset(String),
    /// The query names a code section of the cubin, and no number follows its colon. The value is
    /// the query.
    #[error("'{0}' has no offset: expected 0x and hexadecimal digits, or decimal ones")]
    NoOffset(String),
    /// The query is an offset without a function, and no code section is large enough to contain
    /// it.
    #[error("no function has offset {offset:#x}; {functions}")]
    InNoFunction {
        /// The offset in bytes.
        offset: u64,
        /// A message that lists the functions of the cubin.
        functions: String,
    },
    /// The query names a function and a code section, and the function is not in that section.
    #[error("'{function}' is not in {section}")]
    NotInSection {
        /// The name of the function, as it was asked for.
        function: String,
        /// The name of the section.
        section: String,
    },
    /// The query names one function, and several functions have that name.
    #[error("'{function}' is the name of {count} functions")]
    Ambiguous {
        /// The name, as it was asked for.
        function: String,
        /// The number of functions that have the name.
        count: usize,
    },
    /// The offset that the query asks for is past the end of its code section.
    #[error("{section} has {size:#x} bytes, so {offset:#x} is past its end")]
    PastEnd {
        /// The name of the section.
        section: String,
        /// The size of the section in bytes.
        size: u64,
        /// The offset in bytes.
        offset: u64,
    },
    /// The function in the query has no code of its own, since all calls of it are inlined.
    #[error("{function} has no code of its own; it is inlined into {into} at {file}:{line}")]
    Inlined {
        /// The name of the inlined function, as its programmer wrote it.
        function: String,
        /// The name of the first function that it is inlined into.
        into: String,
        /// The source file of that call.
        file: String,
        /// The source line of that call.
        line: u32,
    },
    /// The query failed for a linked cubin: the linker may have removed the code that the query
    /// names. The value is the error without that remark.
    #[error("{0}{LINKED}")]
    Linked(Box<QueryError>),
    /// No image, or not only one, answers a query that was asked of several.
    #[error(transparent)]
    Images(#[from] ImageError),
}

/// What a linker does to code that the sources of a program have.
pub(crate) const LINKED: &str =
    "; the linker may have left it out or, at link-time optimisation, folded it away";

impl From<NameError<'_>> for QueryError {
    fn from(error: NameError<'_>) -> Self {
        Self::Function(error.to_string())
    }
}

/// Finds the code addresses in one cubin that queries such as `kernel+0x40` mean.
///
/// ```no_run
/// # fn f(code: &nv_debug_sections::code::Code<'_>) -> Result<(), cubin_debuginfo::address_query::QueryError> {
/// use cubin_debuginfo::address_query::AddressQueries;
///
/// let queries = AddressQueries::new(code);
/// for address in queries.resolve("saxpy+0x160", None)? {
///     println!("section {}, offset {:#x}", address.section.0, address.offset);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct AddressQueries<'s> {
    code: &'s Code<'s>,
    names: FunctionNames<'s>,
    sections: HashMap<&'s str, SectionIndex>,
}

pub(crate) type Addresses = Result<Vec<CodeAddress>, QueryError>;

impl<'s> AddressQueries<'s> {
    /// Prepares queries for addresses in the code of one cubin.
    pub fn new(code: &'s Code<'s>) -> Self {
        let sections = code.sections().iter().map(|section| (section.name, section.index)).collect();
        Self { code, names: FunctionNames::new(code.functions()), sections }
    }

    /// Returns the code addresses that a query means. A query that is only an offset counts from
    /// the start of `function`; if that is `None`, it means this offset in every code section that
    /// is large enough.
    ///
    /// # Errors
    ///
    /// A name is unknown or ambiguous, or an offset is not a number or not in any section.
    pub fn resolve(&self, query: &str, function: Option<&str>) -> Result<Vec<CodeAddress>, QueryError> {
        if let Some(offset) = parse_number(query) {
            return self.resolve_offset(offset, function);
        }
        if let Some(address) = self.in_section(query) {
            return Ok(vec![address]);
        }
        // A name may hold a plus itself (`operator+`).
        let Some((name, rest)) = query.rsplit_once('+') else { return self.in_named(query, 0) };
        let (name, rest) = (name.trim_end(), rest.trim_start());
        let Some(offset) = parse_number(rest) else {
            return self.in_named(query, 0).map_err(|no_function| match self.in_named(name, 0) {
                Ok(_) => QueryError::Offset(rest.to_owned()),
                Err(_) => no_function,
            });
        };
        if name.is_empty() {
            return self.resolve_offset(offset, function);
        }
        self.in_named(name, offset)
    }

    /// Returns the code addresses that an offset alone means, as [`resolve`](Self::resolve) does.
    ///
    /// # Errors
    ///
    /// The name is unknown or ambiguous, or the offset is not in any section.
    pub fn resolve_offset(
        &self,
        offset: u64,
        function: Option<&str>,
    ) -> Result<Vec<CodeAddress>, QueryError> {
        match function {
            Some(name) => self.in_named(name, offset),
            None => self.in_every_section(offset),
        }
    }

    /// Returns the address from which offsets count: the start of `function`, or the start of
    /// `section` if `function` is empty. If `section` is a code section, the function must be in
    /// it.
    ///
    /// # Errors
    ///
    /// There is no such function or section, or there are several.
    pub fn start_of(&self, function: &str, section: &str) -> Result<CodeAddress, QueryError> {
        let own = self.sections.get(section).copied();
        if function.is_empty() {
            let section = own.ok_or_else(|| QueryError::Section(section.to_owned()))?;
            return Ok(CodeAddress { section, offset: 0 });
        }
        let mut found = self.in_named(function, 0)?;
        if let Some(own) = own {
            found.retain(|address| address.section == own);
        }
        let function = || function.to_owned();
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(QueryError::NotInSection { function: function(), section: section.to_owned() }),
            several => Err(QueryError::Ambiguous { function: function(), count: several.len() }),
        }
    }

    /// Returns the functions that a name in a query means, as [`FunctionNames::find`] does.
    ///
    /// # Errors
    ///
    /// There is none, or several have the part.
    pub fn functions(&self, name: &str) -> Result<Vec<&'s Function<'s>>, NameError<'s>> {
        self.names.find(name)
    }

    /// Checks that an address lies inside a code section.
    ///
    /// # Errors
    ///
    /// [`QueryError::PastEnd`] if it is not.
    pub fn expect_code(&self, address: CodeAddress) -> Result<(), QueryError> {
        let CodeAddress { section, offset } = address;
        let (name, size) = self.code.section(section).map_or(("", 0), |section| (section.name, section.size));
        let error = || QueryError::PastEnd { section: name.to_owned(), size, offset };
        (offset < size).then_some(()).ok_or_else(error)
    }

    /// `SECTION:OFF` of a code section.
    fn in_section(&self, query: &str) -> Option<CodeAddress> {
        let (name, offset) = query.rsplit_once(':')?;
        let (section, offset) = (self.sections.get(name.trim_end())?, parse_number(offset.trim_start())?);
        Some(CodeAddress { section: *section, offset })
    }

    fn in_named(&self, name: &str, offset: u64) -> Addresses {
        if let Some(&section) = self.sections.get(name) {
            return Ok(vec![CodeAddress { section, offset }]);
        }
        let address = |function: &&Function<'_>| CodeAddress {
            section: function.section,
            offset: function.offset.saturating_add(offset),
        };
        let found = self.names.find(name).map_err(|error| self.no_section(name).unwrap_or(error.into()));
        Ok(found?.iter().map(address).collect())
    }

    /// What is wrong with a name that is not a function's, if a section was meant.
    fn no_section(&self, name: &str) -> Option<QueryError> {
        let section = name.rsplit_once(':').map_or(name, |(section, _)| section).trim_end();
        if !section.starts_with(".text.") {
            return None;
        }
        let is_known = self.sections.contains_key(section);
        Some(if is_known { QueryError::NoOffset(name.into()) } else { QueryError::Section(section.into()) })
    }

    fn in_every_section(&self, offset: u64) -> Addresses {
        let sections = self.code.sections().iter().filter(|section| offset < section.size);
        let all: Vec<_> = sections.map(|section| CodeAddress { section: section.index, offset }).collect();
        if all.is_empty() {
            return Err(QueryError::InNoFunction { offset, functions: self.names.listing() });
        }
        Ok(all)
    }
}

/// Reads a number as queries have it: hexadecimal after `0x`, else decimal.
pub fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+')),
        None => text.parse().ok().filter(|_| !text.starts_with('+')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(
            ["0x10", "16", "0X1f", "+1", "0x+1", "0x", "k", "-1"].map(parse_number),
            [Some(16), Some(16), Some(31), None, None, None, None, None]
        );
    }
}
