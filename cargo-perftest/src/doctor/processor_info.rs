//! What the system reports about its processors as a whole.

/// The part of `/proc/cpuinfo` that the sensors do not read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ProcessorInfo {
    /// All processors, also those that this process may not use.
    pub(crate) cpus: Option<u32>,
    /// Clock that the kernel claims for the first of them; in virtual machines that of the time
    /// stamp counter.
    pub(crate) claimed_ghz: Option<f64>,
}

impl ProcessorInfo {
    /// Reads the file's text.
    pub(crate) fn parse(text: &str) -> Self {
        let cpus = text.lines().filter_map(|line| value(line, "processor")).count();
        let mhz = text.lines().find_map(|line| value(line, "cpu MHz")?.parse::<f64>().ok());
        Self {
            cpus: u32::try_from(cpus).ok().filter(|cpus| *cpus > 0),
            claimed_ghz: mhz.filter(|mhz| mhz.is_finite() && *mhz > 0.0).map(|mhz| mhz / 1e3),
        }
    }
}

/// The value of a line of the form `key : value`, if this is its key.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (name, value) = line.split_once(':')?;
    (name.trim() == key).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use super::ProcessorInfo;

    #[test]
    fn processors_are_counted_and_the_first_clock_is_reported() {
        let text = "processor\t: 0\ncpu MHz\t\t: 2596.128\n\nprocessor\t: 1\ncpu MHz\t\t: 3000\n";
        let info = ProcessorInfo::parse(text);
        assert_eq!((info.cpus, info.claimed_ghz), (Some(2), Some(2.596_128)));
        for text in ["", "processor", "cpu MHz : NaN", "cpu MHz : 0"] {
            assert_eq!(ProcessorInfo::parse(text), ProcessorInfo::default(), "{text}");
        }
    }
}
