//! The mappings of this process.

use perftest_core::list::IntoList;
use perftest_core::text::Text;
use std::fs;
use std::ops::Range;

/// Ranges of mapped memory, in order.
#[derive(Debug)]
pub(super) struct MemoryMap(Vec<Range<u64>>);

impl MemoryMap {
    /// Reads the map of this process; empty if the kernel does not provide it.
    pub(super) fn of_this_process() -> Self {
        Self::of_text(&fs::read_to_string("/proc/self/maps").unwrap_or_default())
    }

    /// Source: `proc_pid_maps(5)`: `7ffd0000-7ffd1000 rw-p ..` a line.
    fn of_text(text: &str) -> Self {
        let range = |line: &str| {
            let (start, end) = line.cut(' ')?.0.cut('-')?;
            let number = |text| u64::from_str_radix(text, 16).ok();
            Some(number(start)?..number(end)?)
        };
        Self(text.each_line().filter_map(range).into_list())
    }

    /// The end of the mapping with this address.
    pub(super) fn end_of(&self, address: u64) -> Option<u64> {
        self.0.iter().find(|range| range.contains(&address)).map(|range| range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_its_mapping_and_in_no_other() {
        let text = "00400000-00452000 r-xp 00000000 08:02 173521 /usr/bin/x y\nnonsense\n\
                    7ffd0000-7ffd1000 rw-p 00000000 00:00 0 [stack]\n";
        let map = MemoryMap::of_text(text);
        assert_eq!(map.end_of(0x40_1000), Some(0x45_2000));
        assert_eq!([0x45_2000, 0x7ffd_1000].map(|it| map.end_of(it)), [None, None]);
        let here = 7;
        let address = std::ptr::from_ref(&here).addr() as u64;
        assert!(MemoryMap::of_this_process().end_of(address) > Some(address));
    }
}
