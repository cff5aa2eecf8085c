/* Faults of a system, preloaded into processes: locks that fail, as on a network file system, a disk quota that is used
   up, and a clock that jumps. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* The quota of the files below ATTACK_QUOTA_BELOW is used up: a write to one of them ends with EDQUOT. */
static int is_over_quota(int file)
{
    const char *below = getenv("ATTACK_QUOTA_BELOW");
    char link[64], path[4096];
    if (below == NULL)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return strncmp(path, below, strlen(below)) == 0;
}

ssize_t write(int file, const void *bytes, size_t count)
{
    if (is_over_quota(file)) {
        errno = EDQUOT;
        return -1;
    }
    return syscall(SYS_write, file, bytes, count);
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
