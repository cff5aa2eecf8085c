//! The other attributes mean what they mean on a test.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

/// Documentation above.
#[perftest::perf_test]
/// Documentation below.
#[cfg(not(test))]
fn absent() -> NoSuchType {}

#[cfg(not(test))]
#[perftest::perf_test]
fn absent_from_above() -> NoSuchType {}

#[perftest::perf_test]
#[cfg_attr(test, cfg(not(test)))]
fn absent_by_condition() -> NoSuchType {}

#[cfg(test)]
#[perftest::perf_test]
#[cfg(test)]
#[cfg_attr(not(test), ignore)]
fn present() {}

#[perftest::perf_test]
#[expect(non_snake_case)]
fn Expected() {}

#[allow(non_snake_case)]
#[perftest::perf_test]
fn Allowed() {}

#[perftest::perf_test]
#[cfg_attr(test, expect(unused_variables), inline(never), ignore = "why")]
fn conditional() {
    let unused = 1;
}

#[perftest::perf_test]
#[ignore = "why"]
#[track_caller]
#[must_use]
fn passed_on() -> u8 {
    1
}

/// A module in which `test` is something else.
mod shadowed {
    #[allow(unused_imports)]
    use perftest::perf_test as test;

    #[perftest::perf_test]
    fn still_a_test() {}
}

/// An async function need not write the lifetime that an ordinary one need not write either.
#[perftest::perf_test(runtime = block_on)]
async fn hidden_lifetime(bencher: &mut perftest::Bencher,) {
    bencher.iter_async(async || 1).await;
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
