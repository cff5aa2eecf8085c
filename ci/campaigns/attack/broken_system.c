/* Faults of a system, preloaded into processes: locks that fail, as on a network file system, a disk quota that is used
   up, a clock that jumps, and a kill in the middle of a change. Each fault that happened is noted in ATTACK_NOTES. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : 0;
}

/* Adds a line. By system calls alone: the functions are those of this file. */
static void note(const char *what)
{
    const char *path = getenv("ATTACK_NOTES");
    if (path == NULL)
        return;
    int before = errno;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
        syscall(SYS_write, file, what, strlen(what));
        syscall(SYS_close, file);
    }
    errno = before;
}

/* ATTACK_LOCK_ERROR is the error of each lock. */
int flock(int file, int operation)
{
    long error = number_in("ATTACK_LOCK_ERROR");
    if (error != 0 && (operation & LOCK_UN) == 0) {
        note("no lock\n");
        errno = (int)error;
        return -1;
    }
    return (int)syscall(SYS_flock, file, operation);
}

/* Whether a path begins with what a variable says. */
static int is_below(const char *path, const char *variable)
{
    const char *below = getenv(variable);
    return below != NULL && strncmp(path, below, strlen(below)) == 0;
}

/* The path of an open file, empty if it has none. */
static const char *path_of(int file, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    return path;
}

/* Whether this change of a path below ATTACK_CHANGES_BELOW is the one of number ATTACK_KILL_AT, at which the process
   dies. Only the process that the campaign started counts its changes. */
static int dies_at(const char *path)
{
    static long changes;
    if (!is_below(path, "ATTACK_CHANGES_BELOW") || getppid() != number_in("ATTACK_PARENT"))
        return 0;
    note("change\n");
    return __sync_add_and_fetch(&changes, 1) == number_in("ATTACK_KILL_AT");
}

static void die(void)
{
    note("killed\n");
    kill(getpid(), SIGKILL);
    pause();
}

static void die_at(const char *path)
{
    if (dies_at(path))
        die();
}

static void die_at_file(int file)
{
    char path[PATH_MAX];
    if (getenv("ATTACK_CHANGES_BELOW") != NULL)
        die_at(path_of(file, path));
}

/* The quota of the files below ATTACK_QUOTA_BELOW is used up: a write to one of them ends with EDQUOT. Of the write at
   which the process dies, half is written. */
ssize_t write(int file, const void *bytes, size_t count)
{
    char path[PATH_MAX];
    int is_asked = getenv("ATTACK_QUOTA_BELOW") != NULL || getenv("ATTACK_CHANGES_BELOW") != NULL;
    if (is_asked && is_below(path_of(file, path), "ATTACK_QUOTA_BELOW")) {
        note("no quota\n");
        errno = EDQUOT;
        return -1;
    }
    if (is_asked && dies_at(path)) {
        syscall(SYS_write, file, bytes, count / 2);
        die();
    }
    return syscall(SYS_write, file, bytes, count);
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
    if (flags & (O_CREAT | O_TRUNC))
        die_at(path);
    return (int)syscall(SYS_openat, directory, path, flags, mode);
}

#define MODE_OF(flags, last)                                                                                               \
    mode_t mode = 0;                                                                                                       \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {                                                           \
        va_list further;                                                                                                   \
        va_start(further, last);                                                                                           \
        mode = va_arg(further, mode_t);                                                                                    \
        va_end(further);                                                                                                   \
    }

int open(const char *path, int flags, ...)
{
    MODE_OF(flags, flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_OF(flags, flags)
    return open_at(AT_FDCWD, path, flags, mode);
}

int rename(const char *old, const char *path)
{
    die_at(path);
    return (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, path, 0);
}

int unlink(const char *path)
{
    die_at(path);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int mkdir(const char *path, mode_t mode)
{
    die_at(path);
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int ftruncate64(int file, off64_t length)
{
    die_at_file(file);
    return (int)syscall(SYS_ftruncate, file, length);
}

int fsync(int file)
{
    die_at_file(file);
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    die_at_file(file);
    return (int)syscall(SYS_fdatasync, file);
}

/* The clock jumps by ATTACK_CLOCK_SECONDS when it was read ATTACK_CLOCK_READS times. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static long reads;
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME && getenv("ATTACK_CLOCK_SECONDS") != NULL) {
        long before = __sync_fetch_and_add(&reads, 1), until_jump = number_in("ATTACK_CLOCK_READS");
        if (before == until_jump)
            note("jump\n");
        if (before >= until_jump)
            now->tv_sec += number_in("ATTACK_CLOCK_SECONDS");
    }
    return result;
}
