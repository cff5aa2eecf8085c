// Benchmarks with arguments, a throughput, a counter, and one that ends itself.
#include <benchmark/benchmark.h>
#include <numeric>
#include <vector>

static void Sum(benchmark::State &state) {
  std::vector<int> numbers(state.range(0), 1);
  for (auto _ : state) benchmark::DoNotOptimize(std::accumulate(numbers.begin(), numbers.end(), 0));
  state.SetBytesProcessed(state.iterations() * state.range(0) * sizeof(int));
}
BENCHMARK(Sum)->Arg(64)->Arg(4096);

static void Counted(benchmark::State &state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.iterations());
  state.counters["hits"] = 7;
}
BENCHMARK(Counted)->Unit(benchmark::kMicrosecond);

static void Broken(benchmark::State &state) { state.SkipWithError("no disk"); }
BENCHMARK(Broken);

BENCHMARK_MAIN();
