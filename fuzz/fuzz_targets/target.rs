//! `NVDWARF_TARGET=read cargo +nightly fuzz run target` runs one of `nvdwarf_fuzz::TARGETS`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
mod fuzzer {
    use std::sync::LazyLock;

    use nvdwarf_fuzz::Target;

    static TARGET: LazyLock<&Target> = LazyLock::new(nvdwarf_fuzz::target_of_environment);

    libfuzzer_sys::fuzz_target!(|data: &[u8]| (TARGET.run)(data));
}

#[cfg(not(fuzzing))]
#[allow(clippy::print_stderr, reason = "says why nothing happens")]
fn main() -> std::process::ExitCode {
    eprintln!(
        "built without cfg(fuzzing): use `cargo +nightly fuzz run target`; `cargo test` runs all targets too"
    );
    std::process::ExitCode::FAILURE
}
