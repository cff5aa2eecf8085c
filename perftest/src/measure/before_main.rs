//! Code before `main`, behind the constructors of the whole executable.
//!
//! Tests are registered by constructors too. Constructors run in the order in which they are linked: with LTO, ours may
//! come before those of crates whose names sort behind ours.

#![allow(unsafe_code)] // Constructors, which the linker lists; each block explains its safety.

/// A function that runs before `main`.
pub(crate) type Constructor = extern "C" fn();

/// Makes a function run before `main`. The function may panic nowhere, and may use nothing of the standard library that
/// `main` sets up.
macro_rules! before_main {
    ($function:path) => {
        // The lint comes to where this is used.
        #[allow(unsafe_code)]
        #[used]
        // SAFETY: the section has pointers to functions without parameters and result.
        #[cfg_attr(all(unix, not(target_vendor = "apple")), unsafe(link_section = ".init_array"))]
        // SAFETY: as above.
        #[cfg_attr(
            target_vendor = "apple",
            unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs")
        )]
        // SAFETY: as above. The linker sorts by name: this is behind all of `.CRT$XCU`, the usual section.
        #[cfg_attr(windows, unsafe(link_section = ".CRT$XCV"))]
        static BEFORE_MAIN: $crate::measure::Constructor = $function;
    };
}
pub(crate) use before_main;

/// Runs the constructors of this executable that are linked behind `own`, which is one that runs now. They run again
/// unless the process ends before `main`.
pub(crate) fn run_constructors_behind(own: Constructor) {
    let all = constructors().into_iter();
    let behind = all.skip_while(|it| *it != own as usize).skip(1);
    for address in behind.filter(|address| *address != 0) {
        // SAFETY: the linker lists this address as that of a constructor, and the loader would call it next. Those that
        // have parameters of the loader are registered by the standard library, with a priority: they have run.
        let constructor: Constructor = unsafe { std::mem::transmute(address) };
        constructor();
    }
}

/// The addresses of the constructors, in the order in which they run.
#[cfg(all(unix, not(target_vendor = "apple")))]
fn constructors() -> Vec<usize> {
    unsafe extern "C" {
        static __init_array_start: usize;
        static __init_array_end: usize;
    }
    let (first, end) = (&raw const __init_array_start, &raw const __init_array_end);
    let count = (end.addr() - first.addr()) / size_of::<usize>();
    // SAFETY: the linker defines both symbols as the limits of an array of addresses.
    unsafe { std::slice::from_raw_parts(std::hint::black_box(first), count) }.to_vec()
}

/// The addresses of the constructors, in the order in which they run.
#[cfg(target_vendor = "apple")]
fn constructors() -> Vec<usize> {
    use std::ffi::{CStr, c_char, c_ulong};
    unsafe extern "C" {
        fn getsectiondata(
            header: *const libc::mach_header,
            segment: *const c_char,
            section: *const c_char,
            size: *mut c_ulong,
        ) -> *const u8;
    }
    // SAFETY: the first image is this executable, which stays loaded.
    let header = unsafe { libc::_dyld_get_image_header(0) };
    let section = |segment: &CStr, section: &CStr| {
        let mut size = 0;
        // SAFETY: the header is of a loaded image, both names end with a NUL, and the size is ours.
        let data =
            unsafe { getsectiondata(header, segment.as_ptr(), section.as_ptr(), &raw mut size) };
        // SAFETY: the system returns a section of this size, or null.
        (!data.is_null()).then(|| unsafe { std::slice::from_raw_parts(data, size as usize) })
    };
    let pointers = section(c"__DATA_CONST", c"__mod_init_func");
    let pointers = pointers.or_else(|| section(c"__DATA", c"__mod_init_func")).unwrap_or_default();
    let pointers = pointers.chunks_exact(size_of::<usize>());
    let pointers = pointers.filter_map(|it| Some(usize::from_ne_bytes(it.try_into().ok()?)));
    // Newer linkers write offsets instead.
    let offsets = section(c"__TEXT", c"__init_offsets").unwrap_or_default().chunks_exact(4);
    let offsets = offsets.filter_map(|it| Some(u32::from_ne_bytes(it.try_into().ok()?)));
    pointers.chain(offsets.map(|offset| header.addr() + offset as usize)).collect()
}

/// None: ours is behind the others.
#[cfg(windows)]
fn constructors() -> Vec<usize> {
    Vec::new()
}
