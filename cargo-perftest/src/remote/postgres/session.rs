//! A connection to a server on which no wait is without an end.

use super::failure;
use crate::remote::RemoteError;
use crate::remote::database::{
    LONGEST_SILENCE, MOST_ANSWER_BYTES, MOST_SILENCES, silent_server, slow_server, too_long_answer,
    unusable,
};
use futures_util::Stream;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::tls::{MakeTlsConnect, TlsStream};
use tokio_postgres::types::{FromSql, ToSql};
use tokio_postgres::{AsyncMessage, Client, Config, Error, Row, Socket};

/// Begins a transaction. A machine that vanishes in the middle of its own does not hold its files for long, and the
/// server names a lock that is not released before this tool takes it for silent. Limits that the server, the user or
/// the address have stay.
const BEGIN: &str = "\
BEGIN; SELECT set_config(name, '50s', true) \
FROM (VALUES ('lock_timeout'), ('idle_in_transaction_session_timeout')) AS limits (name) \
WHERE current_setting(name) = '0'";

/// Moves the bytes of a connection, and returns the next message that answers no question.
type MoveBytes = dyn FnMut(&mut Context<'_>) -> Poll<Option<Result<AsyncMessage, Error>>> + Send;

/// A connection.
pub(super) struct PostgresSession {
    runtime: Runtime,
    client: Client,
    connection: Box<MoveBytes>,
    /// The server was silent for too long: it is not asked again.
    is_lost: bool,
}

impl PostgresSession {
    /// Connects within this time, with the password.
    ///
    /// # Errors
    /// When the server cannot be reached, does not answer or refuses the user.
    pub(super) fn connect<T>(
        config: &Config,
        tls: T,
        longest: Duration,
    ) -> Result<Self, RemoteError>
    where
        T: MakeTlsConnect<Socket, Stream: TlsStream + Send + 'static>,
    {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(unusable)?;
        let connected = runtime.block_on(async { timeout(longest, config.connect(tls)).await });
        let refusal = match connected {
            Ok(Ok((client, mut connection))) => {
                let connection = Box::new(move |cx: &mut Context<'_>| connection.poll_message(cx));
                return Ok(Self { runtime, client, connection, is_lost: false });
            }
            Ok(Err(error)) => failure(error),
            Err(_) => silent_server(longest),
        };
        // Otherwise the end waits for a name that nobody resolves.
        runtime.shutdown_background();
        Err(refusal)
    }

    /// Returns the rows of a statement.
    pub(super) fn rows(
        &mut self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, RemoteError> {
        self.ask(LONGEST_SILENCE, async |client| rows_of(client, statement, parameters).await)
    }

    /// Runs statements without an answer, however long the server works on them.
    pub(super) fn run_to_the_end(&mut self, statements: &str) -> Result<(), RemoteError> {
        self.run(Duration::MAX, statements)
    }

    /// Does all of some work, or nothing of it.
    pub(super) fn all_or_nothing<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        self.run(LONGEST_SILENCE, BEGIN)?;
        match work(self) {
            Ok(done) => self.run(LONGEST_SILENCE, "COMMIT").map(|()| done),
            Err(error) => {
                // A server that does not hear this ends the transaction with the connection.
                let _ = self.run(LONGEST_SILENCE, "ROLLBACK");
                Err(error)
            }
        }
    }

    fn run(&mut self, longest_silence: Duration, statements: &str) -> Result<(), RemoteError> {
        self.ask(longest_silence, async |client| {
            client.batch_execute(statements).await.map_err(failure)
        })
    }

    /// Waits for an answer as long as bytes arrive or leave, and not longer than [`MOST_SILENCES`].
    fn ask<T>(
        &mut self,
        longest_silence: Duration,
        question: impl AsyncFnOnce(&Client) -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        let Self { runtime, client, connection, is_lost } = self;
        if *is_lost {
            return Err(silent_server(longest_silence));
        }
        runtime.block_on(async {
            let mut question = pin!(question(&*client));
            let mut silence = pin!(sleep(longest_silence));
            let longest = longest_silence.saturating_mul(MOST_SILENCES);
            let mut whole = pin!(sleep(longest));
            poll_fn(|cx| {
                if silence.as_mut().poll(cx).is_ready() {
                    *is_lost = true;
                    return Poll::Ready(Err(silent_server(longest_silence)));
                }
                if whole.as_mut().poll(cx).is_ready() {
                    *is_lost = true;
                    return Poll::Ready(Err(slow_server(longest)));
                }
                // What else wakes this task is the connection: some bytes have moved.
                if let Some(end) = Instant::now().checked_add(longest_silence) {
                    silence.as_mut().reset(end);
                }
                while let Poll::Ready(Some(message)) = connection(cx) {
                    if let Err(error) = message {
                        return Poll::Ready(Err(failure(error)));
                    }
                }
                question.as_mut().poll(cx)
            })
            .await
        })
    }
}

async fn rows_of(
    client: &Client,
    statement: &str,
    parameters: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Row>, RemoteError> {
    let answer = client.query_raw(statement, parameters.iter().copied()).await.map_err(failure)?;
    let (mut answer, mut rows, mut bytes) = (pin!(answer), Vec::new(), 0);
    while let Some(row) = poll_fn(|cx| answer.as_mut().poll_next(cx)).await {
        let row = row.map_err(failure)?;
        bytes += row.raw_size_bytes() as u64;
        if bytes > MOST_ANSWER_BYTES {
            return Err(too_long_answer());
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Reads a column of a row. A table that was changed by hand is an error and no panic.
pub(super) fn value<'a, T: FromSql<'a>>(row: &'a Row, column: usize) -> Result<T, RemoteError> {
    row.try_get(column).map_err(failure)
}

/// Reads a number that is never negative.
pub(super) fn unsigned(row: &Row, column: usize) -> Result<u64, RemoteError> {
    Ok(u64::try_from(value::<i64>(row, column)?).unwrap_or(0))
}
