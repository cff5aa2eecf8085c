//! Names of the functions at an address, inlined ones too.

use super::loaded_files::LoadedFile;
use addr2line::Loader;
use std::collections::HashMap;
use std::rc::Rc;

/// A function at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FunctionFrame {
    pub(super) name: String,
    /// The source file, where debug information has it.
    pub(super) source: String,
    /// Whether only the symbol table names it: functions that are inlined in it have no frames.
    pub(super) lacks_debug_info: bool,
    /// Number of its file among the loaded ones.
    pub(super) file: Option<usize>,
}

/// The functions at one address: the outermost caller first, inlined functions behind it.
type AddressFrames = Rc<[FunctionFrame]>;

/// Finds names, each address once.
pub(super) struct Symbols<'a> {
    files: &'a [LoadedFile],
    /// The number of the test executable among the files.
    executable: Option<usize>,
    /// Opened when the first address of the file is looked up.
    loaders: Vec<Option<Option<Loader>>>,
    known: HashMap<u64, AddressFrames>,
}

impl<'a> Symbols<'a> {
    pub(super) fn new(files: &'a [LoadedFile], executable: Option<usize>) -> Self {
        let loaders = files.iter().map(|_| None).collect();
        Self { files, executable, loaders, known: HashMap::new() }
    }

    /// The functions at an address of the process.
    pub(super) fn at(&mut self, address: u64) -> AddressFrames {
        if let Some(known) = self.known.get(&address) {
            return Rc::clone(known);
        }
        let frames: AddressFrames = self.find(address).into();
        self.known.insert(address, Rc::clone(&frames));
        frames
    }

    fn find(&mut self, address: u64) -> Vec<FunctionFrame> {
        let Some(number) = self.files.iter().position(|file| file.addresses.contains(&address))
        else {
            // Such as code that was made while the program ran.
            return vec![FunctionFrame::named("[unknown code]".to_owned())];
        };
        let file = &self.files[number];
        let in_file = file.in_file(address);
        let loader = self.loaders[number].get_or_insert_with(|| Loader::new(&file.path).ok());
        let mut functions =
            loader.as_ref().map_or_else(Vec::new, |loader| by_debug_info(loader, in_file));
        // The symbol table has the whole path, which debug information of line tables has not.
        let symbol = loader.as_ref().and_then(|loader| loader.find_symbol(in_file)).map(demangled);
        if let Some(outermost) = functions.first_mut() {
            outermost.name = symbol.unwrap_or_else(|| std::mem::take(&mut outermost.name));
        } else {
            // Libraries have names only for what they export. Hundreds of addresses would help nobody.
            let name = symbol.unwrap_or_else(|| match file.path.is_absolute() {
                true if self.executable == Some(number) => format!("{}+{in_file:#x}", file.name),
                true => format!("[{}]", file.name),
                false => file.name.clone(),
            });
            let lacks_debug_info = true;
            functions.push(FunctionFrame { lacks_debug_info, ..FunctionFrame::named(name) });
        }
        let outermost = functions[0].name.clone();
        for function in &mut functions {
            function.file = Some(number);
            if is_of_c_library(&file.name) && !function.name.starts_with('[') {
                function.name = format!("[{}] {}", file.name, function.name);
            } else if is_of_any_function(&function.name) {
                function.name = format!("{} in {outermost}", function.name);
            }
        }
        functions
    }
}

impl FunctionFrame {
    /// A function of which nothing else is known.
    pub(super) fn named(name: String) -> Self {
        Self { name, source: String::new(), lacks_debug_info: false, file: None }
    }
}

/// Whether a file is the C library or a part of it. Its functions have its name before theirs: they are what a program
/// asks of the system, as `[waiting]` is.
fn is_of_c_library(file: &str) -> bool {
    const BEGINNINGS: [&str; 7] =
        ["libc.so", "libc-", "libc.musl", "libm.so", "libpthread", "ld-linux", "ld-musl"];
    BEGINNINGS.iter().any(|beginning| file.starts_with(beginning))
}

/// Whether this is `{closure#0}`, as line tables without paths call the first closure of every function.
fn is_of_any_function(name: &str) -> bool {
    name.starts_with('{')
}

/// The outermost first; empty without debug information.
fn by_debug_info(loader: &Loader, address: u64) -> Vec<FunctionFrame> {
    let mut functions = Vec::new();
    let Ok(mut frames) = loader.find_frames(address) else { return functions };
    while let Ok(Some(frame)) = frames.next() {
        let Some(function) = &frame.function else { continue };
        let Ok(name) = function.raw_name() else { continue };
        let source = frame.location.and_then(|location| location.file).unwrap_or_default();
        let source = source.to_owned();
        functions.push(FunctionFrame { source, ..FunctionFrame::named(demangled(&name)) });
    }
    functions.reverse();
    functions
}

/// The name in Rust, without its hash.
fn demangled(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}
