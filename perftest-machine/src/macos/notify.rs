//! Thermal pressure by a notification of macOS. It needs no privilege and no process.

#![allow(unsafe_code)] // Three calls of the system's library that Rust's libc does not declare.

use crate::sensor_answer::SensorAnswer;
use std::ffi::{CStr, c_char, c_int};

/// The notification whose state is the level.
const THERMAL_PRESSURE: &CStr = c"com.apple.system.thermalpressurelevel";

// `notify.h`. A status of 0 is success.
unsafe extern "C" {
    fn notify_register_check(name: *const c_char, out_token: *mut c_int) -> u32;
    fn notify_get_state(token: c_int, state: *mut u64) -> u32;
    fn notify_cancel(token: c_int) -> u32;
}

/// The level of thermal pressure now, unchecked.
pub(super) fn thermal_pressure() -> SensorAnswer<u64> {
    let mut token: c_int = 0;
    // SAFETY: the name ends with a NUL and lives for ever; the token is ours and is written to.
    if unsafe { notify_register_check(THERMAL_PRESSURE.as_ptr(), &raw mut token) } != 0 {
        return Err("macOS refused to tell thermal pressure".into());
    }
    let mut state = 0_u64;
    // SAFETY: the token was registered just now; the state is ours and is written to.
    let status = unsafe { notify_get_state(token, &raw mut state) };
    // SAFETY: the token was registered above and is not used again.
    unsafe { notify_cancel(token) };
    match status {
        0 => Ok(state),
        _ => Err("macOS does not tell thermal pressure".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::macos::pressure::parse_level;

    #[test]
    fn the_pressure_of_this_mac_is_a_known_level() {
        for _ in 0..100 {
            let level = thermal_pressure().and_then(parse_level);
            assert!(level.is_ok(), "{level:?}");
        }
    }
}
