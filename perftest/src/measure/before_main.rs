//! Code before `main`.

/// Makes a function run before `main`. The function may panic nowhere, and may use nothing of the standard library that
/// `main` sets up. Other constructors may run after it: with LTO, those that register the tests of crates whose names sort
/// behind ours.
macro_rules! before_main {
    ($function:path) => {
        // The macro expands in modules that deny unsafe code.
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
        static BEFORE_MAIN: extern "C" fn() = $function;
    };
}
pub(crate) use before_main;
