//! What a query means: text to code addresses.

use crate::commands::read::FunctionNames;
use nv_debug_sections::code::{Code, Function};
use nv_debug_sections::cubin::SectionIndex;
use std::collections::HashMap;

/// A code address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::commands) struct Address {
    pub(in crate::commands) section: SectionIndex,
    pub(in crate::commands) offset: u64,
}

/// The addresses that a query means, or why there are none.
pub(in crate::commands) type Outcome = Result<Vec<Address>, String>;

/// Resolves queries.
pub(in crate::commands) struct Queries<'s> {
    code: &'s Code<'s>,
    names: FunctionNames<'s>,
    sections: HashMap<&'s str, SectionIndex>,
}

impl<'s> Queries<'s> {
    pub(in crate::commands) fn new(code: &'s Code<'s>) -> Self {
        let sections = code.sections().iter().map(|section| (section.name, section.index)).collect();
        Self { code, names: FunctionNames::new(code.functions()), sections }
    }

    /// The addresses of one query; `function` is `-f`.
    pub(in crate::commands) fn resolve(&self, query: &str, function: Option<&str>) -> Outcome {
        match (number(query), function) {
            (Some(offset), Some(name)) => self.in_named(name, offset),
            (Some(offset), None) => self.in_every_section(offset),
            (None, _) => {
                if let Some((section, offset)) = self.in_section(query) {
                    return Ok(vec![Address { section, offset }]);
                }
                // A name may hold a plus itself (`operator+`).
                let Some((name, rest)) = query.rsplit_once('+') else { return self.in_named(query, 0) };
                let (name, rest) = (name.trim_end(), rest.trim_start());
                let Some(offset) = number(rest) else {
                    return self.in_named(query, 0).map_err(|no_function| match self.in_named(name, 0) {
                        Ok(_) => format!(
                            "'{rest}' is no offset: expected 0x and hexadecimal digits, or decimal ones"
                        ),
                        Err(_) => no_function,
                    });
                };
                if name.is_empty() {
                    return self.resolve(rest, function);
                }
                self.in_named(name, offset)
            }
        }
    }

    /// `SECTION:OFF` of a code section.
    fn in_section(&self, query: &str) -> Option<(SectionIndex, u64)> {
        let (name, offset) = query.rsplit_once(':')?;
        Some((*self.sections.get(name.trim_end())?, number(offset.trim_start())?))
    }

    /// Where the offsets of a sample start that names a function, or a code section, or both: then the function counts.
    pub(super) fn start_of(&self, function: &str, section: &str) -> Result<Address, String> {
        let own = self.sections.get(section).copied();
        if function.is_empty() {
            let section = own.ok_or_else(|| format!("no code section '{section}'"))?;
            return Ok(Address { section, offset: 0 });
        }
        let mut found = self.in_named(function, 0)?;
        if let Some(own) = own {
            found.retain(|address| address.section == own);
        }
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(format!("'{function}' is not in {section}")),
            several => Err(format!("'{function}' is the name of {} functions", several.len())),
        }
    }

    /// The functions to list; `None` for all.
    pub(in crate::commands) fn listed(
        &self,
        function: Option<&str>,
    ) -> Result<Option<Vec<&'s Function<'s>>>, String> {
        function.map(|name| self.names.find(name).map_err(|error| error.to_string())).transpose()
    }

    fn in_named(&self, name: &str, offset: u64) -> Outcome {
        if let Some(&section) = self.sections.get(name) {
            return Ok(vec![Address { section, offset }]);
        }
        let address = |function: &&Function<'_>| Address {
            section: function.section,
            offset: function.offset.saturating_add(offset),
        };
        let found = self.names.find(name);
        let found = found.map_err(|error| self.no_section(name).unwrap_or_else(|| error.to_string()));
        Ok(found?.iter().map(address).collect())
    }

    /// What to say of a name that is no function's, if a section was meant.
    fn no_section(&self, name: &str) -> Option<String> {
        let section = name.rsplit_once(':').map_or(name, |(section, _)| section).trim_end();
        if !section.starts_with(".text.") {
            return None;
        }
        Some(if self.sections.contains_key(section) {
            format!("'{name}' has no offset: expected 0x and hexadecimal digits, or decimal ones")
        } else {
            format!("no code section '{section}'")
        })
    }

    fn in_every_section(&self, offset: u64) -> Outcome {
        let sections = self.code.sections().iter().filter(|section| offset < section.size);
        let all: Vec<_> = sections.map(|section| Address { section: section.index, offset }).collect();
        if all.is_empty() {
            return Err(format!("no function has offset {offset:#x}; {}", self.names.listing()));
        }
        Ok(all)
    }
}

/// A number: hexadecimal behind `0x`, else decimal.
pub(super) fn number(text: &str) -> Option<u64> {
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
            ["0x10", "16", "0X1f", "+1", "0x+1", "0x", "k", "-1"].map(number),
            [Some(16), Some(16), Some(31), None, None, None, None, None]
        );
    }
}
