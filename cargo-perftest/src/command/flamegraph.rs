//! `cargo perftest flamegraph`: a page that shows one profile, or the difference of two.

use crate::args::profile::FlamegraphArgs as Args;
use crate::exit::CommandError;
use crate::opener::open;
use crate::profile::{UnionFile, read, write_page};
use crate::report::print_progress;
use std::fs::File;
use std::io::{self, BufWriter, Write};

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), CommandError> {
    let base = args.base.as_deref().map(|base| read(base, &args.reading)).transpose()?;
    let new = read(&args.new, &args.reading)?;
    let union = match base {
        Some(base) => UnionFile::of_two(base, new),
        None => UnionFile::of_one(new),
    };
    let place = args.out.display();
    let written = File::create(&args.out).and_then(|page| {
        let mut page = BufWriter::new(page);
        write_page(&union, &mut page).and_then(|()| page.flush())
    });
    let unwritable =
        |error: io::Error| CommandError::Usage(format!("{place} cannot be written: {error}"));
    written.map_err(unwritable)?;
    writeln!(out, "wrote {place}")?;
    if args.open
        && let Err(why) = open(&args.out)
    {
        print_progress(&format_args!("warning: the page is written and not shown: {why}"));
    }
    Ok(())
}
