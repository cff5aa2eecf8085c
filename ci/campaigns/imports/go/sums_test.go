package sums

import (
	"fmt"
	"testing"
)

var sink int

func BenchmarkSum(b *testing.B) {
	for _, size := range []int{64, 4096} {
		numbers := make([]int, size)
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			b.SetBytes(int64(8 * size))
			for i := 0; i < b.N; i++ {
				for _, number := range numbers {
					sink += number
				}
			}
		})
	}
}

func BenchmarkAllocate(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += len(make([]byte, 512+i%2))
	}
	b.ReportMetric(3, "misses/op")
}
