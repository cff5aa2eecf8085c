//! `cargo perftest profile`: the functions of a profile, and how two profiles differ.

use crate::args::profile::{
    DiffFormat, ProfileArgs as Args, ProfileDiffArgs, ProfileQuestion, ProfileShowArgs, ShowFormat,
};
use crate::exit::CommandError;
use crate::profile::{
    ProfileFile, UnionFile, read, write_difference, write_difference_as_json, write_firefox,
    write_folded_file, write_functions, write_functions_as_json, write_speedscope, write_svg,
};
use std::io::{BufWriter, Write};

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), CommandError> {
    let mut out = BufWriter::new(out);
    match &args.question {
        ProfileQuestion::Show(args) => show(args, &mut out)?,
        ProfileQuestion::Diff(args) => diff(args, &mut out)?,
    }
    Ok(out.flush()?)
}

fn show(args: &ProfileShowArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let file = read(&args.file, &args.reading)?;
    let format = if args.json { ShowFormat::Json } else { args.format };
    if !matches!(format, ShowFormat::Table | ShowFormat::Json) {
        print_notes(&file);
    }
    match format {
        ShowFormat::Table => write_functions(&file, &args.rows, out)?,
        ShowFormat::Json => write_functions_as_json(&file, &args.rows, out)?,
        ShowFormat::Folded => write_folded_file(&file.profile, out)?,
        ShowFormat::Speedscope => write_speedscope(&file, out)?,
        ShowFormat::Firefox => write_firefox(&file, out)?,
        ShowFormat::Svg => write_svg(&UnionFile::of_one(file), out)?,
    }
    Ok(())
}

fn diff(args: &ProfileDiffArgs, out: &mut dyn Write) -> Result<(), CommandError> {
    let base = read(&args.base, &args.reading)?;
    let new = read(&args.new, &args.reading)?;
    let format = if args.json { DiffFormat::Json } else { args.format };
    if format == DiffFormat::Svg {
        print_notes(&base);
        print_notes(&new);
    }
    let union = UnionFile::of_two(base, new);
    match format {
        DiffFormat::Table => write_difference(&union, &args.rows, out)?,
        DiffFormat::Json => write_difference_as_json(&union, &args.rows, out)?,
        DiffFormat::Svg => write_svg(&union, out)?,
    }
    Ok(())
}

/// Where the output itself has no room for them.
fn print_notes(file: &ProfileFile) {
    for note in file.notes() {
        // The output is right without them.
        let _ = writeln!(anstream::stderr(), "note: {note}");
    }
}
