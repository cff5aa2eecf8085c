//! Reads the samples of a worker.

use super::{HEADER_BYTES, MAGIC, MOST_DATA, RecordHeader, RecordKind, SLOT_BYTES, WORDS};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

impl RecordKind {
    const ALL: [Self; 6] = [
        Self::Sample,
        Self::Blocked,
        Self::Batch,
        Self::ThreadName,
        Self::StageName,
        Self::TagName,
    ];
}

impl RecordHeader {
    /// Decodes a header; `None` for a record that was not completed.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Option<Self> {
        let mut words = [0; WORDS];
        for (word, place) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(place.try_into().ok()?);
        }
        let kind = RecordKind::ALL.iter().copied().find(|kind| *kind as u64 == words[1])?;
        let mut header = Self::new(kind, 0);
        for (number, word) in header.numbers().into_iter().zip(&words[2..]) {
            *number = *word;
        }
        let is_complete = words[0] == MAGIC && header.data_bytes <= MOST_DATA as u64;
        is_complete.then_some(header)
    }
}

/// Reads the records of a file, one after the other.
#[derive(Debug)]
pub struct SampleRecordReader {
    file: File,
    next: u64,
    count: u64,
    /// Records that were begun and not completed.
    pub incomplete: u64,
}

impl SampleRecordReader {
    /// Opens a file of `count` records.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(path: &Path, count: u64) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, next: 0, count, incomplete: 0 })
    }

    /// Returns the next record with its data; `None` after the last one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next_record(&mut self) -> io::Result<Option<(RecordHeader, Vec<u8>)>> {
        let Some(header) = self.next_header()? else { return Ok(None) };
        let mut data = Vec::new();
        self.file.by_ref().take(header.data_bytes).read_to_end(&mut data)?;
        Ok(Some((header, data)))
    }

    /// Returns the next header; the data is behind it in the file.
    fn next_header(&mut self) -> io::Result<Option<RecordHeader>> {
        while self.next < self.count {
            let place = self.next * SLOT_BYTES;
            self.next += 1;
            self.file.seek(SeekFrom::Start(place))?;
            let mut header = [0; HEADER_BYTES];
            let whole = self.file.read_exact(&mut header);
            let Some(header) = RecordHeader::decode(&header).filter(|_| whole.is_ok()) else {
                self.incomplete += 1;
                continue;
            };
            return Ok(Some(header));
        }
        Ok(None)
    }
}

/// The times of a batch with samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchTime {
    /// Of an iteration.
    pub iteration_ns: u64,
    /// Of the whole batch, with set-up and drops.
    pub batch_ns: u64,
}

/// Reads the batches of a file of `count` records, by the numbers of their first iterations.
///
/// # Errors
/// When the file cannot be read.
pub fn batch_times(path: &Path, count: u64) -> io::Result<HashMap<u64, BatchTime>> {
    let mut reader = SampleRecordReader::open(path, count)?;
    let mut batches = HashMap::new();
    while let Some(header) = reader.next_header()? {
        if header.kind == RecordKind::Batch {
            let time = BatchTime { iteration_ns: header.weight_ns, batch_ns: header.batch_ns };
            batches.insert(header.iteration, time);
        }
    }
    Ok(batches)
}

#[cfg(test)]
mod tests {
    use super::super::{SampledRegisters, duration_class};
    use super::*;
    use std::io::Write;

    fn full() -> RecordHeader {
        RecordHeader {
            kind: RecordKind::Sample,
            number: 1,
            weight_ns: 2,
            period_ns: 11,
            iteration: 3,
            batch_ns: 4,
            stage: 5,
            tag: 6,
            tag_value: u64::MAX,
            registers: SampledRegisters {
                instruction: 7,
                stack: 8,
                frame: 9,
                link: 10,
                result: (-4_i64) as u64,
            },
            data_bytes: 3,
        }
    }

    #[test]
    fn a_header_reads_back_exactly() {
        for kind in RecordKind::ALL {
            let header = RecordHeader { kind, ..full() };
            assert_eq!(RecordHeader::decode(&header.encode()), Some(header));
        }
    }

    #[test]
    fn bytes_that_are_no_header_are_none() {
        let mut long = full();
        long.data_bytes = MOST_DATA as u64 + 1;
        assert_eq!(RecordHeader::decode(&long.encode()), None);
        assert_eq!(RecordHeader::decode(&[0; HEADER_BYTES]), None);
        let mut other = full().encode();
        other[8] = 99;
        assert_eq!(RecordHeader::decode(&other), None);
    }

    #[test]
    fn a_class_is_at_most_a_32nd_below_its_durations() {
        for duration in (1..5_000).chain([u64::MAX, 1 << 40, (1 << 40) - 1]) {
            let class = duration_class(duration);
            assert!(class <= duration && duration - class <= duration / 32, "{duration}");
            assert_eq!(duration_class(class), class);
        }
        assert_eq!(duration_class(0), 0);
    }

    #[test]
    fn records_without_a_header_are_counted_and_the_others_are_read() {
        let path = std::env::temp_dir().join(format!("perftest-samples-{}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        file.seek(SeekFrom::Start(2 * SLOT_BYTES)).unwrap();
        file.write_all(&full().encode()).unwrap();
        file.write_all(b"abcd").unwrap();
        let mut reader = SampleRecordReader::open(&path, 5).unwrap();
        assert_eq!(reader.next_record().unwrap(), Some((full(), b"abc".to_vec())));
        assert_eq!(reader.next_record().unwrap(), None);
        assert_eq!(reader.incomplete, 4);
        assert!(batch_times(&path, 5).unwrap().is_empty());
        file.seek(SeekFrom::Start(4 * SLOT_BYTES)).unwrap();
        file.write_all(&RecordHeader { kind: RecordKind::Batch, ..full() }.encode()).unwrap();
        let batch = BatchTime { iteration_ns: 2, batch_ns: 4 };
        assert_eq!(batch_times(&path, 5).unwrap(), [(3, batch)].into());
        std::fs::remove_file(path).unwrap();
    }
}
