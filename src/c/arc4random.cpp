// Debian's static standard library takes random numbers from a function that the C library has
// since 2022. With this one in its place, a library for others to install runs with older ones.
#include <unistd.h>

#include <cstdint>

extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
  static std::uint32_t last = 0;
  std::uint32_t number = 0;
  return ::getentropy(&number, sizeof number) == 0 ? number : ++last;
}
