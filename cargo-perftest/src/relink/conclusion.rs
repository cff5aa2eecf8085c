//! The result of several orders of functions.

use super::RelinkSpeed;
use perftest_core::model::BenchmarkId;
use serde_json::{Value, json};
use std::fmt;
use std::process::{ExitCode, Termination};

/// The cause of a slow test, by several orders of the same functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelinkConclusion {
    /// Slow in every order of its functions.
    Code { orders: usize },
    /// Fast in at least one order.
    Placement { slow: usize, undecided: usize, orders: usize },
    /// Fast in no order, and not slow in all.
    Undecided { undecided: usize, orders: usize },
}

impl RelinkConclusion {
    /// Decides by the speed in each order.
    pub(crate) fn of(speeds: &[RelinkSpeed]) -> Self {
        let count = |speed| speeds.iter().filter(|it| **it == speed).count();
        let orders = speeds.len();
        match (count(RelinkSpeed::Fast), count(RelinkSpeed::Undecided)) {
            (0, 0) => Self::Code { orders },
            (0, undecided) => Self::Undecided { undecided, orders },
            (_, undecided) => Self::Placement { slow: count(RelinkSpeed::Slow), undecided, orders },
        }
    }

    pub(crate) fn as_json(self, benchmark: &BenchmarkId) -> Value {
        let (answer, slow, undecided, orders) = match self {
            Self::Code { orders } => ("code", orders, 0, orders),
            Self::Placement { slow, undecided, orders } => ("placement", slow, undecided, orders),
            Self::Undecided { undecided, orders } => {
                ("undecided", orders - undecided, undecided, orders)
            }
        };
        json!({
            "event": "relink",
            "v": 1,
            "benchmark": benchmark.as_str(),
            "answer": answer,
            "orders": orders,
            "slow": slow,
            "fast": orders - slow - undecided,
            "undecided": undecided,
        })
    }
}

impl Termination for RelinkConclusion {
    /// Returns the exit code: 0 for placement, 1 for the code, 3 if it is undecided.
    fn report(self) -> ExitCode {
        match self {
            Self::Placement { .. } => ExitCode::SUCCESS,
            Self::Code { .. } => ExitCode::from(1),
            Self::Undecided { .. } => ExitCode::from(3),
        }
    }
}

impl fmt::Display for RelinkConclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code { orders } => write!(f, "slow in all {orders} orders: it is the code"),
            Self::Placement { slow: 0, undecided, orders } => write!(
                f,
                "slow in none of {orders} orders{}: the code is not slow. If your own build is, it \
                 is placement; {ALIGN}",
                and_undecided(*undecided)
            ),
            Self::Placement { slow, undecided, orders } => {
                let undecided = and_undecided(*undecided);
                write!(f, "slow in {slow} of {orders} orders{undecided}: placement; {ALIGN}")
            }
            Self::Undecided { undecided, orders } => write!(
                f,
                "no verdict in {undecided} of {orders} orders and fast in none: try again on a \
                 quieter machine, with more --times, or after five runs of the test: until then \
                 its history alone makes nothing red"
            ),
        }
    }
}

fn and_undecided(orders: usize) -> String {
    if orders == 0 { String::new() } else { format!(", no verdict in {orders}") }
}

const ALIGN: &str = "align functions, in .cargo/config.toml:\n  [build]\n  \
                     rustflags = [\"-C\", \"llvm-args=-align-all-functions=6\"]";

#[cfg(test)]
mod tests {
    use super::*;
    use RelinkSpeed::{Fast, Slow, Undecided};

    #[test]
    fn only_code_that_is_slow_in_every_order_is_to_blame() {
        assert_eq!(RelinkConclusion::of(&[Slow; 3]), RelinkConclusion::Code { orders: 3 });
        let one_fast = RelinkConclusion::of(&[Slow, Fast, Slow]);
        assert_eq!(one_fast, RelinkConclusion::Placement { slow: 2, undecided: 0, orders: 3 });
        assert!(one_fast.to_string().starts_with("slow in 2 of 3 orders: placement; align"));
        assert!(
            RelinkConclusion::of(&[Fast; 3]).to_string().starts_with("slow in none of 3 orders")
        );
    }

    #[test]
    fn an_order_without_a_verdict_decides_nothing_and_one_fast_order_acquits() {
        let undecided = RelinkConclusion::Undecided { undecided: 1, orders: 2 };
        assert_eq!(RelinkConclusion::of(&[Slow, Undecided]), undecided);
        let acquitted = RelinkConclusion::Placement { slow: 0, undecided: 1, orders: 2 };
        assert_eq!(RelinkConclusion::of(&[Fast, Undecided]), acquitted);
        let text = acquitted.to_string();
        assert!(text.starts_with("slow in none of 2 orders, no verdict in 1: the code"), "{text}");
    }

    #[test]
    fn the_numbers_of_orders_add_up_in_json() {
        let answer = |speeds: &[RelinkSpeed]| {
            let json =
                RelinkConclusion::of(speeds).as_json(&BenchmarkId::from_recorded("codec::encode"));
            let count = |key: &str| json[key].as_u64().unwrap();
            assert_eq!(count("orders"), count("slow") + count("fast") + count("undecided"));
            (json["answer"].as_str().unwrap().to_owned(), count("slow"), count("fast"))
        };
        assert_eq!(answer(&[Slow; 3]), ("code".into(), 3, 0));
        assert_eq!(answer(&[Slow, Fast, Undecided, Fast]), ("placement".into(), 1, 2));
        assert_eq!(answer(&[Slow, Undecided]), ("undecided".into(), 1, 0));
    }
}
