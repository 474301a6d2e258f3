//! `dump`
use anyhow::Result;
use clap::Args;
use std::io::Write;
use std::process::ExitCode;
#[derive(Debug, Args)]
pub struct Options {}
pub fn run(_: &Options, _: &mut dyn Write) -> Result<ExitCode> { Ok(ExitCode::SUCCESS) }
