/*
 * Counts fsync and fdatasync, and slows them down on request. The benchmark preloads this library into the gate.
 *
 * The file named by FSYNC_SHIM_FILE holds three unsigned 64-bit numbers that both sides map: the number of fsyncs, the
 * number of fdatasyncs, and the extra microseconds of each. Without that file the library does nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct shared {
  _Atomic uint64_t fsyncs;
  _Atomic uint64_t fdatasyncs;
  _Atomic uint64_t delay_micros;
};

static struct shared *shared;
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
  real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  const char *file = getenv("FSYNC_SHIM_FILE");
  if (!file) return;
  int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *page = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (page != MAP_FAILED) shared = page;
}

/* The thread that waits for the disk sleeps, as on a slow disk. The others continue. */
static void wait_longer(void) {
  uint64_t micros = atomic_load(&shared->delay_micros);
  if (micros == 0) return;
  struct timespec rest = {(time_t)(micros / 1000000), (long)(micros % 1000000) * 1000};
  while (nanosleep(&rest, &rest) != 0) continue;
}

int fsync(int fd) {
  if (shared) {
    atomic_fetch_add(&shared->fsyncs, 1);
    wait_longer();
  }
  return real_fsync(fd);
}

int fdatasync(int fd) {
  if (shared) {
    atomic_fetch_add(&shared->fdatasyncs, 1);
    wait_longer();
  }
  return real_fdatasync(fd);
}
