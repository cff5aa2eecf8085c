//! Who can count instructions here.

use super::{CounterFacts, Finding, MachineFacts, Severity};
use perftest_machine::Uncountable;

/// Which counters there are; no finding for a machine made of files.
pub(super) fn instructions(facts: &MachineFacts) -> Option<Finding> {
    let CounterFacts { processor, valgrind } = facts.counters.as_ref()?;
    Some(match (processor, valgrind) {
        (Ok(counted), _) => {
            let names: Vec<&str> = counted.iter().map(|event| event.name()).collect();
            let fact = format!("the processor counts {}", names.join(", "));
            let effect = "they explain a change and can judge (`metrics`); instructions stand beside a red and a \
                          comparison";
            Finding::new(Severity::Good, "counters", fact, effect)
        }
        (Err(refusal), Ok(version)) => {
            let effect = format!(
                "{version} counts instructions where it is asked to: \
                 PERFTEST_INSTRUCTIONS=valgrind, cargo perftest compare --instructions"
            );
            absent(refusal, effect, refusal.help.clone())
        }
        (Err(refusal), Err(why)) => {
            let effect = "whether slower code also executes more instructions stays unknown";
            absent(refusal, effect, format!("{}; or use valgrind: {why}", refusal.help))
        }
    })
}

fn absent(refusal: &Uncountable, effect: impl Into<String>, advice: String) -> Finding {
    let fact = format!("the processor's counters cannot be read: {}", refusal.why);
    Finding::new(Severity::Note, "counters", fact, effect).advise(advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perftest_machine::Countable;

    fn found(processor: Result<Vec<Countable>, Uncountable>, has_valgrind: bool) -> Finding {
        let valgrind = if has_valgrind { Ok("valgrind-3.24.0") } else { Err("not installed") };
        let valgrind = valgrind.map(String::from).map_err(String::from);
        let counters = Some(CounterFacts { processor, valgrind });
        instructions(&MachineFacts { counters, ..MachineFacts::without_facts() }).unwrap()
    }

    fn refused() -> Result<Vec<Countable>, Uncountable> {
        Err(Uncountable { why: "a level forbids it".into(), help: "lower the level".into() })
    }

    #[test]
    fn what_the_processor_counts_is_named() {
        let finding = found(Ok(vec![Countable::Instructions, Countable::Cycles]), false);
        assert_eq!(finding.fact, "the processor counts instructions, cycles");
        assert_eq!(finding.severity, Severity::Good);
    }

    #[test]
    fn what_it_does_not_count_has_a_reason_and_a_way_out() {
        let finding = found(refused(), true);
        assert!(finding.fact.ends_with("a level forbids it"), "{finding:?}");
        assert_eq!(finding.advice, "lower the level");
        assert!(finding.effect.contains("PERFTEST_INSTRUCTIONS=valgrind"));
        let finding = found(refused(), false);
        assert_eq!(finding.advice, "lower the level; or use valgrind: not installed");
        assert_eq!(finding.severity, Severity::Note);
    }

    #[test]
    fn files_tell_nothing_of_counters() {
        assert_eq!(instructions(&MachineFacts::without_facts()), None);
    }
}
