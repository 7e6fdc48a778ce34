#include "fetch/sha256.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <openssl/evp.h>
#include <vector>

namespace dsnn {

std::string sha256_of_file(const std::filesystem::path& path) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  bool is_ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(fmt::format("{}: cannot open: {}", path.string(), std::strerror(errno)));
  }
  std::error_code ignored;
  const auto total = static_cast<std::int64_t>(std::filesystem::file_size(path, ignored));
  std::int64_t done = 0;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (is_ok && file) {
    report_progress("checking", done, total);
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto got = static_cast<std::size_t>(file.gcount());
    is_ok = EVP_DigestUpdate(context.get(), buffer.data(), got) == 1;
    done += file.gcount();
  }
  if (file.bad()) {
    throw Error(fmt::format("{}: cannot read: {}", path.string(), std::strerror(errno)));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  is_ok = is_ok && EVP_DigestFinal_ex(context.get(), digest.data(), &size) == 1;
  if (!is_ok) throw Error(fmt::format("{}: OpenSSL cannot compute its SHA-256", path.string()));
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace dsnn
