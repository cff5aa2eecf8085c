//! `cargo perftest setup-remote`: the tables of a remote in a database.

use crate::args::SetupRemoteArgs as Args;
use crate::exit::Result;
use crate::remote::{make_tables, tables};
use std::io::Write;

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<()> {
    let address = args.remote.read()?;
    let Some(statements) = tables(&address)? else {
        writeln!(out, "{address} needs no tables")?;
        return Ok(());
    };
    if args.dry_run {
        write!(out, "{statements}")?;
    } else {
        make_tables(&address)?;
        writeln!(out, "the tables of {address} are there")?;
    }
    Ok(())
}
