//! The identity of a machine. Machines with the same identity share a history.

use perftest_core::list::IntoList;
use perftest_core::text::Text;

/// The features of a machine that its measurements depend on. They name no particular machine (no
/// host name, serial number or path) and survive a reboot and an update of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineIdentity {
    /// The architecture this program was built for, as Rust names it.
    pub architecture: &'static str,
    /// The operating system, as Rust names it.
    pub os: &'static str,
    /// The processor's maker, as an x86 processor names it.
    pub cpu_vendor: Option<String>,
    /// Family on x86, implementer on ARM.
    pub cpu_family: Option<u32>,
    /// Model number on x86, part on ARM.
    pub cpu_model_number: Option<u32>,
    /// Stepping on x86; variant and revision on ARM.
    pub cpu_stepping: Option<u32>,
    /// The processor's name without trademark signs and nominal clock; the board's where the
    /// processor has none.
    pub cpu_model: String,
    /// Processors that this process may use, its container's quota rounded up.
    pub usable_cpus: u32,
    /// Processors that this process may use at a time: a quota bounds only their average. Not in the fingerprint.
    pub allowed_cpus: u32,
    /// The container's quota, thousandths of a processor; `None` when there is none.
    pub quota_milli_cpus: Option<u64>,
    /// Kinds of core with their counts, `P4+E8`, on ARM with implementer and part of each;
    /// `None` when all cores are of one kind.
    pub core_kinds: Option<String>,
    /// Second-level cache of the first processor, KiB.
    pub l2_kib: Option<u64>,
    /// Third-level cache of the first processor, KiB.
    pub l3_kib: Option<u64>,
    /// Memory nodes; `None` when the system does not report them.
    pub numa_nodes: Option<u32>,
    /// Vendor of the hypervisor around this virtual machine, `yes` when the vendor is unknown,
    /// `none` outside a virtual machine; `None` when the system does not report it.
    pub hypervisor: Option<String>,
    /// Whether the machine runs on battery; `false` when this is unknown.
    pub on_battery: bool,
}

impl MachineIdentity {
    /// Formats the identity as one stable line, for a hash. The line begins with a version: a new
    /// version invalidates old fingerprints.
    pub fn fingerprint_text(&self) -> String {
        let number = |value: Option<u64>| value.map_or("-".into(), |value| value.to_string());
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".into());
        let power = if self.on_battery { "battery" } else { "mains" };
        let fields = [
            ("arch", self.architecture.into()),
            ("os", self.os.into()),
            ("vendor", text(&self.cpu_vendor)),
            ("family", number(self.cpu_family.map(u64::from))),
            ("model", number(self.cpu_model_number.map(u64::from))),
            ("stepping", number(self.cpu_stepping.map(u64::from))),
            ("cpu", self.cpu_model.clone()),
            ("cpus", self.usable_cpus.to_string()),
            ("quota_milli_cpus", number(self.quota_milli_cpus)),
            ("cores", text(&self.core_kinds)),
            ("l2_kib", number(self.l2_kib)),
            ("l3_kib", number(self.l3_kib)),
            ("numa_nodes", number(self.numa_nodes.map(u64::from))),
            ("hypervisor", text(&self.hypervisor)),
            ("power", power.into()),
        ];
        let fields = fields.iter().map(|(name, value)| format!("|{name}={value}")).joined("");
        format!("machine/2{fields}")
    }
}

/// Cleans a processor's name: one space between words, no trademark signs, no nominal clock at the
/// end. `None` when nothing is left.
pub(super) fn tidy_cpu_model(name: &str) -> Option<String> {
    let mut name = name.parts("@").next()?.to_owned();
    for sign in ["(R)", "(r)", "(TM)", "(tm)", "(C)", "(c)", "\u{ae}", "\u{2122}"] {
        name = name.replace(sign, " ");
    }
    let name = tidy(&name)?;
    match name.cut_last(' ') {
        Some((name, clock)) if clock.ends_with("GHz") || clock.ends_with("MHz") => tidy(name),
        _ => Some(name),
    }
}

/// Cleans text from outside: one space between words, no control characters. `None` when nothing is
/// left.
pub(super) fn tidy(text: &str) -> Option<String> {
    // Outside text must not contain the fingerprint's separator.
    let text = text.replace(char::is_control, " ").replaced("|", "/");
    let words: Vec<_> = text.words().into_list();
    Some(words.iter().joined(" ")).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_signs_spaces_and_the_nominal_clock() {
        let tidy = |name| tidy_cpu_model(name).unwrap();
        assert_eq!(tidy("Intel(R) Core(TM)  i7-1165G7 @ 2.80GHz"), "Intel Core i7-1165G7");
        assert_eq!(tidy("Intel(R) Xeon(R) CPU 3.00GHz"), "Intel Xeon CPU");
        assert_eq!(
            tidy("  AMD Ryzen 9 7950X 16-Core Processor   "),
            "AMD Ryzen 9 7950X 16-Core Processor"
        );
        assert_eq!(tidy("Raspberry Pi 4 Model B Rev 1.4\0"), "Raspberry Pi 4 Model B Rev 1.4");
        assert_eq!(tidy("a|b"), "a/b");
        assert_eq!(tidy_cpu_model(" @ 2.80GHz"), None);
    }

    #[test]
    fn texts_from_outside_are_one_line_without_the_separator() {
        assert_eq!(tidy("KVMKVMKVM\0\0\0").as_deref(), Some("KVMKVMKVM"));
        assert_eq!(tidy(" a\nb|c ").as_deref(), Some("a b/c"));
        assert_eq!(tidy("\0\0 \n"), None);
    }

    #[test]
    fn the_fingerprint_is_one_line_with_a_place_for_each_feature() {
        let identity = MachineIdentity {
            architecture: "x86_64",
            os: "linux",
            cpu_vendor: Some("AuthenticAMD".into()),
            cpu_family: Some(26),
            cpu_model_number: Some(2),
            cpu_stepping: Some(1),
            cpu_model: "AMD EPYC".into(),
            usable_cpus: 2,
            allowed_cpus: 64,
            quota_milli_cpus: None,
            core_kinds: None,
            l2_kib: None,
            l3_kib: Some(32_768),
            numa_nodes: Some(1),
            hypervisor: Some("KVMKVMKVM".into()),
            on_battery: false,
        };
        // A change of this text starts a new history for every user.
        assert_eq!(
            identity.fingerprint_text(),
            "machine/2|arch=x86_64|os=linux|vendor=AuthenticAMD|family=26|model=2|stepping=1\
             |cpu=AMD EPYC|cpus=2|quota_milli_cpus=-|cores=-|l2_kib=-|l3_kib=32768|numa_nodes=1\
             |hypervisor=KVMKVMKVM|power=mains"
        );
        let hybrid = MachineIdentity {
            core_kinds: Some("P4+E8".into()),
            hypervisor: None,
            on_battery: true,
            ..identity
        };
        let text = hybrid.fingerprint_text();
        for field in ["|cores=P4+E8|", "|hypervisor=-|", "|power=battery"] {
            assert!(text.contains(field), "{field} in {text}");
        }
    }

    #[test]
    fn this_machine_has_the_same_fingerprint_twice() {
        let fingerprint = || MachineIdentity::of_this_machine().fingerprint_text();
        assert_eq!(fingerprint(), fingerprint());
    }
}
