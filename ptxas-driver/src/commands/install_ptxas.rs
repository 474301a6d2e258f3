//! `install-ptxas`: links by which other programs call us in the place of ptxas.

use crate::provider::ptxas;
use crate::report::Exit;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver install-ptxas links                          for clang, Triton and whoever is told a ptxas
  ptxas-driver install-ptxas links --ptxas /opt/cuda/bin/ptxas
  ptxas-driver install-ptxas cuda --toolkit /usr/local/cuda for nvcc, which looks for ptxas beside itself:
                                                            cuda/bin/nvcc is that of the toolkit, and calls us

The links lead to this program. Links that were made before are made anew; anything else of these names is left alone, and
then nothing is done.";

/// The options of `install-ptxas`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// The folder for the links; it is made if need be
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The ptxas that makes the code: a link `ptxas.nvidia` to it is made. Otherwise it is the one
    /// that `compile` finds
    #[arg(long, value_name = "FILE", conflicts_with = "toolkit")]
    ptxas: Option<PathBuf>,

    /// Make a whole toolkit of links to this one, in which only bin/ptxas is another program. Its
    /// own ptxas makes the code
    #[arg(long, value_name = "FOLDER")]
    toolkit: Option<PathBuf>,
}

/// A link that is to be made.
#[derive(Debug)]
struct Link {
    path: PathBuf,
    target: PathBuf,
}

/// Runs `install-ptxas`, and returns the exit status.
///
/// # Errors
///
/// Something else than links of ours is in the way, and those of the system.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let us = std::env::current_exe().context("cannot tell where this program is")?;
    let wanted = &options.folder;
    if wanted.exists() && !wanted.is_dir() {
        bail!("{}: expected a folder", wanted.display());
    }
    let folder = std::path::absolute(wanted).with_context(|| wanted.display().to_string())?;
    let folder = fs::canonicalize(&folder).unwrap_or(folder);
    let links = match &options.toolkit {
        Some(toolkit) => toolkit_links(&folder, toolkit, &us)?,
        None => links(&folder, options.ptxas.as_deref(), &us)?,
    };
    let older = older_toolkit(&folder.join("bin")).filter(|_| options.toolkit.is_some());
    for link in &links {
        check_place(link, older.as_deref())?;
    }
    if let Some(older) = older {
        remove_links_into(&older, &folder, &links)?;
    }
    for link in &links {
        let parent = link.path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        make(link).with_context(|| link.path.display().to_string())?;
    }
    if options.toolkit.is_some() {
        writeln!(out, "{}", folder.join("bin/nvcc").display())?;
        return Ok(Exit::Answered);
    }
    let [ptxas, blackwell] = ptxas::NAMES.map(|name| folder.join(name).display().to_string());
    writeln!(out, "clang   --ptxas-path={ptxas}")?;
    writeln!(out, "Triton  TRITON_PTXAS_PATH={ptxas} TRITON_PTXAS_BLACKWELL_PATH={blackwell}")?;
    Ok(Exit::Answered)
}

/// The links in a folder for programs that are told which ptxas to call.
fn links(folder: &Path, ptxas: Option<&Path>, us: &Path) -> Result<Vec<Link>> {
    let link = |name: &str, target: &Path| Link { path: folder.join(name), target: target.to_path_buf() };
    let mut links: Vec<Link> = ptxas::NAMES.iter().map(|name| link(name, us)).collect();
    if let Some(ptxas) = ptxas {
        if let Some(why) = ptxas::why_not(ptxas) {
            bail!("{}: {why}, expected a ptxas of NVIDIA's", ptxas.display());
        }
        let target = fs::canonicalize(ptxas).with_context(|| ptxas.display().to_string())?;
        links.push(link(ptxas::SET_ASIDE, &target));
    }
    Ok(links)
}

/// The links of a whole toolkit.
fn toolkit_links(folder: &Path, toolkit: &Path, us: &Path) -> Result<Vec<Link>> {
    let toolkit = fs::canonicalize(toolkit).with_context(|| toolkit.display().to_string())?;
    let bin = toolkit.join("bin");
    let own_bin = fs::canonicalize(folder.join("bin")).unwrap_or_else(|_| folder.join("bin"));
    let is_same = |own: &Path| toolkit.starts_with(own) || own.starts_with(&toolkit);
    if is_same(folder)
        || own_bin.starts_with(&toolkit)
        || fs::canonicalize(&bin).is_ok_and(|bin| bin == own_bin)
    {
        bail!("{}: expected another folder than the toolkit's", folder.display());
    }
    for tool in ["nvcc", "ptxas"] {
        if !bin.join(tool).is_file() {
            bail!("{}: expected a toolkit with bin/{tool}", toolkit.display());
        }
    }
    let mut links = vec![
        Link { path: folder.join("bin/ptxas"), target: us.to_path_buf() },
        Link { path: folder.join("bin").join(ptxas::SET_ASIDE), target: bin.join("ptxas") },
    ];
    for (from, to, ours) in [(&toolkit, folder.to_path_buf(), "bin"), (&bin, folder.join("bin"), "ptxas")] {
        for name in names_in(from)?.into_iter().filter(|name| *name != OsStr::new(ours)) {
            links.push(Link { path: to.join(&name), target: from.join(&name) });
        }
    }
    Ok(links)
}

fn names_in(folder: &Path) -> Result<Vec<OsString>> {
    let entries = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<Vec<_>>>());
    entries.with_context(|| folder.display().to_string())
}

/// Refuses a place where something else is than a link that an earlier call has made: to us, to the
/// ptxas that was set aside, to the same target, or into the toolkit that was linked before.
fn check_place(link: &Link, older: Option<&Path>) -> Result<()> {
    let Link { path, target } = link;
    match fs::read_link(path) {
        Ok(found) => {
            let is_ours = found == *target
                || path.ends_with(ptxas::SET_ASIDE)
                || ptxas::is_us(&path.with_file_name(&found))
                || older.is_some_and(|older| found.starts_with(older));
            if !is_ours {
                bail!(
                    "{}: a link to {}, expected one of ours or nothing; it is left as it is",
                    path.display(),
                    found.display()
                );
            }
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(_) if path.exists() => {
            bail!("{}: expected a link or nothing; it is left as it is", path.display())
        }
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// The toolkit that an earlier call has linked, by the ptxas that was set aside.
fn older_toolkit(bin: &Path) -> Option<PathBuf> {
    let ptxas = fs::read_link(bin.join(ptxas::SET_ASIDE)).ok()?;
    Some(ptxas.parent()?.parent()?.to_path_buf())
}

/// Removes the links into an older toolkit that are not made anew.
fn remove_links_into(older: &Path, folder: &Path, links: &[Link]) -> Result<()> {
    for folder in [folder.to_path_buf(), folder.join("bin")] {
        for path in names_in(&folder)?.into_iter().map(|name| folder.join(name)) {
            let is_older = fs::read_link(&path).is_ok_and(|target| target.starts_with(older));
            if is_older && links.iter().all(|link| link.path != path) {
                fs::remove_file(&path).with_context(|| path.display().to_string())?;
            }
        }
    }
    Ok(())
}

/// Makes a link under another name first, so that the name is never without one.
fn make(Link { path, target }: &Link) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let new = path.with_file_name(name);
    link(target, &new)?;
    fs::rename(&new, path).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn link(target: &Path, path: &Path) -> std::io::Result<()> {
    fs::hard_link(target, path)
}
