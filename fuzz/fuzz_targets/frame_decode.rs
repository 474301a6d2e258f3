//! `cargo +nightly fuzz run frame_decode`; the body is `nvdwarf_fuzz::frame_decode::run`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| nvdwarf_fuzz::frame_decode::run(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    nvdwarf_fuzz::stub()
}
