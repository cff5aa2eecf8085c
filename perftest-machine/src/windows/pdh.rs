//! Performance counters of Windows, by the library `pdh`.

#![allow(unsafe_code)] // The library works on handles and fills buffers of ours.

use super::counters::Instances;
use crate::sensor_answer::SensorAnswer;
use std::ptr;
use windows_sys::Win32::System::Performance::{
    PDH_CSTATUS_NEW_DATA, PDH_CSTATUS_VALID_DATA, PDH_FMT_COUNTERVALUE_ITEM_W, PDH_FMT_DOUBLE,
    PDH_HCOUNTER, PDH_HQUERY, PDH_MORE_DATA, PdhAddEnglishCounterW, PdhCloseQuery,
    PdhCollectQueryData, PdhGetFormattedCounterArrayW, PdhOpenQueryW,
};
use windows_sys::core::PWSTR;

/// Without this flag a percentage above 100, a boosted clock, is reported as 100.
const PDH_FMT_NOCAP100: u32 = 0x8000;

/// An open query. Its values are those of its last collection; some are averages since the
/// collection before.
#[derive(Debug)]
pub(super) struct PdhQuery {
    handle: PDH_HQUERY,
    counters: Vec<(&'static str, PDH_HCOUNTER)>,
}

// SAFETY: the handles belong to the process, not to a thread. The query is not `Sync`, so that
// no two threads use them at a time.
unsafe impl Send for PdhQuery {}

impl PdhQuery {
    /// A query without counters.
    pub(super) fn open() -> SensorAnswer<Self> {
        let mut handle = ptr::null_mut();
        // SAFETY: null stands for the live counters of this machine; the handle is ours.
        match unsafe { PdhOpenQueryW(ptr::null(), 0, &raw mut handle) } {
            0 => Ok(Self { handle, counters: Vec::new() }),
            status => Err(format!("Windows opens no performance counters ({status:#010x})")),
        }
    }

    /// Adds the counter with this English path, unless this machine has none of the kind.
    pub(super) fn add(&mut self, path: &'static str) {
        let wide: Vec<u16> = path.encode_utf16().chain([0]).collect();
        let mut counter = ptr::null_mut();
        // SAFETY: the query is open, the path ends with a NUL, and the handle is ours.
        let status =
            unsafe { PdhAddEnglishCounterW(self.handle, wide.as_ptr(), 0, &raw mut counter) };
        if status == 0 {
            self.counters.push((path, counter));
        }
    }

    /// Collects the values of all counters. After a failed collection, reading a value returns an
    /// error.
    pub(super) fn collect(&mut self) {
        // SAFETY: the query is open.
        unsafe { PdhCollectQueryData(self.handle) };
    }

    /// The values of the counter with this path in the last collection.
    pub(super) fn values(&self, path: &str) -> Instances {
        let counter = self.counters.iter().find(|(added, _)| *added == path);
        let (_, counter) = counter.ok_or_else(|| format!("no performance counter {path}"))?;
        formatted(*counter).map_err(|status| {
            format!("the performance counter {path} has no value ({status:#010x})")
        })
    }
}

impl Drop for PdhQuery {
    fn drop(&mut self) {
        // SAFETY: the query is open, and neither it nor its counters are used again.
        unsafe { PdhCloseQuery(self.handle) };
    }
}

/// The values of a counter as numbers, or the status that the library refused with.
fn formatted(counter: PDH_HCOUNTER) -> Result<Vec<(String, f64)>, u32> {
    let format = PDH_FMT_DOUBLE | PDH_FMT_NOCAP100;
    let (mut bytes, mut count) = (0, 0);
    // SAFETY: the counter's query is open; without a buffer only the sizes are written.
    let status = unsafe {
        PdhGetFormattedCounterArrayW(
            counter,
            format,
            &raw mut bytes,
            &raw mut count,
            ptr::null_mut(),
        )
    };
    match status {
        PDH_MORE_DATA => {}
        0 => return Ok(Vec::new()),
        refused => return Err(refused),
    }
    let room = (bytes as usize).div_ceil(size_of::<PDH_FMT_COUNTERVALUE_ITEM_W>());
    let mut items = vec![PDH_FMT_COUNTERVALUE_ITEM_W::default(); room];
    // SAFETY: the buffer has room for at least the `bytes` bytes that were asked for.
    let status = unsafe {
        PdhGetFormattedCounterArrayW(
            counter,
            format,
            &raw mut bytes,
            &raw mut count,
            items.as_mut_ptr(),
        )
    };
    if status != 0 {
        return Err(status);
    }
    // The names of the instances lie behind the items in the same buffer.
    let valid = items.iter().take(count as usize).filter(|item| {
        matches!(item.FmtValue.CStatus, PDH_CSTATUS_VALID_DATA | PDH_CSTATUS_NEW_DATA)
    });
    let value = |item: &PDH_FMT_COUNTERVALUE_ITEM_W| {
        // SAFETY: the value was asked for as a number of this kind and is valid.
        let value = unsafe { item.FmtValue.Anonymous.doubleValue };
        // SAFETY: the library set the name to a text that ends with a NUL, in `items`.
        (unsafe { text(item.szName) }, value)
    };
    Ok(valid.map(value).collect())
}

/// The text at this place.
///
/// # Safety
///
/// It must be null, or point to characters of which one is a NUL.
unsafe fn text(start: PWSTR) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises a NUL, and none is read behind it.
    let length = (0..).take_while(|at| unsafe { *start.add(*at) } != 0).count();
    // SAFETY: as many characters were read just now.
    String::from_utf16_lossy(unsafe { std::slice::from_raw_parts(start, length) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_among_all_that_are_counted() {
        const IDS: &str = r"\Process(*)\ID Process";
        let mut query = PdhQuery::open().unwrap();
        query.add(IDS);
        query.collect();
        let processes = query.values(IDS).unwrap();
        let own = f64::from(std::process::id());
        let (name, _) = processes.iter().find(|(_, id)| *id == own).unwrap();
        assert!(!name.is_empty());
    }

    #[test]
    fn a_counter_that_this_machine_has_not_is_a_reason() {
        const MISSING: &str = r"\No Such Object(_Total)\No Such Counter";
        let mut query = PdhQuery::open().unwrap();
        query.add(MISSING);
        query.collect();
        let reason = query.values(MISSING).unwrap_err();
        assert!(reason.contains(MISSING), "{reason}");
    }
}
