//! Whether a sampled thread ran its own code, ran in the kernel, or waited there.

use super::loaded_files::LoadedFile;
use perftest_process::samples::SampledRegisters;

/// What a thread did at the instant of its sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SampleState {
    /// Its own code, or it could have, if it had had a processor.
    Running,
    /// A system call.
    InKernel,
    /// A system call that the signal interrupted while it waited.
    Waiting,
}

impl SampleState {
    /// The frame below the system call; `None` where the stack has everything.
    pub(super) fn frame(self) -> Option<&'static str> {
        match self {
            Self::Running => None,
            Self::InKernel => Some("[kernel]"),
            Self::Waiting => Some("[waiting]"),
        }
    }

    /// The state by the code around the sampled instruction. A signal interrupts a wait: the kernel either
    /// starts the call again, and the thread is just before it, or lets it fail with `EINTR`.
    ///
    /// Source: `signal(7)`, "Interruption of system calls and library functions by signal handlers".
    pub(super) fn of(file: Option<&LoadedFile>, registers: &SampledRegisters) -> Self {
        const INTERRUPTED: u64 = -4_i64 as u64;
        let at = registers.instruction;
        let is_call = |start: u64| {
            let code = file
                .and_then(|file| file.code(start..start.checked_add(SYSTEM_CALL.len() as u64)?));
            code == Some(SYSTEM_CALL)
        };
        if is_call(at) {
            return Self::Waiting;
        }
        match is_call(at.wrapping_sub(SYSTEM_CALL.len() as u64)) {
            true if registers.result == INTERRUPTED => Self::Waiting,
            true => Self::InKernel,
            false => Self::Running,
        }
    }
}

/// The instruction that calls the kernel.
#[cfg(target_arch = "x86_64")]
const SYSTEM_CALL: &[u8] = &[0x0f, 0x05];
#[cfg(target_arch = "aarch64")]
const SYSTEM_CALL: &[u8] = &[0x01, 0x00, 0x00, 0xd4];

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_process::elf::SectionBytes;

    #[test]
    fn the_code_around_the_instruction_shows_a_system_call() {
        let bytes = [&[0x90; 8][..], SYSTEM_CALL, &[0x90; 8]].concat();
        let length = bytes.len() as u64;
        let file = LoadedFile {
            name: "a".into(),
            path: "/a".into(),
            addresses: 0x1000..0x1000 + length,
            bias: 0x1000,
            text: SectionBytes { address: 0, bytes },
            eh_frame: None,
            eh_frame_hdr: None,
            has_symbols: false,
        };
        let behind = 0x1008 + SYSTEM_CALL.len() as u64;
        let state = |instruction, result: i64| {
            let result = result as u64;
            let registers = SampledRegisters { instruction, result, ..Default::default() };
            SampleState::of(Some(&file), &registers)
        };
        assert_eq!(state(0x1008, 202), SampleState::Waiting);
        assert_eq!(state(behind, -4), SampleState::Waiting);
        assert_eq!(state(behind, 17), SampleState::InKernel);
        assert_eq!(state(0x1000, -4), SampleState::Running);
        assert_eq!(SampleState::of(None, &SampledRegisters::default()), SampleState::Running);
    }
}
