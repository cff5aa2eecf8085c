//! A global allocator that counts allocations.

#![allow(unsafe_code)] // The trait of global allocators; each block explains its safety.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// A global allocator that counts allocations and forwards them to the system's or another allocator.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: perftest::CountingAllocator = perftest::CountingAllocator::new();
/// # fn main() {}
/// ```
///
/// With it, `metrics = [wall, allocs]` judges the allocations of a perf test; otherwise they explain a red.
/// Allocations are counted in a separate batch, which is not timed. In other batches an allocation costs
/// one more load and a predicted branch. The count covers all threads of the process while the routine
/// runs, without set-up and drops. Other tests in the same process are counted, too; therefore a red is
/// confirmed in fresh processes, as for time, and a count beside their work is not part of the baseline.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAllocator<A = System> {
    inner: A,
}

impl CountingAllocator {
    /// Creates a counter around the system's allocator.
    pub const fn new() -> Self {
        Self::around(System)
    }
}

impl<A> CountingAllocator<A> {
    /// Creates a counter around another allocator.
    pub const fn around(inner: A) -> Self {
        Self { inner }
    }
}

/// Counts of allocations during a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Allocations {
    /// Number of allocations, including growths.
    pub count: u64,
    /// Allocated bytes; a growth counts with its increase.
    pub bytes: u64,
    /// Largest number of bytes held at once, minus those held before.
    pub peak_bytes: u64,
}

impl Allocations {
    /// Resets the counters and begins to count.
    pub(super) fn start() {
        for counter in [&COUNT, &BYTES] {
            counter.store(0, Relaxed);
        }
        for level in [&HELD, &PEAK] {
            level.store(0, Relaxed);
        }
        IS_COUNTING.store(true, Relaxed);
    }

    /// Ends counting.
    pub(super) fn stop() -> Self {
        IS_COUNTING.store(false, Relaxed);
        Self {
            count: COUNT.load(Relaxed),
            bytes: BYTES.load(Relaxed),
            peak_bytes: PEAK.load(Relaxed).max(0) as u64,
        }
    }

    /// Returns whether this process's allocator is a counting one.
    pub(crate) fn are_counted() -> bool {
        Self::start();
        drop(black_box(Box::new(black_box(0_u8))));
        Self::stop().count > 0
    }
}

fn grow(bytes: usize) {
    COUNT.fetch_add(1, Relaxed);
    BYTES.fetch_add(bytes as u64, Relaxed);
    let held = HELD.fetch_add(bytes as i64, Relaxed).wrapping_add(bytes as i64);
    PEAK.fetch_max(held, Relaxed);
}

fn shrink(bytes: usize) {
    HELD.fetch_sub(bytes as i64, Relaxed);
}

// SAFETY: every call is forwarded unchanged to an allocator that keeps the contract, and its
// answer is returned unchanged. The counters are static, allocate nothing and cannot panic: their
// additions wrap. The tests of this file run on this allocator.
unsafe impl<A: GlobalAlloc> GlobalAlloc for CountingAllocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of this method, which is the same.
        let block = unsafe { self.inner.alloc(layout) };
        if IS_COUNTING.load(Relaxed) && !block.is_null() {
            grow(layout.size());
        }
        block
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        let block = unsafe { self.inner.alloc_zeroed(layout) };
        if IS_COUNTING.load(Relaxed) && !block.is_null() {
            grow(layout.size());
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if IS_COUNTING.load(Relaxed) {
            shrink(layout.size());
        }
        // SAFETY: as for `alloc`.
        unsafe { self.inner.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as for `alloc`.
        let block = unsafe { self.inner.realloc(pointer, layout, new_size) };
        if IS_COUNTING.load(Relaxed) && !block.is_null() {
            match new_size.checked_sub(layout.size()) {
                Some(more) => grow(more),
                None => shrink(layout.size() - new_size),
            }
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    /// Has room for blocks of at most a page.
    struct Narrow;

    const MOST_BYTES: usize = 4_096;

    // SAFETY: blocks are the system's, or null.
    unsafe impl GlobalAlloc for Narrow {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let has_room = layout.size() <= MOST_BYTES;
            // SAFETY: as the caller promises.
            if has_room { unsafe { System.alloc(layout) } } else { null_mut() }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            // SAFETY: as the caller promises: the block is the system's.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
            let has_room = new_size <= MOST_BYTES;
            // SAFETY: as the caller promises: the block is the system's.
            if has_room { unsafe { System.realloc(pointer, layout, new_size) } } else { null_mut() }
        }
    }

    /// The counters are global, so one test covers them.
    #[test]
    fn what_is_allocated_while_it_counts_is_counted_on_all_threads() {
        let allocator = &CountingAllocator::around(Narrow);
        let [small, large, huge] = [64, 1_024, isize::MAX as usize - 7]
            .map(|size| Layout::from_size_align(size, 8).unwrap());
        // SAFETY: each block is freed once, with the layout it has by then.
        let run = || unsafe {
            let zeroed = allocator.alloc_zeroed(large);
            let grown = allocator.realloc(allocator.alloc(small), small, 1_024);
            assert!(allocator.alloc(huge).is_null());
            assert!(allocator.realloc(grown, large, huge.size()).is_null());
            let shrunk = allocator.realloc(grown, large, 64);
            allocator.dealloc(zeroed, large);
            std::thread::scope(|scope| {
                let pointer = shrunk as usize;
                scope.spawn(move || allocator.dealloc(pointer as *mut u8, small));
            });
        };
        run();
        Allocations::start();
        run();
        let counted = Allocations::stop();
        let bytes = 1_024 + 64 + (1_024 - 64);
        let expected = Allocations { count: 3, bytes, peak_bytes: 2_048 };
        assert_eq!(counted, expected, "without the refused ones");
        run();
        assert_eq!(Allocations::stop(), counted, "nothing is counted after the end");
    }
}
