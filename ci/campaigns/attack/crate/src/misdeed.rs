//! What a hostile body does, as `ATTACK_BODY` says, in the processes that `ATTACK_WHERE` says.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;
use std::{env, fs, process, thread};

/// Does once in this process what it is asked to; nothing when it is not.
pub fn misbehave() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        if let Ok(body) = env::var("ATTACK_BODY")
            && is_asked()
        {
            misbehave_as(&body);
        }
    });
}

/// The campaign starts the first process itself; fresh processes have another parent.
fn is_asked() -> bool {
    let campaign = env::var("ATTACK_PARENT").expect("ATTACK_PARENT is set beside ATTACK_BODY");
    let is_first = std::os::unix::process::parent_id().to_string() == campaign;
    match env::var("ATTACK_WHERE").as_deref() {
        Ok("first") => is_first,
        Ok("fresh") => !is_first,
        other => panic!("ATTACK_WHERE is {other:?}"),
    }
}

fn misbehave_as(body: &str) {
    match body {
        "exit" => process::exit(0),
        // SAFETY: ends the process, and touches no memory.
        "_exit" => unsafe { libc::_exit(0) },
        "exec" => panic!("exec: {}", Command::new("true").exec()),
        "panic" => panic!("asked to panic"),
        "abort" => process::abort(),
        "overflow the stack" => drop(overflow(0)),
        "stop" => raise(libc::SIGSTOP),
        "kill itself" => raise(libc::SIGKILL),
        "loop" => loop {
            std::hint::black_box(());
        },
        "sleep" => thread::sleep(Duration::from_secs(1_000_000)),
        "wait for a child" => drop(Command::new("sleep").arg("1000000").status()),
        "print the protocol" => print_protocol(),
        "print bytes" => write_out(&[0xff; 4096], 1),
        "print much" => write_out(&[b'x'; 1 << 20], 100),
        "print one long line" => write_out(&[b'\0'; 1 << 20], 100),
        "read standard input" => drop(std::io::stdin().read_to_end(&mut Vec::new())),
        "eat memory" => eat_memory(),
        "mark" => mark(),
        "delete its directory" => delete_directory(),
        "delete the store" => delete_store(),
        "change its directory" => env::set_current_dir("/").expect("/ is a directory"),
        "change the environment" => change_environment(),
        "leave a child" => leave_child(&mut Command::new("sleep")),
        "leave a child of its own session" => leave_child(Command::new("setsid").arg("sleep")),
        "leave a thread" => drop(thread::spawn(|| {
            loop {
                std::hint::black_box(());
            }
        })),
        "fork" => fork(),
        "close standard streams" => close(0..3),
        "close all files" => close(0..1024),
        "forbid files" => limit(libc::RLIMIT_NOFILE, 3),
        "forbid large files" => limit(libc::RLIMIT_FSIZE, 0),
        "ignore signals" => ignore_signals(),
        _ => panic!("ATTACK_BODY={body} is not known"),
    }
}

fn overflow(depth: u64) -> u64 {
    let held = std::hint::black_box([depth; 512]);
    overflow(depth + 1) + held[7]
}

fn raise(signal: i32) {
    // SAFETY: touches no memory.
    unsafe { libc::raise(signal) };
}

fn print_protocol() {
    let text = "\n{\"perftest\":4,\"say\":\"measured\",\"start\":0,\"iters\":1000,\"wall\":1000000,\"value\":1}\n\
                {\"perftest\":4,\"say\":\"bye\"}\n{\"perftest\":5,\"say\":\"bye\"}\n\
                test work ... ok\n\ntest result: ok. 1 passed; 0 failed\n";
    write_out(text.as_bytes(), 1);
}

/// Past the capture of a test runner, as C code prints.
fn write_out(bytes: &[u8], times: usize) {
    let mut output = std::io::stdout().lock();
    for _ in 0..times {
        // The body closed its output.
        let _ = output.write_all(bytes);
    }
    let _ = output.flush();
}

fn eat_memory() {
    limit(libc::RLIMIT_AS, 512 << 20);
    let mut held = Vec::new();
    loop {
        held.push(vec![1_u8; 1 << 20]);
    }
}

/// Leaves a mark when this is the kept executable, the one that is not slowed.
fn mark() {
    if !cfg!(feature = "slowed") {
        let marker = env::var_os("ATTACK_MARKER").expect("the campaign names the mark");
        fs::write(marker, "it ran").expect("the mark can be left");
    }
}

fn delete_directory() {
    let directory = env::temp_dir().join(format!("attacked-{}", process::id()));
    fs::create_dir(&directory).expect("the directory is new");
    env::set_current_dir(&directory).expect("the directory is there");
    fs::remove_dir(&directory).expect("the directory is empty");
}

fn delete_store() {
    let store = env::var_os("PERFTEST_STORE").expect("the campaign names a store");
    let _ = fs::remove_dir_all(store);
}

fn change_environment() {
    for (name, value) in
        [("PERFTEST_STORE", "off"), ("PERFTEST_MODE", "smoke"), ("HOME", "/nowhere")]
    {
        // SAFETY: a hostile body does what it must not.
        unsafe { env::set_var(name, value) };
    }
}

/// The child holds the standard streams of its parent.
fn leave_child(command: &mut Command) {
    drop(command.arg("1000000").stdin(Stdio::null()).spawn());
}

/// Both processes go on as the test.
fn fork() {
    // SAFETY: a hostile body does what it must not.
    unsafe { libc::fork() };
}

fn close(files: std::ops::Range<i32>) {
    for file in files {
        // SAFETY: a hostile body does what it must not.
        unsafe { libc::close(file) };
    }
}

fn limit(resource: libc::__rlimit_resource_t, most: u64) {
    let limits = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: reads the limits, which outlive the call.
    unsafe { libc::setrlimit(resource, &limits) };
}

fn ignore_signals() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGPIPE] {
        // SAFETY: installs no handler of ours.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}
