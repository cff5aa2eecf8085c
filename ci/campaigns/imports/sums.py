"""The same in Python, whose package has a newer Google Benchmark."""

import google_benchmark as benchmark


@benchmark.register
@benchmark.option.arg(64)
@benchmark.option.arg(4096)
def Sum(state):
    numbers = range(state.range(0))
    while state:
        sum(numbers)
    state.items_processed = state.iterations * state.range(0)


@benchmark.register
@benchmark.option.unit(benchmark.kMicrosecond)
def Counted(state):
    while state:
        pass
    state.counters["hits"] = 7


@benchmark.register
def Broken(state):
    state.skip_with_error("no disk")
    while state:
        pass


if __name__ == "__main__":
    benchmark.main()
