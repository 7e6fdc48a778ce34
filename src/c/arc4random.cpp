// Debian's static standard library calls a function that the C library has only since 2022. With
// this definition, a library for distribution also runs with older versions.
#include <unistd.h>

#include <cstdint>

extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
  static std::uint32_t last = 0;
  std::uint32_t number = 0;
  return ::getentropy(&number, sizeof number) == 0 ? number : ++last;
}
