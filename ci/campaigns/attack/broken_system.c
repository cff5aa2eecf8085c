/* Faults of a system, preloaded into processes: locks that fail, as on a network file system, and a clock that jumps. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : 0;
}

/* ATTACK_LOCK_ERROR is the error of each lock. */
int flock(int file, int operation)
{
    long error = number_in("ATTACK_LOCK_ERROR");
    if (error != 0 && (operation & LOCK_UN) == 0) {
        errno = (int)error;
        return -1;
    }
    return (int)syscall(SYS_flock, file, operation);
}

/* The clock jumps by ATTACK_CLOCK_SECONDS when it was read ATTACK_CLOCK_READS times. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static long reads;
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME && __sync_fetch_and_add(&reads, 1) >= number_in("ATTACK_CLOCK_READS"))
        now->tv_sec += number_in("ATTACK_CLOCK_SECONDS");
    return result;
}
