//! Addresses of functions at run time in a CSV text, with columns found by the names in its header.

use crate::address_query::parse_number;
use crate::csv_records::{plain_header, records};
use thiserror::Error;

/// A function and the address at which it was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionLoad {
    /// The name of the function, in any spelling.
    pub function: String,
    /// The address of its first byte.
    pub address: u64,
}

/// The reason why a row is not a function with its address.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LoadRowError {
    /// The address in the row is not a number. The value is its text.
    #[error("'{0}' is not an address: expected 0x and hexadecimal digits, or decimal ones")]
    Address(String),
    /// The row does not name a function.
    #[error("no function")]
    Nameless,
}

/// The error for a text without a header row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("no header that names a column of functions (function, kernel) and one of addresses (address)")]
pub struct NoLoadHeader;

/// Names of columns as [`plain_header`] spells them.
const FUNCTION: [&str; 5] = ["function", "functionname", "kernel", "kernelname", "symbol"];
const ADDRESS: [&str; 5] = ["address", "loadaddress", "baseaddress", "startaddress", "start"];

/// Reads functions and their addresses from a CSV text, each with the 1-based number of its line.
///
/// # Errors
///
/// No row names a column of functions and one of addresses.
pub fn function_loads(
    text: &str,
) -> Result<impl Iterator<Item = (u64, Result<FunctionLoad, LoadRowError>)>, NoLoadHeader> {
    let mut records = records(text);
    // Tools put remarks before the header.
    let columns = records.find_map(|(_, fields)| {
        let headers: Vec<String> = fields.iter().map(|field| plain_header(field)).collect();
        let of = |names: &[&str]| headers.iter().position(|header| names.contains(&&**header));
        of(&FUNCTION).zip(of(&ADDRESS))
    });
    let (function, address) = columns.ok_or(NoLoadHeader)?;
    let rows = records.filter(|(_, fields)| fields.iter().any(|field| !field.trim().is_empty()));
    Ok(rows.map(move |(line, fields)| {
        let field = |column: usize| fields.get(column).map_or("", |field| field.trim());
        (line, function_load(field(function), field(address)))
    }))
}

fn function_load(function: &str, address: &str) -> Result<FunctionLoad, LoadRowError> {
    if function.is_empty() {
        return Err(LoadRowError::Nameless);
    }
    let address = parse_number(address).ok_or_else(|| LoadRowError::Address(address.to_owned()))?;
    Ok(FunctionLoad { function: function.to_owned(), address })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        let text = "==1== a remark\nContext,Address,Kernel Name\n1,0x7f00,\"f(int, float)\"\n\n2,256,k\n3,x,k\n4,1,\n";
        let rows: Vec<_> = function_loads(text).unwrap().collect();
        let load = |function: &str, address| Ok(FunctionLoad { function: function.to_owned(), address });
        assert_eq!(
            rows,
            [
                (3, load("f(int, float)", 0x7f00)),
                (5, load("k", 256)),
                (6, Err(LoadRowError::Address("x".to_owned()))),
                (7, Err(LoadRowError::Nameless)),
            ]
        );
        assert!(function_loads("k,0x10\n").is_err() && function_loads("").is_err());
    }
}
