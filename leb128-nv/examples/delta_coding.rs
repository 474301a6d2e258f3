//! Keeps ascending addresses as LEB128 differences, after a count whose place is reserved first and
//! filled in last.
//!
//! `cargo run -p leb128-nv --example delta_coding`
#![allow(clippy::print_stdout, reason = "this is a program")]

use leb128_nv::{Error, read_uleb128, read_uleb128_as, uleb128, uleb128_padded};

/// Bytes that are reserved for the count: up to 2,097,151 addresses.
const COUNT_LEN: usize = 3;

fn pack(addresses: impl IntoIterator<Item = u64>) -> Result<Vec<u8>, Error> {
    let mut bytes = uleb128_padded(0, COUNT_LEN)?.to_vec();
    let (mut count, mut last) = (0_u64, 0);
    for address in addresses {
        bytes.extend_from_slice(&uleb128(address - last));
        (count, last) = (count + 1, address);
    }
    uleb128_padded(count, COUNT_LEN)?.write(&mut bytes)?;
    Ok(bytes)
}

fn unpack(bytes: &[u8]) -> Result<Vec<u64>, Error> {
    let (count, mut at) = read_uleb128_as::<u32>(bytes)?;
    let (mut addresses, mut last) = (Vec::new(), 0_u64);
    for _ in 0..count {
        let (difference, used) = read_uleb128(&bytes[at..])?;
        last = last.checked_add(difference).ok_or(Error::Overflow)?;
        addresses.push(last);
        at += used;
    }
    Ok(addresses)
}

fn report() -> Result<String, Error> {
    let addresses: Vec<u64> = (0..1000).map(|n| 0x7f00_0000_0000 + n * 48).collect();
    let bytes = pack(addresses.iter().copied())?;
    assert_eq!(unpack(&bytes)?, addresses);
    assert_eq!(unpack(&bytes[..bytes.len() - 1]), Err(Error::Truncated));
    Ok(format!("{} addresses take {} bytes instead of {}", addresses.len(), bytes.len(), addresses.len() * 8))
}

fn main() -> Result<(), Error> {
    println!("{}", report()?);
    Ok(())
}

#[test]
fn differences_are_short() {
    assert_eq!(report().unwrap(), "1000 addresses take 1009 bytes instead of 8000");
}
