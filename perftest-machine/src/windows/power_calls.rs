//! The system calls about power.

#![allow(unsafe_code)] // Three system calls that fill structures of ours.

use super::power_scheme::guid_text;
use super::power_status::PowerStatus;
use super::processor_power::ProcessorPower;
use crate::sensor_answer::SensorAnswer;
use std::ptr;
use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::System::Power::{
    CallNtPowerInformation, GetSystemPowerStatus, PROCESSOR_POWER_INFORMATION,
    PowerGetActiveScheme, ProcessorInformation, SYSTEM_POWER_STATUS,
};
use windows_sys::core::GUID;

/// The most processors Windows manages; the system refuses a buffer with room for fewer than the
/// machine has.
const MOST_PROCESSORS: usize = 2048;

/// Mains, battery and battery saver.
pub(super) fn power_status() -> SensorAnswer<PowerStatus> {
    let mut status = SYSTEM_POWER_STATUS::default();
    // SAFETY: the pointer is to a whole structure of ours.
    match unsafe { GetSystemPowerStatus(&raw mut status) } {
        0 => Err("Windows refused to tell its power status".into()),
        _ => Ok(PowerStatus {
            ac_line: status.ACLineStatus,
            battery_flag: status.BatteryFlag,
            battery_percent: status.BatteryLifePercent,
            system_status: status.SystemStatusFlag,
        }),
    }
}

/// Clocks and limits of the processors; all zeros behind the last of them.
pub(super) fn processors() -> SensorAnswer<Vec<ProcessorPower>> {
    let mut processors = vec![PROCESSOR_POWER_INFORMATION::default(); MOST_PROCESSORS];
    let bytes = size_of_val(processors.as_slice()) as u32;
    let output = processors.as_mut_ptr().cast();
    // SAFETY: the output buffer is ours and has `bytes` bytes; this level takes no input.
    let status =
        unsafe { CallNtPowerInformation(ProcessorInformation, ptr::null(), 0, output, bytes) };
    if status != 0 {
        return Err(format!("Windows refused to tell clock limits ({status:#010x})"));
    }
    let power = |processor: &PROCESSOR_POWER_INFORMATION| ProcessorPower {
        max_mhz: processor.MaxMhz,
        limit_mhz: processor.MhzLimit,
    };
    Ok(processors.iter().map(power).collect())
}

/// Identifier of the active power scheme.
pub(super) fn active_scheme() -> SensorAnswer<String> {
    let mut scheme: *mut GUID = ptr::null_mut();
    // SAFETY: the first argument must be null; the second is a pointer of ours that is set.
    let status = unsafe { PowerGetActiveScheme(ptr::null_mut(), &raw mut scheme) };
    if status != 0 || scheme.is_null() {
        return Err(format!("Windows refused to tell its power scheme ({status:#010x})"));
    }
    // SAFETY: on success the pointer is to a GUID that stays until it is freed.
    let guid = unsafe { *scheme };
    // SAFETY: the system allocated it for us to free in this way, and it is not used again.
    unsafe { LocalFree(scheme.cast()) };
    Ok(guid_text(guid.data1, guid.data2, guid.data3, guid.data4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::windows::processor_power::nominal_mhz;

    #[test]
    fn this_machine_has_a_power_status() {
        let status = power_status().unwrap();
        assert!(matches!(status.ac_line, 0 | 1 | 255), "{status:?}");
        assert!(matches!(status.battery_percent, 0..=100 | 255), "{status:?}");
    }

    #[test]
    fn the_room_for_processors_is_filled_from_its_beginning() {
        let processors = processors().unwrap();
        assert!((100..20_000).contains(&nominal_mhz(&processors).unwrap()));
        let last = processors.last().unwrap();
        assert_eq!(last.max_mhz, 0);
    }

    #[test]
    fn the_active_scheme_is_an_identifier() {
        let scheme = active_scheme().unwrap();
        let parts: Vec<usize> = scheme.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12], "{scheme}");
    }
}
