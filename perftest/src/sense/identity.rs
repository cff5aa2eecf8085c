//! What makes two machines comparable: their identity.

/// The features of a machine that its measurements depend on. Nothing in it names one particular
/// machine (no host name, no serial number), and nothing changes with a reboot or an update of
/// the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MachineIdentity {
    /// The architecture this program was built for, as Rust names it.
    pub architecture: &'static str,
    /// The operating system, as Rust names it.
    pub os: &'static str,
    /// The processor's name without trademark signs and nominal clock; the board's where the
    /// processor has none.
    pub cpu_model: String,
    /// Family on x86, implementer on ARM.
    pub cpu_family: Option<u32>,
    /// Model number on x86, part on ARM.
    pub cpu_model_number: Option<u32>,
    /// Stepping on x86; variant and revision on ARM.
    pub cpu_stepping: Option<u32>,
    /// Processors that this process may use, its container's quota rounded up.
    pub usable_cpus: u32,
    /// The container's quota, thousandths of a processor; `None` when there is none.
    pub quota_milli_cpus: Option<u64>,
    /// Second-level cache of the first processor, KiB.
    pub l2_kib: Option<u64>,
    /// Third-level cache of the first processor, KiB.
    pub l3_kib: Option<u64>,
    /// Memory in GiB, rounded up to a power of two: what the firmware keeps for itself changes
    /// with its version.
    pub memory_class_gib: Option<u64>,
    /// Whether this is a virtual machine; `None` when the system does not tell.
    pub hypervisor: Option<bool>,
}

impl MachineIdentity {
    /// The identity of the machine this runs on.
    pub(crate) fn of_this_machine() -> Self {
        #[cfg(target_os = "linux")]
        let identity = super::linux::read_identity(&super::linux::Tree::new("/"));
        #[cfg(not(target_os = "linux"))]
        let identity = super::portable::identity();
        identity
    }

    /// The identity as one stable line, for a hash. It begins with its version: another version
    /// means that old fingerprints match no more.
    pub(crate) fn fingerprint_text(&self) -> String {
        let number = |value: Option<u64>| value.map_or("-".into(), |value| value.to_string());
        let fields = [
            ("arch", self.architecture.into()),
            ("os", self.os.into()),
            ("cpu", self.cpu_model.clone()),
            ("family", number(self.cpu_family.map(u64::from))),
            ("model", number(self.cpu_model_number.map(u64::from))),
            ("stepping", number(self.cpu_stepping.map(u64::from))),
            ("cpus", self.usable_cpus.to_string()),
            ("quota_milli_cpus", number(self.quota_milli_cpus)),
            ("l2_kib", number(self.l2_kib)),
            ("l3_kib", number(self.l3_kib)),
            ("memory_gib", number(self.memory_class_gib)),
            ("hypervisor", number(self.hypervisor.map(u64::from))),
        ];
        let fields = fields.map(|(name, value)| format!("|{name}={value}")).concat();
        format!("machine/1{fields}")
    }
}

/// A processor's name as people say it: one space between words, no trademark signs, and no
/// nominal clock at the end. `None` when nothing is left.
pub(super) fn tidy_cpu_model(name: &str) -> Option<String> {
    let mut name = name.split('@').next()?.to_owned();
    for sign in ["(R)", "(r)", "(TM)", "(tm)", "(C)", "(c)", "\u{ae}", "\u{2122}", "\0"] {
        name = name.replace(sign, " ");
    }
    let mut words: Vec<_> = name.split_whitespace().collect();
    if words.last().is_some_and(|word| word.ends_with("GHz") || word.ends_with("MHz")) {
        words.pop();
    }
    // The fingerprint's own separator must not come from outside.
    Some(words.join(" ").replace('|', "/")).filter(|name| !name.is_empty())
}

/// The power of two, in GiB, that a memory of this size was sold as.
pub(super) fn memory_class_gib(memory_kib: u64) -> Option<u64> {
    memory_kib.div_ceil(1 << 20).checked_next_power_of_two().filter(|_| memory_kib > 0)
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
    fn memory_is_classed_by_what_it_was_sold_as() {
        assert_eq!(memory_class_gib(16_107_508), Some(16));
        assert_eq!(memory_class_gib(24_684_096), Some(32));
        assert_eq!(memory_class_gib(1 << 20), Some(1));
        assert_eq!(memory_class_gib(400_000), Some(1));
        assert_eq!(memory_class_gib(0), None);
        assert!(memory_class_gib(u64::MAX).is_some());
    }

    #[test]
    fn the_fingerprint_is_one_line_with_a_place_for_each_feature() {
        let identity = MachineIdentity {
            architecture: "x86_64",
            os: "linux",
            cpu_model: "AMD EPYC".into(),
            cpu_family: Some(26),
            cpu_model_number: Some(2),
            cpu_stepping: Some(1),
            usable_cpus: 2,
            quota_milli_cpus: None,
            l2_kib: None,
            l3_kib: Some(32_768),
            memory_class_gib: Some(16),
            hypervisor: Some(true),
        };
        // Changing this text parts every user from their history.
        assert_eq!(
            identity.fingerprint_text(),
            "machine/1|arch=x86_64|os=linux|cpu=AMD EPYC|family=26|model=2|stepping=1|cpus=2\
             |quota_milli_cpus=-|l2_kib=-|l3_kib=32768|memory_gib=16|hypervisor=1"
        );
    }

    #[test]
    fn this_machine_has_the_same_fingerprint_twice() {
        let fingerprint = || MachineIdentity::of_this_machine().fingerprint_text();
        assert_eq!(fingerprint(), fingerprint());
    }
}
