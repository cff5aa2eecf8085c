//! A common state of the heap before measuring.

use std::hint::black_box;

/// Just below the largest block that raises glibc's thresholds, 32 MiB with its header.
const BLOCK: usize = (32 << 20) - (64 << 10);

/// Makes the allocator keep memory that a batch frees for the next batch.
///
/// glibc gives free memory at the end of its heap back to the system, and each batch would fault it
/// in again. How much glibc keeps depends on the largest block that was ever freed: one process
/// measured with faults and another without them. So every process frees one large block before it
/// measures. The block is never touched, and other allocators are not affected.
///
/// glibc also locks for each block once a process has had a second thread, which makes bodies that allocate
/// up to 13% slower. So every process starts one.
///
/// Source: `mallopt(3)`, "dynamic mmap threshold"; glibc's manual, `__libc_single_threaded`.
pub(crate) fn settle_heap() {
    // If no thread can be started here, none can be later.
    let second = std::thread::Builder::new().spawn(|| ());
    let _ = second.map(std::thread::JoinHandle::join);
    let mut block = Vec::<u8>::new();
    // Without memory for the block, the heap stays unchanged.
    let _ = block.try_reserve_exact(BLOCK);
    drop(black_box(block));
}
