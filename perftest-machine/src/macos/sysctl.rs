//! Numbers that the kernel of macOS keeps under a name.

#![allow(unsafe_code)] // One system call that fills a number of ours.

use std::ffi::CStr;

/// The number with this name; `None` where the kernel has none. Some are 32 bits wide and some
/// 64; both fit, because all processors that macOS runs on store the low byte first.
pub(super) fn number(name: &CStr) -> Option<u64> {
    let mut bytes = [0_u8; 8];
    let mut length = bytes.len();
    // SAFETY: the name ends with a NUL, the buffer has `length` bytes, and nothing is set.
    let status = unsafe {
        libc::sysctlbyname(
            name.as_ptr(),
            bytes.as_mut_ptr().cast(),
            &raw mut length,
            std::ptr::null_mut(),
            0,
        )
    };
    (status == 0 && matches!(length, 4 | 8)).then(|| u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_and_a_wide_number_are_read_and_an_unknown_name_has_none() {
        let cpus = number(c"hw.ncpu").unwrap();
        assert!((1..10_000).contains(&cpus), "{cpus}");
        assert!(number(c"hw.memsize").unwrap() > u64::from(u32::MAX) / 4);
        assert_eq!(number(c"hw.no_such_number"), None);
        // A text, which is no number.
        assert_eq!(number(c"kern.version"), None);
    }
}
