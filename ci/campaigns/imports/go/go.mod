module example.org/sums

go 1.19
