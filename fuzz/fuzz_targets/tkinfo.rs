//! `cargo +nightly fuzz run tkinfo`; the body is `nvdwarf_fuzz::tkinfo::run`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nvdwarf_fuzz::tkinfo::run(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    nvdwarf_fuzz::stub()
}
