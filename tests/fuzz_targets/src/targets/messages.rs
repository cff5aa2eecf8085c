//! Messages between processes.

use crate::scratch::in_empty_directory;
use perftest_process::protocol::{FromParent, FromWorker};
use perftest_process::{ListedTest, TestOutcome};

/// Each message that is read is written and read again as it was.
pub(super) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        if let Ok(Some(message)) = FromWorker::decode(line) {
            let written = message.encode();
            assert_eq!(FromWorker::decode(&written), Ok(Some(message)), "{written}");
        }
        if let Ok(Some(message)) = FromParent::decode(line) {
            let written = message.encode();
            assert_eq!(FromParent::decode(&written), Ok(Some(message)), "{written}");
        }
        if let Ok(Some(test)) = ListedTest::decode(line) {
            let written = test.encode();
            assert_eq!(ListedTest::decode(&written), Ok(Some(test)), "{written}");
        }
    }
    let outcomes: Vec<TestOutcome> = text.lines().filter_map(TestOutcome::of_line).collect();
    if !outcomes.is_empty() {
        in_empty_directory(|directory| {
            let file = directory.join("outcomes");
            outcomes.iter().for_each(|outcome| outcome.append_to(&file).unwrap());
            assert_eq!(TestOutcome::read_all(&file), Ok(outcomes));
        });
    }
}
