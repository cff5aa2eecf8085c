//! The HTTP interface of a ClickHouse server.

use super::sql::values;
use crate::exit::Result;
use crate::remote::RemoteError;
use crate::remote::database::{
    GIVE_RIGHTS, LONGEST_CONNECT, LONGEST_FIRST_ANSWER, LONGEST_SILENCE, MAKE_TABLES,
    MOST_ANSWER_BYTES, MOST_ANSWER_ROWS, MOST_SILENCES, cut_answer, no_tls, read_password_file,
    silent_server, slow_server, too_long_answer, too_many_rows, unusable,
};
use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use ureq::http::HeaderValue;
use ureq::{Agent, Timeout};

/// Servers close a connection that was not used for three seconds or longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Longest time of a statement, from the connection to the end of its answer.
const LONGEST_STATEMENT: Duration = LONGEST_SILENCE.saturating_mul(MOST_SILENCES);
/// Longest part of a server's message that is printed.
const MOST_MESSAGE_CHARACTERS: usize = 300;

/// A server, and the user who asks it.
pub(super) struct Server {
    agent: Agent,
    url: String,
    user: HeaderValue,
    /// Never printed.
    password: String,
    password_header: HeaderValue,
    has_answered: Cell<bool>,
}

impl Server {
    /// Returns the server of an address without a password. Asks nobody yet.
    ///
    /// # Errors
    /// When the password cannot be read, or this tool has no TLS and the address needs it.
    pub(super) fn of(url: &str) -> Result<Self> {
        if url.starts_with("clickhouse+https:") && cfg!(not(feature = "clickhouse-tls")) {
            return Err(no_tls("clickhouse-tls"));
        }
        let password = password(&|name| env::var_os(name))?.unwrap_or_default();
        let header = |text: &str| {
            HeaderValue::from_bytes(text.as_bytes()).map_err(|_| {
                RemoteError::new("the password has a character that no header can have")
            })
        };
        let mut password_header = header(&password)?;
        password_header.set_sensitive(true);
        let (address, user) = address_and_user(url);
        // The credentials go to this address alone: neither to a proxy nor where an answer points to.
        let agent = Agent::config_builder();
        #[cfg(feature = "clickhouse-tls")]
        let agent = agent.tls_config(tls_config()?);
        let agent = agent
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_resolve(Some(LONGEST_CONNECT))
            .timeout_connect(Some(LONGEST_CONNECT))
            .timeout_per_write(Some(LONGEST_SILENCE))
            .timeout_global(Some(LONGEST_STATEMENT))
            .max_idle_age(LONGEST_PAUSE)
            .user_agent("perftest")
            .build();
        Ok(Self {
            agent: agent.into(),
            url: address,
            user: header(user)?,
            password,
            password_header,
            has_answered: Cell::new(false),
        })
    }

    /// Runs a statement, behind which are the rows that it inserts.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub(super) fn run(&self, statement: &str) -> Result<String, RemoteError> {
        let longest = if self.has_answered.get() { LONGEST_SILENCE } else { LONGEST_FIRST_ANSWER };
        let failure = |error| match error {
            ureq::Error::Timeout(Timeout::Global) => slow_server(LONGEST_STATEMENT),
            ureq::Error::Timeout(_) => silent_server(longest),
            ureq::Error::BodyExceedsLimit(_) => too_long_answer(),
            error => unusable(error),
        };
        let question = self
            .agent
            .post(&self.url)
            .config()
            .timeout_per_read(Some(longest))
            .build()
            .header("X-ClickHouse-User", &self.user)
            .header("X-ClickHouse-Key", &self.password_header);
        let mut answer = question.send(statement).map_err(failure)?;
        self.has_answered.set(true);
        let status = answer.status();
        if status.is_redirection() {
            return Err(RemoteError::new(format!(
                "the server answers {status}; give the address of the ClickHouse server itself"
            )));
        }
        // Bytes that are no text cost their record alone.
        let body = answer.body_mut().with_config().limit(MOST_ANSWER_BYTES).lossy_utf8(true);
        let text = body.read_to_string().map_err(failure)?;
        if status.is_success() { Ok(text) } else { Err(self.refusal(&text)) }
    }

    /// Returns the rows of a query, which `row` reads from their values. Of long rows servers write values between tabs in
    /// half of the time of JSON, and integers of all versions in one way.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses, or ends before it has answered.
    pub(super) fn rows<Row, const VALUES: usize>(
        &self,
        query: &str,
        row: impl Fn([String; VALUES]) -> Option<Row>,
    ) -> Result<Vec<Row>, RemoteError> {
        let answer = self.run(&format!("{query} FORMAT TabSeparated"))?;
        // A server that fails after its first rows writes the reason behind them.
        let read = |line: &str| {
            let row = values(line).and_then(&row);
            row.ok_or_else(|| self.refusal(&answer))
        };
        // Half a row may look like a whole one, and its record would never be asked for again.
        if !answer.is_empty() && !answer.ends_with('\n') {
            let is_message = answer.contains("DB::Exception: ");
            return Err(if is_message { self.refusal(&answer) } else { cut_answer() });
        }
        // A user's settings may end rows with a carriage return, too; within a value it is escaped.
        let lines = answer.lines();
        if lines.clone().nth(MOST_ANSWER_ROWS).is_some() {
            return Err(too_many_rows());
        }
        lines.map(read).collect()
    }

    /// The error for a message of the server. A server may repeat what it was sent.
    fn refusal(&self, answer: &str) -> RemoteError {
        let mut message = answer.to_owned();
        if !self.password.is_empty() {
            message = message.replace(&self.password, "…");
        }
        let (code, reason) = code_and_reason(&message);
        let next = match code {
            Some(60) => MAKE_TABLES,
            Some(81) => "; make the database first: CREATE DATABASE",
            // Too few rights, a user who may only read, one who may make no tables, and a database of others.
            Some(497 | 164 | 392 | 291) => GIVE_RIGHTS,
            // Versions differ in whether they name a wrong user, a wrong password or a missing one.
            Some(192..=194 | 516) => "; set CLICKHOUSE_PASSWORD, or CLICKHOUSE_PASSWORD_FILE",
            _ => "",
        };
        RemoteError::new(format!("the database refuses: {reason}{next}"))
    }
}

/// Trusts whom [`trusted_certificates`](crate::remote::tls::trusted_certificates) names.
#[cfg(feature = "clickhouse-tls")]
fn tls_config() -> Result<ureq::tls::TlsConfig, RemoteError> {
    use ureq::tls::{Certificate, TlsConfig};
    let config = TlsConfig::builder();
    let Some(certificates) = crate::remote::tls::trusted_certificates()? else {
        return Ok(config.build());
    };
    let certificates = certificates.iter().map(|it| Certificate::from_der(it).to_owned());
    Ok(config.root_certs(certificates.collect::<Vec<_>>().into()).build())
}

/// Returns the address for requests, and the user.
fn address_and_user(url: &str) -> (String, &str) {
    let url = url.strip_prefix("clickhouse+").unwrap_or(url);
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let (place, database) = rest.rsplit_once('/').unwrap_or((rest, "default"));
    let (user, host) = place.rsplit_once('@').unwrap_or(("default", place));
    (format!("{scheme}://{host}/?database={database}"), user)
}

/// Returns the password from `CLICKHOUSE_PASSWORD`, or else the first line of the file that
/// `CLICKHOUSE_PASSWORD_FILE` names. `None` if neither is set, or both are empty.
fn password(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Option<String>, RemoteError> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(password) = variable("CLICKHOUSE_PASSWORD").and_then(|it| it.into_string().ok()) {
        return Ok(Some(password));
    }
    let Some(path) = variable("CLICKHOUSE_PASSWORD_FILE").map(PathBuf::from) else {
        return Ok(None);
    };
    let text = read_password_file(&path)?;
    Ok(Some(text.lines().next().unwrap_or_default().to_owned()))
}

/// Returns the code of a message of the server, and its reason without what surrounds it.
fn code_and_reason(message: &str) -> (Option<u32>, String) {
    let start = message.find("Code: ").unwrap_or(0);
    let message = &message[start..];
    let code = message.strip_prefix("Code: ").and_then(|rest| {
        let end = rest.find(|it: char| !it.is_ascii_digit())?;
        rest[..end].parse().ok()
    });
    let reason = message.split_once("DB::Exception: ").map_or(message, |(_, reason)| reason);
    let end = [", e.what()", " (version ", "\n"].iter().filter_map(|it| reason.find(it)).min();
    let reason = reason[..end.unwrap_or(reason.len())].trim();
    (code, reason.chars().take(MOST_MESSAGE_CHARACTERS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::clickhouse::sql::literal;

    /// `PERFTEST_TEST_CLICKHOUSE` is the address of a server, as `ci/clickhouse.sh` starts one.
    #[test]
    #[ignore = "needs a server: ci/clickhouse.sh runs it"]
    fn a_clickhouse_server_reads_every_literal_as_it_was_meant() {
        let address = std::env::var("PERFTEST_TEST_CLICKHOUSE").unwrap();
        let server = Server::of(&address).unwrap();
        for text in [
            "",
            "'",
            "\\",
            "\\'",
            "'; DROP TABLE perftest_record; --",
            "' OR 1 = 1 /*",
            "a\nb\r\t\0c\u{1}\u{7f}",
            "\\x41\\n\\0",
            "{x:String} %s ? $1",
            "größe ключ 🦀 \u{2028}",
            "`a` \"b\"",
        ] {
            let query = format!("SELECT {}, toUInt64({})", literal(text), u64::MAX);
            let row = |[text, number]: [String; 2]| Some((text, number.parse().ok()?));
            assert_eq!(server.rows(&query, row).unwrap(), [(text.to_owned(), u64::MAX)]);
        }
    }

    #[test]
    fn an_address_is_asked_without_its_user() {
        for (url, address, user) in [
            ("clickhouse+http://bot@db:8123/perf", "http://db:8123/?database=perf", "bot"),
            ("clickhouse+https://[::1]:8443/p", "https://[::1]:8443/?database=p", "default"),
        ] {
            assert_eq!(address_and_user(url), (address.to_owned(), user));
        }
    }

    #[test]
    fn the_reason_is_taken_from_messages_of_old_and_new_servers() {
        for (message, code, reason) in [
            (
                "Code: 60, e.displayText() = DB::Exception: Table perf.x doesn't exist., e.what() = \
                 DB::Exception\n",
                Some(60),
                "Table perf.x doesn't exist.",
            ),
            (
                "Code: 516. DB::Exception: bot: Authentication failed. (AUTHENTICATION_FAILED) (version \
                 26.9.2.1)",
                Some(516),
                "bot: Authentication failed. (AUTHENTICATION_FAILED)",
            ),
            ("{\"a\":1}\nCode: 241. DB::Exception: Memory limit\nmore", Some(241), "Memory limit"),
            ("no server of this kind", None, "no server of this kind"),
            ("", None, ""),
        ] {
            assert_eq!(code_and_reason(message), (code, reason.to_owned()));
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_empty_variable_does_not_hide_the_file() {
        // Only its owner can read it.
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret\n").unwrap();
        let password = |value: &str| {
            password(&|name| match name {
                "CLICKHOUSE_PASSWORD" => Some(value.into()),
                _ => Some(file.path().into()),
            })
        };
        assert_eq!(password("").unwrap().as_deref(), Some("secret"));
        assert_eq!(password("given").unwrap().as_deref(), Some("given"));
    }

    #[test]
    fn a_server_that_repeats_the_password_is_not_repeated() {
        let mut server = Server::of("clickhouse+http://bot@127.0.0.1:9/perf").unwrap();
        server.password = "s3cr3t".to_owned();
        let error = server.refusal("Code: 516. DB::Exception: s3cr3t is wrong").to_string();
        assert!(error.contains("… is wrong; set CLICKHOUSE_PASSWORD"), "{error}");
    }
}
