//! The kernel's files about the machine.

use crate::file_list::write_files;
use crate::scratch::in_empty_directory;
use perftest_machine::Sensors;

/// Files that do not change give the same answers twice.
pub(super) fn run(data: &[u8]) {
    in_empty_directory(|root| {
        write_files(data, root);
        let sensors = Sensors::below(root);
        let first = sensors.look();
        assert_eq!(sensors.look(), first);
        assert_eq!(sensors.clone().copied_to(root).look(), first);
        let _ = (sensors.used_ms(), sensors.core_kind(|| Some(0)));
    });
}
