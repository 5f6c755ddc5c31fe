/*
 * Preloaded into a gate's process by the tests of crashes and faults (docs/faults.md). The library
 *
 *   - writes every change of a file below FAULTS_ROOT to the journal FAULTS_JOURNAL, in the order of the changes;
 *   - lets the disk be full, lets syncs fail or do nothing, and moves the machine's clock, as the control file
 *     FAULTS_CONTROL says at the moment.
 *
 * A write is recorded before it is made, so a recorded write may be missing on the disk after a crash. A sync is
 * recorded twice: when it begins, because it only covers earlier writes, and when it returns, because only then may the
 * gate rely on it. The journal is opened for appending, and each record is one write. So records of several processes
 * and threads, and the marks of the test itself, are in the order of events.
 *
 * Only libc's own headers, so that the smallest compiler can build it: cc -shared -fPIC -o shim.so faults-shim.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* journal.ts has the same numbers. */
enum { OP_WRITE = 1, OP_TRUNCATE, OP_SYNC_BEGUN, OP_SYNC_DONE, OP_RENAME, OP_UNLINK, OP_CREATE, OP_MKDIR };
#define MAGIC 0x4a544c46u /* "FLTJ" */
#define LONGEST_PATH 1024
#define MOST_FDS 65536

/* control-file.ts has the same layout. */
struct control {
  int64_t clock_offset_ns;
  int32_t disk_full;
  int32_t swallow_syncs;
  int32_t fail_syncs;
  int32_t sync_delay_us;
};

struct header {
  uint32_t magic, op;
  int64_t offset; /* of a write; the new length of a truncation */
  uint32_t ticket;       /* pairs the two records of a sync: the thread's id */
  uint32_t path_length, other_length, data_length;
  uint32_t reserved[2];
};

static struct control still;
static volatile struct control *control = &still;
static int journal = -1;
static char root[LONGEST_PATH];
static size_t root_length;
/* 0: not checked since it was opened, 1: below the root, 2: somewhere else. */
static unsigned char places[MOST_FDS];

static int (*real_clock_gettime)(clockid_t, struct timespec *);

/* Runs at the first call of anything here, before there are threads, because not every compiler runs constructors. */
static void start(void) {
  static int started;
  const char *text = getenv("FAULTS_ROOT");
  if (started) return;
  started = 1;
  if (text && strlen(text) < sizeof root) strcpy(root, text);
  root_length = strlen(root);
  text = getenv("FAULTS_JOURNAL");
  if (text) journal = (int)syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  text = getenv("FAULTS_CONTROL");
  if (text) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, text, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0) {
      void *page = mmap(NULL, sizeof still, PROT_READ, MAP_SHARED, fd, 0);
      if (page != MAP_FAILED) control = page;
      syscall(SYS_close, fd);
    }
  }
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
}

/* ---- which files ---- */

/* SQLite rebuilds its -shm file after a crash: it is memory, not a file. */
static int is_below_root(const char *path) {
  size_t length = strlen(path);
  if (root_length == 0 || strncmp(path, root, root_length) != 0) return 0;
  if (path[root_length] != '/' && path[root_length] != 0) return 0;
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

/* The path of an open file; 0 when the file is not below the root. */
static int path_of(int fd, char *path) {
  char link[40], digits[12];
  int n = 0, value = fd;
  ssize_t length;
  start();
  if (root_length == 0 || fd < 0) return 0;
  if (fd < MOST_FDS && places[fd] == 2) return 0;
  strcpy(link, "/proc/self/fd/");
  do digits[n++] = (char)('0' + value % 10); while ((value /= 10) > 0);
  {
    char *end = link + strlen(link);
    while (n > 0) *end++ = digits[--n];
    *end = 0;
  }
  length = syscall(SYS_readlinkat, AT_FDCWD, link, path, LONGEST_PATH - 1);
  if (length > 0) path[length] = 0;
  if (length <= 0 || !is_below_root(path)) {
    if (fd < MOST_FDS) places[fd] = 2;
    return 0;
  }
  if (fd < MOST_FDS) places[fd] = 1;
  return 1;
}

static int absolute(const char *path, char *result) {
  size_t used = 0;
  start();
  if (path[0] != '/') {
    if (syscall(SYS_getcwd, result, LONGEST_PATH / 2) <= 0) return 0;
    used = strlen(result);
    result[used++] = '/';
  }
  if (used + strlen(path) >= LONGEST_PATH) return 0;
  strcpy(result + used, path);
  return is_below_root(result);
}

static void forget(int fd) {
  if (fd >= 0 && fd < MOST_FDS) places[fd] = 0;
}

/* ---- the journal ---- */

static void note(uint32_t op, const char *path, const char *other, int64_t offset, uint32_t ticket, const void *data,
                 size_t length) {
  struct header header;
  struct iovec parts[4];
  int kept = errno;
  if (journal < 0) return;
  header.magic = MAGIC;
  header.op = op;
  header.offset = offset;
  header.ticket = ticket;
  header.path_length = (uint32_t)strlen(path);
  header.other_length = other ? (uint32_t)strlen(other) : 0;
  header.data_length = (uint32_t)length;
  header.reserved[0] = header.reserved[1] = 0;
  parts[0].iov_base = &header;
  parts[0].iov_len = sizeof header;
  parts[1].iov_base = (void *)path;
  parts[1].iov_len = header.path_length;
  parts[2].iov_base = (void *)other;
  parts[2].iov_len = header.other_length;
  parts[3].iov_base = (void *)data;
  parts[3].iov_len = length;
  /* A journal with a gap proves nothing, so the process must end. */
  if (syscall(SYS_writev, journal, parts, 4) != (long)(sizeof header + header.path_length + header.other_length + length))
    abort();
  errno = kept;
}

/* ---- writing ---- */

/* A full disk refuses writes that make a file longer. Existing data can be overwritten. */
static int is_refused(int fd, int64_t end) {
  struct stat state;
  if (!control->disk_full || fstat(fd, &state) != 0 || end <= state.st_size) return 0;
  errno = ENOSPC;
  return 1;
}

static int64_t place_of_write(int fd) {
  struct stat state;
  int flags = (int)syscall(SYS_fcntl, fd, F_GETFL, 0);
  if (flags >= 0 && (flags & O_APPEND) && fstat(fd, &state) == 0) return state.st_size;
  return (int64_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
}

ssize_t write(int fd, const void *data, size_t length) {
  char path[LONGEST_PATH];
  if (path_of(fd, path)) {
    int64_t offset = place_of_write(fd);
    if (is_refused(fd, offset + (int64_t)length)) return -1;
    note(OP_WRITE, path, NULL, offset, 0, data, length);
  }
  return syscall(SYS_write, fd, data, length);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  char path[LONGEST_PATH];
  if (path_of(fd, path)) {
    if (is_refused(fd, offset + (int64_t)length)) return -1;
    note(OP_WRITE, path, NULL, offset, 0, data, length);
  }
  return syscall(SYS_pwrite64, fd, data, length, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) { return pwrite64(fd, data, length, offset); }

static ssize_t write_parts(int fd, const struct iovec *parts, int count, int64_t offset, int moves) {
  char path[LONGEST_PATH];
  ssize_t all = 0;
  int n;
  if (!path_of(fd, path))
    return moves ? syscall(SYS_writev, fd, parts, count) : syscall(SYS_pwritev, fd, parts, count, offset, 0);
  for (n = 0; n < count; n++) {
    ssize_t written = moves ? write(fd, parts[n].iov_base, parts[n].iov_len)
                            : pwrite64(fd, parts[n].iov_base, parts[n].iov_len, offset + all);
    if (written < 0) return all > 0 ? all : written;
    all += written;
    if ((size_t)written < parts[n].iov_len) break;
  }
  return all;
}

ssize_t writev(int fd, const struct iovec *parts, int count) { return write_parts(fd, parts, count, 0, 1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return write_parts(fd, parts, count, offset, 0);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return write_parts(fd, parts, count, offset, 0);
}

int ftruncate64(int fd, off64_t length) {
  char path[LONGEST_PATH];
  if (path_of(fd, path)) {
    if (is_refused(fd, length)) return -1;
    note(OP_TRUNCATE, path, NULL, length, 0, NULL, 0);
  }
  return (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

/* ---- syncing ---- */

static int sync_file(int fd, long number) {
  char path[LONGEST_PATH];
  uint32_t ticket;
  int result;
  if (!path_of(fd, path)) return (int)syscall(number, fd);
  if (control->sync_delay_us > 0) {
    struct timespec pause;
    pause.tv_sec = control->sync_delay_us / 1000000;
    pause.tv_nsec = control->sync_delay_us % 1000000 * 1000L;
    nanosleep(&pause, NULL);
  }
  if (control->fail_syncs) {
    errno = EIO;
    return -1;
  }
  if (control->swallow_syncs) return 0;
  /* A thread runs one sync at a time. */
  ticket = (uint32_t)syscall(SYS_gettid);
  note(OP_SYNC_BEGUN, path, NULL, 0, ticket, NULL, 0);
  result = (int)syscall(number, fd);
  if (result == 0) note(OP_SYNC_DONE, path, NULL, 0, ticket, NULL, 0);
  return result;
}

int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

/* ---- names ---- */

static int open_at(int folder, const char *name, int flags, mode_t mode) {
  char path[LONGEST_PATH];
  int ours = (flags & (O_CREAT | O_TRUNC)) && folder == AT_FDCWD && absolute(name, path);
  int was_there = ours && syscall(SYS_faccessat, AT_FDCWD, name, F_OK) == 0;
  int fd;
  if (ours && !was_there && control->disk_full) {
    errno = ENOSPC;
    return -1;
  }
  if (ours && !was_there && (flags & O_CREAT)) note(OP_CREATE, path, NULL, 0, 0, NULL, 0);
  if (ours && was_there && (flags & O_TRUNC)) note(OP_TRUNCATE, path, NULL, 0, 0, NULL, 0);
  fd = (int)syscall(SYS_openat, folder, name, flags, mode);
  forget(fd);
  return fd;
}

#define MODE_ARGUMENT \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = (mode_t)va_arg(rest, int); \
    va_end(rest); \
  }

int open(const char *name, int flags, ...) { MODE_ARGUMENT return open_at(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) { MODE_ARGUMENT return open_at(AT_FDCWD, name, flags, mode); }
int openat(int folder, const char *name, int flags, ...) { MODE_ARGUMENT return open_at(folder, name, flags, mode); }
int openat64(int folder, const char *name, int flags, ...) { MODE_ARGUMENT return open_at(folder, name, flags, mode); }

int close(int fd) {
  forget(fd);
  return (int)syscall(SYS_close, fd);
}

int rename(const char *from, const char *to) {
  char path[LONGEST_PATH], other[LONGEST_PATH];
  if (absolute(from, path) && absolute(to, other)) note(OP_RENAME, path, other, 0, 0, NULL, 0);
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *name) {
  char path[LONGEST_PATH];
  if (absolute(name, path) && syscall(SYS_faccessat, AT_FDCWD, name, F_OK) == 0)
    note(OP_UNLINK, path, NULL, 0, 0, NULL, 0);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, name, 0);
}

int mkdir(const char *name, mode_t mode) {
  char path[LONGEST_PATH];
  if (absolute(name, path) && syscall(SYS_faccessat, AT_FDCWD, name, F_OK) != 0)
    note(OP_MKDIR, path, NULL, 0, 0, NULL, 0);
  return (int)syscall(SYS_mkdirat, AT_FDCWD, name, mode);
}

/* ---- the clock ---- */

int clock_gettime(clockid_t which, struct timespec *at) {
  int result;
  start();
  result = real_clock_gettime ? real_clock_gettime(which, at) : (int)syscall(SYS_clock_gettime, which, at);
  if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) {
    int64_t ns = (int64_t)at->tv_sec * 1000000000 + at->tv_nsec + control->clock_offset_ns;
    at->tv_sec = (time_t)(ns / 1000000000);
    at->tv_nsec = (long)(ns % 1000000000);
  }
  return result;
}

int gettimeofday(struct timeval *at, void *zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
