//! `cargo +nightly fuzz run section_name`; the body is `nvdwarf_fuzz::section_name::run`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nvdwarf_fuzz::section_name::run(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    nvdwarf_fuzz::stub()
}
