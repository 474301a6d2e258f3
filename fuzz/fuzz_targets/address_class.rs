//! `cargo +nightly fuzz run address_class`; the body is `nvdwarf_fuzz::address_class::run`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nvdwarf_fuzz::address_class::run(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    nvdwarf_fuzz::stub()
}
