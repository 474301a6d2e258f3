//! Bodies of the fuzz targets: any bytes in, an invariant asserted. A new target is one module here, one file in
//! `fuzz_targets`, one line in `tests/stable.rs`.

pub mod address_class;
pub mod check;
pub mod container;
pub mod cubin;
pub mod die_tree;
pub mod fatbin;
pub mod file_table;
pub mod fix;
pub mod frame;
pub mod frame_decode;
pub mod leb128;
pub mod line;
pub mod line_decode;
pub mod line_table;
pub mod merc;
pub mod nv_info;
pub mod nvvm;
pub mod print;
pub mod ptx;
pub mod ptx_txt;
pub mod read;
pub mod reg_sass;
pub mod reg_type;
pub mod register;
pub mod section_name;
pub mod shared_window;
mod support;
pub mod tkinfo;

/// What a target does when it was not built by `cargo fuzz`.
pub fn stub() -> std::process::ExitCode {
    #[allow(clippy::print_stderr, reason = "says why nothing happens")]
    {
        eprintln!(
            "built without cfg(fuzzing): use `cargo +nightly fuzz run TARGET`; `cargo test` runs the bodies too"
        );
    }
    std::process::ExitCode::FAILURE
}
