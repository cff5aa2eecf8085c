"""Generates stores whose truth is known, asks commands about them, and counts what is wrong.

Steps of 3 to 100%, drifts, modes, rare modes, seasons, levels that go up and down and nothing at all, by turns
with one run a commit and with three. Ends with 1 where a count that is asked for is not reached.
"""

import argparse
import pathlib
import random
import sys
import tempfile

import kinds
from history import START_MS
from store import Store
from table import Table, almost_all, every, few, most, none


def suspects(history, event):
    """The places of the commits that an event suspects."""
    places = history.places()
    after = places.get((event["after_commit"] or "").rstrip("+"), -1)
    return range(after + 1, places.get(event["upto_commit"].rstrip("+"), -1) + 1)


def nearest(history, guilty, events):
    """The change that is nearest to a guilty commit, if one is within ten runs."""

    def distance(event):
        began = START_MS + guilty * history.runs_a_commit * history.every_ms
        return abs(event["at_ms"] - began) / history.every_ms

    events = sorted((event for event in events if distance(event) <= 10), key=distance)
    return events[0] if events else None


def about_steps(store, table):
    """Who is suspected of steps, and what becomes of their alerts."""
    histories, found = store.histories.values(), store.changes()
    found_and_wrong(histories, found, table)
    changes = [(history, nearest(history, history.guilty[0], found[history.name])) for history in histories]
    changes = [(history, change) for history, change in changes if change]
    blamed = sum(history.guilty[0] in suspects(history, change) for history, change in changes)
    table.row("  suspects with the guilty commit", blamed, len(changes), almost_all)
    acquitted = sum(change["not_the_code"] is not None for _, change in changes)
    table.row("  guilty commits acquitted", acquitted, len(changes), none)
    commits = sorted(len(suspects(history, change)) for history, change in changes)
    print(f"  commits suspected: {commits[len(commits) // 2]} at the median, {commits[-1]} at most")
    about_lasting_alerts(store, table)
    answers = store.by_test("power")
    answered = sum(answer["smallest_detectable"] is not None for answer in answers.values())
    table.row("steps whose test has its power computed", answered, len(histories), every)


def about_lasting_alerts(store, table):
    # A step that is smaller than the minimum effect is none of the rule's.
    lasting = [history for history in store.histories.values() if history.levels[-1] >= 1.08]
    alerts = store.alerts()
    states = [(history, alerts[history.name]) for history in lasting]
    opened = [(history, alert) for history, alert in states if is_of_step(history, alert)]
    table.row("lasting steps of 8% and more with an alert", len(opened), len(lasting))
    blamed = sum(history.guilty[0] in suspects(history, alert) for history, alert in opened)
    table.row("  suspects with the guilty commit", blamed, len(opened), almost_all)
    acquitted = sum(not alert["may_be_code"] for _, alert in opened)
    table.row("  guilty commits acquitted", acquitted, len(opened), none)
    resolved = sum(alert["state"] == "resolved" for _, alert in opened)
    table.row("  lasting alerts resolved", resolved, len(opened), none)


def is_of_step(history, alert):
    """Whether there is an alert about the level before the step, and not about noise on the new one."""
    return alert["side"] == "upper" and alert["before"] < 1e3 * (1 + history.levels[-1]) / 2


def found_and_wrong(histories, found, table):
    """Recall and precision of `changepoints`."""
    true, of, reported = 0, 0, 0
    for history in histories:
        near = [nearest(history, guilty, found[history.name]) for guilty in history.guilty]
        true += sum(change is not None for change in near)
        of += len(history.guilty)
        reported += len(found[history.name])
    table.row("recall: changes found by changepoints", true, of)
    table.row("precision: of those that are reported, true ones", true, reported)


def about_seasons(store, table):
    """Load that comes back every week opens no alert once it is known."""
    alerts, changes = store.alerts(), store.changes()
    opened = sum(alert["side"] is not None for alert in alerts.values())
    table.row("alerts opened by a season", opened, len(store.histories), none)
    changed = sum(bool(events) for events in changes.values())
    table.row("  histories with a season that changed", changed, len(store.histories), none)


def about_first_weekends(store, table):
    """Before it can be known the answer names it."""
    opened = [alert for alert in store.alerts().values() if alert["state"] == "open"]
    table.row("first weekends with an open alert", len(opened), len(store.histories))
    silent = sum(not alert["too_short_for_season"] for alert in opened)
    table.row("  that are not named as a possible season", silent, len(opened), none)


def about_the_rest(store, table):
    """What drifts, stays, has modes or goes up and down."""
    found, alerts = store.changes(), store.alerts()
    levels = store.of("levels")
    found_and_wrong(levels, found, table)
    for kind in ("flat", "modes", "rare", "drifts"):
        names = [history.name for history in store.of(kind)]
        changed = sum(bool(found[name]) for name in names)
        table.row(f"{kind}: histories with a change", changed, len(names), None if kind == "drifts" else none)
        ever = sum(alerts[name]["side"] is not None for name in names)
        table.row("  with an alert at any time", ever, len(names))
        if kind != "drifts":
            still = sum(alerts[name]["state"] == "open" for name in names)
            # Three rare runs of the newest five are a level for all that anybody knows.
            table.row("  with one that lasts", still, len(names), few if kind == "rare" else none)
    drifted = store.by_test("drift")
    drifting = [history.name for history in store.of("drifts")]
    count = sum(bool(drifted[name]["drifted"]) for name in drifting)
    table.row("drifts reported by drift", count, len(drifting), most)
    standing = [history.name for history in store.of("flat", "levels", "rare")]
    count = sum(bool(drifted[name]["drifted"]) for name in standing)
    table.row("  of what does not drift", count, len(standing), few)
    about_ranks(store, table)
    about_same_answers(store, found, table)


def about_ranks(store, table):
    """Who has to be first by which measure, and before all others."""
    for by, belong in (
        ("change", ["levels"]),
        ("dispersion", ["modes"]),
        ("modality", ["modes", "rare"]),
        ("extremes", ["rare"]),
        ("trend", ["drifts"]),
    ):
        first = {history.name for history in store.of(*belong)}
        wrong = len(first) - len(first & set(store.ranks(by)[: len(first)]))
        table.row(f"wrong places in the ranking by {by}", wrong, len(first), few)


def about_same_answers(store, found, table):
    """`history` has the values that were written, and `stats` the changes that `changepoints` has."""
    written = store.by_test("history", "--limit", "1000")
    other = sum(written[name]["medians"] != it.values for name, it in store.histories.items())
    table.row("histories printed otherwise than written", other, len(store.histories), none)
    some = [next(iter(store.of(kind))) for kind in ("levels", "drifts", "flat", "modes", "rare")]
    differ = 0
    for history in some:
        [answer] = store.asked("stats", "changepoints", "-", numbers=history.values)
        places = [change["place"] - 1 for change in answer["changes"]]
        began = [round((it["at_ms"] - START_MS) / history.every_ms) for it in found[history.name]]
        differ += sorted(places) != sorted(began)
    table.row("answers of stats that differ from the store's", differ, len(some), none)


def parts(of, rng):
    """The stores, and what each is asked."""
    yield "steps", kinds.steps(300 // of, rng), about_steps
    yield "seasons", kinds.seasons(40 // of, rng), about_seasons
    yield "first weekends", kinds.seasons(20 // of, rng, days=7), about_first_weekends
    rest = (kinds.flats, kinds.drifts, kinds.ups_and_downs, kinds.modes, kinds.rare_modes)
    yield "rest", [it for kind in rest for it in kind(40 // of, rng)], about_the_rest


def main():
    parser = argparse.ArgumentParser(prog="ci/campaigns/known-history.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a tenth of the histories")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("tool", help="a cargo-perftest")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    table = Table()
    with tempfile.TemporaryDirectory() as directory:
        for name, histories, about in parts(10 if args.short else 1, rng):
            store = Store(pathlib.Path(directory) / name.replace(" ", "-"), args.tool, histories)
            about(store, table)
            for command, seconds in store.seconds.items():
                print(f"  {name}: {command} {seconds:.1f} s of the processor, {store.mebibytes[command]:.0f} MiB at most")
            print(flush=True)
    sys.exit(table.failed)


if __name__ == "__main__":
    main()
