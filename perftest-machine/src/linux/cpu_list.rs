//! The kernel's lists of processors: `0-3,8,10-11`.

use super::tree::number;
use perftest_core::text::Text;

/// Upper bound of processor numbers. The kernel supports fewer, so a larger number is damage.
const HIGHEST_CPU: u32 = 65_535;

/// Parses a list into ascending, distinct processors; `None` for other text. An empty list is valid.
pub(super) fn parse(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.trim().parts(",").filter(|part| !part.is_empty()) {
        let (first, last) = part.cut('-').unwrap_or((part, part));
        let (first, last) = (number::<u32>(first)?, number::<u32>(last)?);
        if last > HIGHEST_CPU {
            return None;
        }
        for cpu in first..=last {
            if let Err(place) = cpus.binary_search(&cpu) {
                cpus.insert(place, cpu);
            }
        }
    }
    Some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_single_processors_mix() {
        assert_eq!(parse("0-2,5,9-10\n"), Some(vec![0, 1, 2, 5, 9, 10]));
        assert_eq!(parse("0,4\n"), Some(vec![0, 4]));
    }

    #[test]
    fn a_processor_that_is_named_twice_is_there_once() {
        assert_eq!(parse("3,0-1,1-2"), Some(vec![0, 1, 2, 3]));
    }

    #[test]
    fn an_empty_list_has_no_processors() {
        assert_eq!(parse("\n"), Some(vec![]));
    }

    #[test]
    fn damage_is_no_list() {
        for text in ["0-4294967295", "0-65536", "0-x", "-", "0-1-2", "a"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
