//! The connection between an async body and the driver of its measurements.
//!
//! The body is one future, which waits in `iter_async` for orders. Between two batches the runtime has
//! returned, so the driver can decide, pause and start fresh processes as for any other body. For each
//! batch the runtime blocks on the body once. Both clock reads are inside, so the cost of blocking is in
//! no measurement.

use super::{Bencher, Driver};
use crate::measure::{Failure, Routine, Stopwatch, Timing};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// The driver, shared by an async body and the code that blocks on it.
pub(super) type SharedDriver<'a> = Rc<RefCell<&'a mut dyn Driver>>;

/// The next order for a waiting body.
enum BodyOrder {
    Batch { iterations: u64, stopwatch: Stopwatch },
    Over(Result<(), Failure>),
}

/// The messages between a body and the code that blocks on it.
#[derive(Default)]
pub(super) struct Relay {
    /// Most iterations of a batch, once the body is in `iter_async`.
    offer: Cell<Option<u64>>,
    order: Cell<Option<BodyOrder>>,
    answer: Cell<Option<Result<Timing, Failure>>>,
    /// What wakes `iter_async`, where the body has begun to wait for its next order.
    waiting: Cell<Option<Waker>>,
}

impl Relay {
    /// Serves the batches of a routine until there are no more orders.
    pub(super) async fn serve(
        &self,
        most_iterations: u64,
        mut batch: impl AsyncFnMut(u64, &Stopwatch) -> Result<Timing, Failure>,
    ) -> Result<(), Failure> {
        self.offer.set(Some(most_iterations));
        loop {
            match self.next_order().await {
                BodyOrder::Batch { iterations, stopwatch } => {
                    self.answer.set(Some(batch(iterations, &stopwatch).await));
                }
                BodyOrder::Over(result) => return result,
            }
        }
    }

    async fn next_order(&self) -> BodyOrder {
        poll_fn(|context| {
            self.order.take().map_or_else(
                || {
                    self.waiting.set(Some(context.waker().clone()));
                    Poll::Pending
                },
                Poll::Ready,
            )
        })
        .await
    }
}

/// Opens a bencher to an async body.
pub struct Rendezvous<'a> {
    driver: SharedDriver<'a>,
    relay: Rc<Relay>,
}

impl<'a> Rendezvous<'a> {
    /// Creates the connection for a body with this `bencher`.
    pub fn of(bencher: &mut Bencher<'a>) -> Self {
        let relay = Rc::<Relay>::default();
        bencher.relay = Some(Rc::clone(&relay));
        Self { driver: Rc::clone(&bencher.driver), relay }
    }

    /// Creates the body, without starting it.
    pub fn body<'b>(
        self,
        body: impl Future<Output = Result<(), Failure>> + 'b,
    ) -> AsyncBody<'a, 'b> {
        let Self { driver, relay } = self;
        AsyncBody {
            driver,
            relay,
            body: RefCell::new(Box::pin(body)),
            sleeper: Cell::new(None),
            ended: Cell::new(None),
        }
    }
}

type BoxedBody<'b> = Pin<Box<dyn Future<Output = Result<(), Failure>> + 'b>>;

/// The body of an async perf test.
pub struct AsyncBody<'a, 'b> {
    driver: SharedDriver<'a>,
    relay: Rc<Relay>,
    body: RefCell<BoxedBody<'b>>,
    /// What wakes `iter_async`, where polling the body alone may not reach it: some of what joins futures polls
    /// only those that were woken.
    sleeper: Cell<Option<Waker>>,
    ended: Cell<Option<Result<(), Failure>>>,
}

impl<'a, 'b> AsyncBody<'a, 'b> {
    /// Runs the body, with `block_on` for each part up to the next order.
    ///
    /// # Errors
    /// That of the body or of its routine, and [`Failure::Abandoned`] when `block_on` returns too
    /// early.
    pub fn run<'x>(&'x self, block_on: impl Fn(BodyStretch<'x, 'a, 'b>)) -> Result<(), Failure> {
        block_on(BodyStretch { of: self });
        if let Some(most_iterations) = self.relay.offer.take() {
            let mut waiting = AsyncRoutine { body: self, block_on: &block_on, most_iterations };
            let driven = self.driver.borrow_mut().drive(&mut waiting);
            self.give(BodyOrder::Over(driven));
            block_on(BodyStretch { of: self });
        }
        self.ended.take().unwrap_or(Err(Failure::Abandoned))
    }

    fn give(&self, order: BodyOrder) {
        self.relay.order.set(Some(order));
        if let Some(sleeper) = self.sleeper.take() {
            sleeper.wake();
        }
    }
}

/// The part of a body up to its next order, or to its end.
pub struct BodyStretch<'x, 'a, 'b> {
    of: &'x AsyncBody<'a, 'b>,
}

impl Future for BodyStretch<'_, '_, '_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let body = self.of;
        let ended = body.ended.take();
        if ended.is_some() {
            body.ended.set(ended);
            return Poll::Ready(());
        }
        if let Poll::Ready(result) = body.body.borrow_mut().as_mut().poll(context) {
            body.ended.set(Some(result));
            return Poll::Ready(());
        }
        let Some(sleeper) = body.relay.waiting.take() else {
            return Poll::Pending;
        };
        // One that wakes the runtime itself is not needed, and would make it poll the next batch once more.
        body.sleeper.set(Some(sleeper).filter(|it| !it.will_wake(context.waker())));
        Poll::Ready(())
    }
}

/// The routine of a body that waits in `iter_async`.
struct AsyncRoutine<'s, 'x, 'a, 'b, B> {
    body: &'x AsyncBody<'a, 'b>,
    block_on: &'s B,
    most_iterations: u64,
}

impl<'x, 'a, 'b, B: Fn(BodyStretch<'x, 'a, 'b>)> Routine for AsyncRoutine<'_, 'x, 'a, 'b, B> {
    fn batch(&mut self, iterations: u64, stopwatch: &Stopwatch) -> Result<Timing, Failure> {
        self.body.give(BodyOrder::Batch { iterations, stopwatch: stopwatch.clone() });
        (self.block_on)(BodyStretch { of: self.body });
        self.body.relay.answer.take().unwrap_or(Err(Failure::Abandoned))
    }

    fn most_iterations(&self) -> u64 {
        self.most_iterations
    }
}

/// A function that blocks on a future, for runtimes with such a function instead of a method of this
/// name.
pub trait BlockOn<F: Future> {
    /// Runs the future to its end.
    fn block_on(&self, future: F) -> F::Output;
}

impl<F: Future, B: Fn(F) -> F::Output> BlockOn<F> for B {
    fn block_on(&self, future: F) -> F::Output {
        self(future)
    }
}
