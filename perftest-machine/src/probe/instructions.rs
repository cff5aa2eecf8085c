//! The probes' instructions, written out so that no compiler version changes what they cost.

#![allow(unsafe_code)] // Inline assembly without memory writes; each block explains its safety.

/// Instructions of one round of [`dependent`], each one cycle after the other.
pub(super) const DEPENDENT_IN_A_ROUND: u64 = 64;

/// Words that [`ordinary`] reads: 16 KiB, which every first-level data cache holds.
pub(super) const WORDS: usize = 2_048;

/// Whether this architecture's instructions are written out here.
pub(super) const KNOWN: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

/// Runs `rounds` of 64 exclusive-ors of registers, each waiting for the one before: one cycle
/// each on every x86-64 and 64-bit ARM core. (Adding a constant would not do: newest cores fold
/// such chains while renaming registers.)
#[inline(never)]
pub(super) fn dependent(rounds: u64) {
    let rounds = rounds.max(1);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: only the three registers named here change, all declared; there is no access to
    // memory and no stack use. `rounds` is at least 1, so the loop ends.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 64",
            "xor {chain}, {other}",
            ".endr",
            "dec {rounds}",
            "jnz 2b",
            chain = inout(reg) 1_u64 => _,
            other = in(reg) 3_u64,
            rounds = inout(reg) rounds => _,
            options(nomem, nostack),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 64",
            "eor {chain}, {chain}, {other}",
            ".endr",
            "subs {rounds}, {rounds}, #1",
            "b.ne 2b",
            chain = inout(reg) 1_u64 => _,
            other = in(reg) 3_u64,
            rounds = inout(reg) rounds => _,
            options(nomem, nostack),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    portable_dependent(rounds);
}

/// The same chain for other architectures; of the right length only when it is optimised.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn portable_dependent(rounds: u64) {
    let mut chain = 1_u64;
    for _ in 0..rounds * DEPENDENT_IN_A_ROUND / 2 {
        chain = std::hint::black_box((chain ^ 3).rotate_left(1));
    }
}

/// Runs `rounds` of loads, multiplications, exclusive-ors and additions over `words`, four
/// independent ones at a time: as much at once as ordinary code keeps a core busy with.
#[inline(never)]
pub(super) fn ordinary(words: &[u64; WORDS], rounds: u64) {
    for _ in 0..rounds {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: reads 32 bytes at a time, 512 times, from the start of an array of 16 KiB, so
        // it never leaves the array; only declared registers change and nothing is written.
        unsafe {
            std::arch::asm!(
                "2:",
                "mov {a}, [{at}]",
                "mov {b}, [{at} + 8]",
                "mov {c}, [{at} + 16]",
                "mov {d}, [{at} + 24]",
                "imul {a}, {factor}",
                "imul {b}, {factor}",
                "imul {c}, {factor}",
                "imul {d}, {factor}",
                "xor {sum}, {a}",
                "add {rest}, {b}",
                "xor {sum}, {c}",
                "add {rest}, {d}",
                "add {at}, 32",
                "dec {left}",
                "jnz 2b",
                a = out(reg) _,
                b = out(reg) _,
                c = out(reg) _,
                d = out(reg) _,
                factor = in(reg) 0x9e37_79b9_7f4a_7c15_u64,
                sum = inout(reg) 0_u64 => _,
                rest = inout(reg) 0_u64 => _,
                at = inout(reg) words.as_ptr() => _,
                left = inout(reg) WORDS / 4 => _,
                options(readonly, nostack),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above; post-indexed loads walk the same 512 times 32 bytes.
        unsafe {
            std::arch::asm!(
                "2:",
                "ldp {a}, {b}, [{at}], #16",
                "ldp {c}, {d}, [{at}], #16",
                "mul {a}, {a}, {factor}",
                "mul {b}, {b}, {factor}",
                "mul {c}, {c}, {factor}",
                "mul {d}, {d}, {factor}",
                "eor {sum}, {sum}, {a}",
                "add {rest}, {rest}, {b}",
                "eor {sum}, {sum}, {c}",
                "add {rest}, {rest}, {d}",
                "subs {left}, {left}, #1",
                "b.ne 2b",
                a = out(reg) _,
                b = out(reg) _,
                c = out(reg) _,
                d = out(reg) _,
                factor = in(reg) 0x9e37_79b9_7f4a_7c15_u64,
                sum = inout(reg) 0_u64 => _,
                rest = inout(reg) 0_u64 => _,
                at = inout(reg) words.as_ptr() => _,
                left = inout(reg) WORDS / 4 => _,
                options(readonly, nostack),
            );
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        portable_ordinary(words);
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn portable_ordinary(words: &[u64; WORDS]) {
    let (mut sum, mut rest) = (0_u64, 0_u64);
    for pair in std::hint::black_box(words).chunks_exact(2) {
        sum ^= pair[0].wrapping_mul(0x9e37_79b9_7f4a_7c15);
        rest = rest.wrapping_add(pair[1].wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
    std::hint::black_box((sum, rest));
}
