//! `cargo perftest setup-remote`: the tables of a remote in a database.

use crate::args::SetupRemoteArgs as Args;
use crate::exit::CommandError;
use crate::remote::{make_tables, tables};
use std::io::Write;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), CommandError> {
    let Some(statements) = tables(&args.remote)? else {
        writeln!(out, "{} needs no tables", args.remote)?;
        return Ok(());
    };
    if args.dry_run {
        write!(out, "{statements}")?;
    } else {
        make_tables(&args.remote)?;
        writeln!(out, "the tables of {} are there", args.remote)?;
    }
    Ok(())
}
