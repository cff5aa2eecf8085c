//! Parser for `/proc/cpuinfo`: x86 names its model, ARM gives numbers.

use super::tree::number;
use perftest_core::list::IntoList;
use perftest_core::text::Text;

/// The entries of `/proc/cpuinfo` for the first processor. They do not change until a reboot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CpuInfo {
    /// Its maker, as an x86 processor names it.
    pub(super) vendor: Option<String>,
    /// The name its maker gives it, as written.
    pub(super) name: Option<String>,
    /// Family on x86, implementer on ARM.
    pub(super) family: Option<u32>,
    /// Model on x86, part on ARM.
    pub(super) model: Option<u32>,
    /// Stepping on x86; variant and revision on ARM, as the register holds them.
    pub(super) stepping: Option<u32>,
    /// Revision of its microcode on x86, as written.
    pub(super) microcode: Option<String>,
    /// The flag that a hypervisor sets for its guests; `None` where there are no such flags.
    pub(super) hypervisor: Option<bool>,
}

impl CpuInfo {
    /// Parses the first block of the text; missing fields stay empty.
    pub(super) fn parse(text: &str) -> Self {
        let field = |key: &str| field(text, key);
        let integer = |key: &str| field(key).and_then(integer);
        let arm_stepping = || Some((integer("CPU variant")? << 4) | integer("CPU revision")?);
        Self {
            vendor: field("vendor_id").map(Into::into),
            name: field("model name").map(Into::into),
            family: integer("cpu family").or_else(|| integer("CPU implementer")),
            model: integer("model").or_else(|| integer("CPU part")),
            stepping: integer("stepping").or_else(arm_stepping),
            microcode: field("microcode").map(Into::into),
            hypervisor: field("flags").map(|flags| flags.words().any(|flag| flag == "hypervisor")),
        }
    }
}

/// Parses implementer and part of each ARM processor: `0x41/0xd0c`.
pub(super) fn parse_parts(text: &str) -> Vec<(u32, String)> {
    let part = |block: &str| {
        let integer = |key: &str| field(block, key).and_then(integer);
        let (implementer, part) = (integer("CPU implementer")?, integer("CPU part")?);
        Some((integer("processor")?, format!("{implementer:#x}/{part:#x}")))
    };
    text.parts("\n\n").filter_map(part).into_list()
}

/// The value of a key in the first block.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.each_line()
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| line.cut(':'))
        .find_map(|(name, value)| (name.trim() == key).then(|| value.trim()))
        .filter(|value| !value.is_empty())
}

/// Parses a number as the kernel prints it: decimal, or hexadecimal with `0x`. The bound prevents
/// an overflow in later arithmetic.
fn integer(text: &str) -> Option<u32> {
    let value = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => number(text),
    };
    value.filter(|value| *value <= 0xffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x86_has_a_name_and_numbers() {
        let text = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 140\n\
            model name\t: 11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz\nstepping\t: 1\n\
            cpu MHz\t\t: 2800.000\nflags\t\t: fpu vme\n\nprocessor\t: 1\nmodel\t\t: 999\n";
        let info = CpuInfo::parse(text);
        assert_eq!((info.family, info.model, info.stepping), (Some(6), Some(140), Some(1)));
        assert_eq!(info.name.unwrap(), "11th Gen Intel(R) Core(TM) i7-1165G7 @ 2.80GHz");
        assert_eq!((info.vendor.as_deref(), info.hypervisor), (Some("GenuineIntel"), Some(false)));
    }

    #[test]
    fn arm_has_the_fields_of_its_identification_register() {
        let text = "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\n\
            CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n\
            Serial\t\t: 10000000abcdef\n";
        let info = CpuInfo::parse(text);
        assert_eq!((info.family, info.model, info.stepping), (Some(0x41), Some(0xd0c), Some(0x31)));
        assert_eq!((info.name, info.hypervisor), (None, None));
    }

    #[test]
    fn each_arm_processor_has_its_part() {
        let text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n\
            processor\t: 4\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\nSerial\t: 1\n";
        let parts = [(0, "0x41/0xd05".to_owned()), (4, "0x41/0xd0b".to_owned())];
        assert_eq!(parse_parts(text), parts);
        assert_eq!(parse_parts("processor : 0\nmodel : 7\n"), []);
    }

    #[test]
    fn only_the_first_processor_counts() {
        let info = CpuInfo::parse("cpu family\t: 6\n\ncpu family\t: 7\nstepping\t: 5\n");
        assert_eq!((info.family, info.stepping), (Some(6), None));
    }

    #[test]
    fn damage_leaves_the_fields_empty() {
        for text in ["", "\u{fffd}\u{fffd}", "model", "model : x\nCPU variant: 0xffffffff\n"] {
            assert_eq!(CpuInfo::parse(text), CpuInfo::default(), "{text}");
        }
    }
}
