//! The file in which a sampled worker leaves its samples for the process that started it.
//!
//! A signal handler writes the file, so its form needs no agreement between threads: each record has a slot of
//! fixed size, whose number is drawn from one counter. A record fills little of its slot, and the file has holes.

#[cfg(any(test, feature = "tool"))]
mod reader;

#[cfg(any(test, feature = "tool"))]
pub use reader::{BatchTime, SampleRecordReader, batch_times};

use std::path::{Path, PathBuf};

/// Bytes from one record to the next.
pub const SLOT_BYTES: u64 = 64 << 10;

/// Bytes before the data of a record.
pub const HEADER_BYTES: usize = 8 * WORDS;

/// Most bytes of data in a record.
pub const MOST_DATA: usize = SLOT_BYTES as usize - HEADER_BYTES;

/// The first word of a complete record.
const MAGIC: u64 = u64::from_le_bytes(*b"perfsmp1");
const WORDS: usize = 16;

/// Leading bits of a duration that its class keeps: classes are 1.6 to 3.1% wide.
const CLASS_BITS: u32 = 6;

/// Returns the shortest duration of the class of this one, in whatever unit.
///
/// ```
/// use perftest_process::samples::duration_class;
/// assert_eq!([100, 8_537_213, 8_540_000].map(duration_class), [100, 8_388_608, 8_388_608]);
/// ```
pub fn duration_class(duration: u64) -> u64 {
    let cut = (u64::BITS - duration.leading_zeros()).saturating_sub(CLASS_BITS);
    duration >> cut << cut
}

/// The file with the memory map of the sampled process, beside that of the samples.
pub fn maps_file(samples: &Path) -> PathBuf {
    samples.with_extension("maps")
}

/// What a record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// Registers of a thread; the data is its stack, from the stack pointer upwards.
    Sample,
    /// Time in which a thread stayed blocked where its last sample is.
    Blocked,
    /// A batch with samples that began with this iteration: the weight is the time of an iteration in it, the time
    /// since the batch began that of the whole batch.
    Batch,
    /// The data is the name of a thread.
    ThreadName,
    /// The data is the name of a stage.
    StageName,
    /// The data is the name of a tag.
    TagName,
}

/// The registers that a stack is followed from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampledRegisters {
    /// Address of the next instruction.
    pub instruction: u64,
    /// The stack pointer.
    pub stack: u64,
    /// The frame pointer.
    pub frame: u64,
    /// The return address of a leaf function; 0 on x86-64, which keeps it on the stack.
    pub link: u64,
    /// The result of a system call.
    pub result: u64,
}

/// The numbers of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordHeader {
    /// What the record has.
    pub kind: RecordKind,
    /// Number of the thread, the stage or the tag, each from 1; 0 for none.
    pub number: u64,
    /// Time that the record stands for.
    pub weight_ns: u64,
    /// Mean time between samples of the blocked thread; 0 in other records.
    pub period_ns: u64,
    /// Number of the first iteration of the running batch.
    pub iteration: u64,
    /// Time since the batch began.
    pub batch_ns: u64,
    /// Number of the stage; 0 for none.
    pub stage: u64,
    /// Number of the tag; 0 for none.
    pub tag: u64,
    /// Value of the tag.
    pub tag_value: u64,
    /// The registers of a sample.
    pub registers: SampledRegisters,
    /// Bytes of data.
    pub data_bytes: u64,
}

impl RecordHeader {
    /// A header of a record without registers and state.
    pub fn new(kind: RecordKind, number: u64) -> Self {
        Self {
            kind,
            number,
            weight_ns: 0,
            period_ns: 0,
            iteration: 0,
            batch_ns: 0,
            stage: 0,
            tag: 0,
            tag_value: 0,
            registers: SampledRegisters::default(),
            data_bytes: 0,
        }
    }

    /// Encodes the header. Allocates nothing, so that a signal handler may call this.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let (mut bytes, mut header) = ([0; HEADER_BYTES], *self);
        let numbers = header.numbers().map(|number| *number);
        let words = [MAGIC, self.kind as u64].into_iter().chain(numbers);
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The numbers in the order of the file, behind the kind of the record.
    fn numbers(&mut self) -> [&mut u64; WORDS - 2] {
        [
            &mut self.number,
            &mut self.weight_ns,
            &mut self.iteration,
            &mut self.batch_ns,
            &mut self.stage,
            &mut self.tag,
            &mut self.tag_value,
            &mut self.registers.instruction,
            &mut self.registers.stack,
            &mut self.registers.frame,
            &mut self.registers.link,
            &mut self.registers.result,
            &mut self.data_bytes,
            &mut self.period_ns,
        ]
    }
}
