//! Swapping of the whole machine.

use super::tree::{Tree, number};
use crate::sensor_answer::SensorAnswer;
use perftest_core::text::Text;

/// Pages swapped in and out since boot.
pub(super) fn read_pages(tree: &Tree) -> SensorAnswer<u64> {
    let text = tree.read("proc/vmstat")?;
    parse_pages(&text).ok_or_else(|| "the kernel counts no swapped pages".to_owned())
}

fn parse_pages(text: &str) -> Option<u64> {
    let count = |key| text.each_line().find_map(|line| number::<u64>(line.strip_prefix(key)?));
    count("pswpin ")?.checked_add(count("pswpout ")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_in_and_out_count() {
        let text = "pgmajfault 9\npswpin 5120\npswpout 20480\npswpout_zero 7\n";
        assert_eq!(parse_pages(text), Some(25_600));
    }

    #[test]
    fn half_a_count_is_none() {
        for text in ["", "pswpin 1\n", "pswpin x\npswpout 1\n"] {
            assert_eq!(parse_pages(text), None, "{text}");
        }
        let most = u64::MAX;
        assert_eq!(parse_pages(&format!("pswpin {most}\npswpout {most}\n")), None);
    }
}
