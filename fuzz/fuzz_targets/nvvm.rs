//! `cargo +nightly fuzz run nvvm`; the body is `nvdwarf_fuzz::nvvm::run`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nvdwarf_fuzz::nvvm::run(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    nvdwarf_fuzz::stub()
}
