//! libNVVM 13.0.88, which `tools/oracle.sh` installs.
//!
//! A test that lacks it says `skipped: ...` and passes; with `REQUIRE_ORACLES` set it fails.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::generator::IrVersion;

/// The library, called by way of `tools/libnvvm.py`.
pub(crate) struct Libnvvm {
    library: PathBuf,
    folder: tempfile::TempDir,
}

impl Libnvvm {
    pub(crate) fn find() -> Option<Self> {
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let place = env::var_os("NVDWARF_ORACLE").map(PathBuf::from);
        let place = place.unwrap_or_else(|| home.join(".cache/nvdwarf/oracle-13.0.88"));
        let versions = fs::read_dir(place.join("lib")).into_iter().flatten().flatten();
        let mut libraries =
            versions.map(|version| version.path().join("site-packages/nvidia/cu13/lib/libnvvm.so.4"));
        let found = libraries.find(|library| library.is_file());
        if found.is_none() {
            assert!(env::var_os("REQUIRE_ORACLES").is_none(), "libNVVM is required and not there");
            #[allow(clippy::print_stderr, reason = "says what was not tried")]
            {
                eprintln!("skipped: no libNVVM here (tools/oracle.sh installs it)");
            }
        }
        found.map(|library| Self { library, folder: tempfile::tempdir().unwrap() })
    }

    /// The PTX of a module, with the code as it is in the IR.
    pub(crate) fn ptx(&self, ir: &str, version: IrVersion, options: &[&str]) -> String {
        let architecture = match version {
            IrVersion::Typed => "-arch=compute_90",
            IrVersion::Modern => "-arch=compute_100",
        };
        let file = self.folder.path().join("module.ll");
        fs::write(&file, ir).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/libnvvm.py");
        let command = &mut Command::new("python3");
        let output = command
            .arg(script)
            .arg(&self.library)
            .arg(&file)
            .args([architecture, "-opt=0"])
            .args(options)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}\n{ir}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}
