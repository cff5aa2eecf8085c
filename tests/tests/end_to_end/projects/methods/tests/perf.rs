use perftest::{Bencher, perf_test};
use std::cell::Cell;
use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

#[perf_test]
fn sorts_in_place(b: &mut Bencher) {
    b.with_setup(|| (0..100_u32).rev().collect::<Vec<_>>()).iter_mut(|values| values.sort());
}

/// Fails when a file is left behind or taken away before its call.
#[perf_test]
fn tears_down(b: &mut Bencher) {
    let directory = std::env::temp_dir().join(format!("perftest-methods-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let made = Cell::new(0);
    b.with_setup(|| {
        made.set(made.get() + 1);
        let path = directory.join(made.get().to_string());
        (File::create(&path).unwrap(), path)
    })
    .with_teardown(|(_, path)| std::fs::remove_file(path).unwrap())
    .iter_mut(|(file, _)| file.write_all(&[7; 64]).unwrap());
    std::fs::remove_dir(directory).unwrap();
}

#[perf_test(runtime = runtime())]
async fn awaits() -> Result<u64, String> {
    tokio::task::yield_now().await;
    Ok(work(100))
}

#[perf_test(runtime = runtime())]
async fn awaits_an_error() -> Result<(), String> {
    tokio::task::yield_now().await;
    Err("the connection is gone".to_owned())
}

#[perf_test(runtime = runtime())]
async fn awaits_after_set_up(b: &mut Bencher) {
    let (sender, mut receiver) = mpsc::channel(1);
    let neighbour = tokio::spawn(async { work(10) });
    b.iter_async(async || {
        sender.send(7).await.unwrap();
        receiver.recv().await
    })
    .await;
    neighbour.await.unwrap();
}

#[perf_test(runtime = block_on)]
async fn awaits_its_input(b: &mut Bencher) {
    let routine = async |input: u64| {
        tokio::task::yield_now().await;
        work(input % 10)
    };
    b.with_inputs(std::convert::identity).iter_async(routine).await;
}

#[perf_test(runtime = runtime())]
async fn gives_up_waiting(b: &mut Bencher) {
    let forever = b.iter_async(|| std::future::pending::<()>());
    let _ = tokio::time::timeout(Duration::from_millis(50), forever).await;
}

async fn awaits_the_same() -> u64 {
    tokio::task::yield_now().await;
    work(1_000)
}

#[perf_test(runtime = runtime(), versus = awaits_the_same, tolerance = "50%")]
async fn awaits_beside_another() -> u64 {
    awaits_the_same().await
}

async fn meets_the_same(b: &mut Bencher<'_>) {
    let (sender, mut receiver) = mpsc::channel(1);
    b.iter_async(async || {
        sender.send(work(1_000)).await.unwrap();
        receiver.recv().await
    })
    .await;
}

#[perf_test(runtime = runtime(), versus = meets_the_same, tolerance = "50%")]
async fn meets_another(b: &mut Bencher) {
    meets_the_same(b).await;
}

#[perf_test]
fn awaits_without_a_runtime(b: &mut Bencher) {
    block_on(b.iter_async(async || 1));
}

#[perf_test]
fn times_itself(b: &mut Bencher) {
    b.iter_custom(|iterations| {
        let start = Instant::now();
        (0..iterations).for_each(|_| {
            black_box(work(100));
        });
        start.elapsed()
    });
}

#[perf_test]
fn times_nothing(b: &mut Bencher) {
    b.iter_custom(|_| Duration::ZERO);
}

#[perf_test(budget = "300ms")]
fn runs_a_process(b: &mut Bencher) {
    b.command(|| itself("--list"));
}

/// With a tolerance that a busy machine leaves room for.
#[perf_test(budget = "1s", tolerance = "50%")]
fn runs_its_program(b: &mut Bencher) {
    b.command(|| Command::new(env!("CARGO_BIN_EXE_walker")));
}

#[perf_test(budget = "300ms", tolerance = "50%")]
fn runs_its_program_in_a_shell(b: &mut Bencher) {
    b.command(|| {
        let mut shell = Command::new("sh");
        shell.args(["-c", concat!(env!("CARGO_BIN_EXE_walker"), "; true")]);
        shell
    });
}

#[perf_test(budget = "1s", tolerance = "50%")]
fn runs_its_program_by_itself() {
    assert!(Command::new(env!("CARGO_BIN_EXE_walker")).status().unwrap().success());
}

const WALKER: &str = env!("CARGO_BIN_EXE_walker");

fn walk(b: &mut Bencher) {
    b.command(|| Command::new(WALKER));
}

#[perf_test(budget = "300ms")]
fn runs_its_program_in_a_helper(b: &mut Bencher) {
    walk(b);
}

#[perf_test]
fn runs_a_process_that_fails(b: &mut Bencher) {
    b.command(|| itself("--no-such-option"));
}

/// Counts its set-ups, each of which takes more than the budget.
#[perf_test(budget = "100ms")]
fn sets_up_for_long(b: &mut Bencher) {
    let setup = || {
        count_call();
        std::thread::sleep(Duration::from_millis(150));
    };
    b.with_setup(setup).iter(|()| work(100));
}

/// The same of what is neither set-up nor in the time it returns.
#[perf_test(budget = "100ms")]
fn times_a_part_of_itself(b: &mut Bencher) {
    b.iter_custom(|iterations| {
        count_call();
        std::thread::sleep(Duration::from_millis(150));
        let start = Instant::now();
        (0..iterations).for_each(|_| {
            black_box(work(100));
        });
        start.elapsed()
    });
}

/// Counts its calls.
#[perf_test(budget = "1s")]
fn takes_long() {
    count_call();
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1_100) {
        black_box(work(1_000));
    }
}

/// Where the variable demands it.
fn count_call() {
    if let Some(calls) = std::env::var_os("CALLS") {
        let file = File::options().append(true).create(true).open(calls);
        file.unwrap().write_all(b"called\n").unwrap();
    }
}

fn work(steps: u64) -> u64 {
    // In a register: newer processors take a state that goes through memory at several speeds.
    let step = |state: u64, step: u64| (state ^ step).wrapping_mul(0x9e37_79b9);
    black_box((0..steps).fold(black_box(1), step))
}

fn itself(argument: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(argument);
    command
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

fn block_on<F: Future>(future: F) -> F::Output {
    runtime().block_on(future)
}

perftest::main!();
