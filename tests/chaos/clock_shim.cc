// This library is preloaded into a process under test. It adds an offset to the process's wall
// clock. The offset is a 64-bit count of nanoseconds in the file that the environment variable
// TAROT_CLOCK_FILE names. The offset may change at any time. The steady clock stays correct.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using Offset = std::atomic<std::int64_t>;

const Offset* MapOffset() {
  static Offset none = 0;
  const char* const path = std::getenv("TAROT_CLOCK_FILE");
  const int fd = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return &none;
  void* const memory = mmap(nullptr, sizeof(Offset), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  return memory == MAP_FAILED ? &none : static_cast<const Offset*>(memory);
}

int RealGettime(clockid_t id, timespec* out) {
  static const auto real =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  return real(id, out);
}

}  // namespace

extern "C" int clock_gettime(clockid_t id, timespec* out) noexcept {
  static const Offset* const offset = MapOffset();
  const int result = RealGettime(id, out);
  if (result != 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return result;
  const std::int64_t ns = out->tv_sec * 1'000'000'000 + out->tv_nsec + offset->load();
  out->tv_sec = ns / 1'000'000'000;
  out->tv_nsec = ns % 1'000'000'000;
  return 0;
}

extern "C" int gettimeofday(timeval* out, void*) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

extern "C" time_t time(time_t* out) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}
