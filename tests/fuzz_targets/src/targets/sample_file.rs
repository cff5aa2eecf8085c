//! The file in which a sampled worker leaves its samples.

use crate::scratch::in_empty_directory;
use perftest_process::samples::{MOST_DATA, RecordHeader, SLOT_BYTES, SampleRecordReader};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

/// Bytes of the input in a slot, and most slots.
const IN_A_SLOT: usize = 512;
const MOST_SLOTS: usize = 8;

/// Each slot is a record or an incomplete one, and no record has more data than it may have.
pub(super) fn run(data: &[u8]) {
    in_empty_directory(|directory| {
        let path = directory.join("samples");
        let mut file = File::create(&path).unwrap();
        let chunks = || data.chunks(IN_A_SLOT).take(MOST_SLOTS);
        for (slot, chunk) in (0..).zip(chunks()) {
            file.seek(SeekFrom::Start(slot * SLOT_BYTES)).unwrap();
            file.write_all(chunk).unwrap();
        }
        let count = chunks().count() as u64;
        let mut reader = SampleRecordReader::open(&path, count).unwrap();
        let mut complete = 0;
        while let Some((header, data)) = reader.next_record().unwrap() {
            complete += 1;
            assert!(data.len() as u64 <= header.data_bytes && data.len() <= MOST_DATA);
            assert_eq!(RecordHeader::decode(&header.encode()), Some(header));
        }
        assert_eq!(complete + reader.incomplete, count);
    });
}
