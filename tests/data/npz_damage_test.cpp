#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "data/npy_bytes.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <random>

// Archives that are truncated, with flipped bytes or false sizes: an Error or the correct values,
// never a crash, a hang or unlimited memory.

namespace dsnn {
namespace {

using testing::contains;
using testing::ends_with;
using testing::message_of;
using testing::npy_bytes;
using testing::npy_dictionary;
using testing::raw_bytes;
using testing::read_text;
using testing::TempDir;
using testing::write_text;
using testing::write_zip;

constexpr int kMethods[] = {ZIP_CM_STORE, ZIP_CM_DEFLATE};

std::vector<std::int64_t> some_numbers() {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < 40; ++i) numbers.push_back(i * i * i % 17);
  return numbers;
}

class NpzDamageTest : public ::testing::Test {
 protected:
  // The bytes of an archive with the array 'a' [40] and the array 'b' [3, 2].
  std::string sound_archive(int method) {
    const std::string a = npy_bytes(npy_dictionary("<i8", "(40,)"), raw_bytes(some_numbers()));
    const std::string b = npy_bytes(npy_dictionary(">f4", "(3, 2)", "True"), std::string(24, '\0'));
    return read_text(write_zip(dir_ / "sound.npz", {{"a.npy", a}, {"b.npy", b}}, method));
  }

  // Whether every array can be read. Throws only exceptions other than Error.
  bool can_be_read(const std::string& bytes) {
    write_text(dir_ / "damaged.npz", bytes);
    try {
      const NpzReader reader(dir_ / "damaged.npz");
      for (const std::string& name : reader.names()) {
        reader.info(name);
        reader.read<std::complex<double>>(name);
      }
      return reader.contains("a") && reader.contains("b");
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), "damaged.npz: "));
      return false;
    }
  }

  std::string error_of(const std::string& bytes) {
    write_text(dir_ / "damaged.npz", bytes);
    return message_of<Error>([&] { NpzReader(dir_ / "damaged.npz").read<std::int64_t>("a"); });
  }

  TempDir dir_;
};

// Sets the four little-endian bytes at `offset` of the first entry of the archive's directory.
std::string with_directory_field(std::string bytes, std::size_t offset, std::uint32_t value) {
  const std::size_t entry = bytes.find("PK\x01\x02");
  for (std::size_t i = 0; i < 4; ++i) {
    bytes[entry + offset + i] = static_cast<char>((value >> (8 * i)) & 0xff);
  }
  return bytes;
}
constexpr std::size_t kChecksum = 16, kPackedSize = 20, kUnpackedSize = 24;

TEST_F(NpzDamageTest, RefusesEveryTruncation) {
  for (const int method : kMethods) {
    const std::string bytes = sound_archive(method);
    ASSERT_TRUE(can_be_read(bytes));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(can_be_read(bytes.substr(0, length))) << "cut to " << length << " bytes";
    }
  }
}

TEST_F(NpzDamageTest, FindsEveryChangedByteOfTheNumbers) {
  const std::string sound = sound_archive(ZIP_CM_STORE);
  const std::size_t numbers = sound.find(raw_bytes(some_numbers()));
  ASSERT_NE(numbers, std::string::npos);
  for (std::size_t i = 0; i < 8 * some_numbers().size(); ++i) {
    std::string bytes = sound;
    bytes[numbers + i] = static_cast<char>(bytes[numbers + i] ^ 0x01);
    EXPECT_TRUE(ends_with(error_of(bytes), "array 'a' cannot be read: CRC error"));
  }
}

TEST_F(NpzDamageTest, SurvivesRandomChanges) {
  std::mt19937 random(20240607);
  for (const int method : kMethods) {
    const std::string sound = sound_archive(method);
    int num_readable = 0;
    for (int trial = 0; trial < 3000; ++trial) {
      std::string bytes = sound;
      const unsigned num_changes = 1 + random() % 4;
      for (unsigned i = 0; i < num_changes; ++i) {
        bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
      }
      SCOPED_TRACE(trial);
      ASSERT_NO_THROW(num_readable += can_be_read(bytes) ? 1 : 0);
    }
    // Some changes, for example of dates, are harmless; most are not.
    EXPECT_GT(num_readable, 0);
    EXPECT_LT(num_readable, 1500);
  }
}

TEST_F(NpzDamageTest, SurvivesRandomBytesAfterTheMagic) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 500; ++trial) {
    std::string bytes = "PK\x03\x04";
    while (bytes.size() < 200) bytes.push_back(static_cast<char>(random() % 256));
    bytes += std::string("PK\x05\x06\0\0\0\0", 8);
    while (bytes.size() < 226) bytes.push_back(static_cast<char>(random() % 4));
    ASSERT_NO_THROW(can_be_read(bytes));
  }
}

TEST_F(NpzDamageTest, RefusesMoreNumbersThanTheMemberHolds) {
  const auto error_for = [&](const std::string& shape) {
    const std::string npy = npy_bytes(npy_dictionary("<i8", shape), std::string(40, '\0'));
    return error_of(read_text(write_zip(dir_ / "lie.npz", {{"a.npy", npy}})));
  };
  EXPECT_TRUE(ends_with(error_for("(6,)"),
                        "damaged.npz: array 'a' is truncated (the header declares 48 bytes, the "
                        "archive contains 40)"));
  EXPECT_TRUE(ends_with(error_for("(4,)"),
                        "is damaged (the header declares 32 bytes, the archive contains 40)"));
  EXPECT_TRUE(contains(error_for("(1152921504606846975,)"),
                       "is truncated (the header declares 9223372036854775800 bytes"));
  EXPECT_TRUE(ends_with(error_for("(1152921504606846976,)"),
                        "has the impossible shape [1152921504606846976]"));
  // The product is 0 in 64 bits.
  EXPECT_TRUE(contains(error_for("(4294967296, 4294967296, 5)"), "has the impossible shape"));
}

TEST_F(NpzDamageTest, RefusesSizesThatTheFileCannotHold) {
  const std::string npy = npy_bytes(npy_dictionary("<i8", "(536870000,)"), std::string(40, '\0'));
  const std::string stored = read_text(write_zip(dir_ / "s.npz", {{"a.npy", npy}}));
  const std::string deflated =
      read_text(write_zip(dir_ / "d.npz", {{"a.npy", npy}}, ZIP_CM_DEFLATE));
  const auto promised = static_cast<std::uint32_t>(npy.size() - 40 + 8 * 536870000ull);
  const std::string expected = "is damaged (declares 4294960";
  EXPECT_TRUE(contains(error_of(with_directory_field(stored, kUnpackedSize, promised)), expected));
  EXPECT_TRUE(
      contains(error_of(with_directory_field(deflated, kUnpackedSize, promised)), expected));
  const std::string both = with_directory_field(stored, kUnpackedSize, promised);
  EXPECT_TRUE(contains(error_of(with_directory_field(both, kPackedSize, promised)), expected));
}

// The declared size is plausible, so reading starts; then there are too few values.
TEST_F(NpzDamageTest, FindsAStreamThatEndsEarly) {
  const std::string npy = npy_bytes(npy_dictionary("<i8", "(1000,)"), std::string(40, '\0'));
  const auto promised = static_cast<std::uint32_t>(npy.size() - 40 + 8000);
  for (const int method : kMethods) {
    std::string bytes = read_text(write_zip(dir_ / "e.npz", {{"a.npy", npy}}, method));
    bytes = with_directory_field(bytes, kUnpackedSize, promised);
    if (method == ZIP_CM_STORE) {
      bytes = with_directory_field(bytes, kPackedSize, promised).append(9000, '\0');
    }
    EXPECT_TRUE(contains(error_of(bytes), "damaged.npz: "));
  }
}

TEST_F(NpzDamageTest, FindsAStreamThatGoesOn) {
  const std::string npy = npy_bytes(npy_dictionary("<i8", "(5,)"), std::string(8000, '\0'));
  const std::string bytes = read_text(write_zip(dir_ / "m.npz", {{"a.npy", npy}}, ZIP_CM_DEFLATE));
  const auto promised = static_cast<std::uint32_t>(npy.size() - 8000 + 40);
  EXPECT_TRUE(contains(error_of(with_directory_field(bytes, kUnpackedSize, promised)),
                       "array 'a' is damaged"));
}

TEST_F(NpzDamageTest, FindsAWrongChecksumOfAnArrayWithoutNumbers) {
  const std::string npy = npy_bytes(npy_dictionary("<i8", "(0,)"), "");
  const std::string bytes = read_text(write_zip(dir_ / "c.npz", {{"a.npy", npy}}));
  EXPECT_TRUE(contains(error_of(with_directory_field(bytes, kChecksum, 1)), "CRC error"));
}

// Zeros reach the largest compression ratio of deflate, which is legitimate.
TEST_F(NpzDamageTest, ReadsTheMostCompressibleArray) {
  const std::string npy =
      npy_bytes(npy_dictionary("<i8", "(2097152,)"), std::string(std::size_t{16} << 20, '\0'));
  const NpzReader reader(write_zip(dir_ / "zeros.npz", {{"a.npy", npy}}, ZIP_CM_DEFLATE));
  EXPECT_LT(std::filesystem::file_size(dir_ / "zeros.npz"), 17000u);
  EXPECT_EQ(reader.read<std::int64_t>("a").data, std::vector<std::int64_t>(2097152));
}

TEST_F(NpzDamageTest, RefusesOtherCompression) {
  constexpr std::size_t kMethod = 10;
  std::string bytes = sound_archive(ZIP_CM_STORE);
  bytes[bytes.find("PK\x01\x02") + kMethod] = ZIP_CM_BZIP2;
  EXPECT_TRUE(
      ends_with(error_of(bytes), "is compressed by method 12, expected 0 (stored) or 8 (deflate)"));
}

// --- text ---

TEST_F(NpzDamageTest, RefusesTextThatIsNone) {
  const auto error_of = [&](const std::string& dtype, const std::string& shape,
                            const std::string& data) {
    write_zip(dir_ / "text.npz", {{"t.npy", npy_bytes(npy_dictionary(dtype, shape), data)}});
    return message_of<Error>([&] { NpzReader(dir_ / "text.npz").read_strings("t"); });
  };
  EXPECT_TRUE(ends_with(error_of("<U3", "(2, 1)", std::string(24, 'a')),
                        "array 't' has shape [2, 1], expected one dimension"));
  EXPECT_TRUE(ends_with(error_of("<f8", "(1,)", std::string(8, '\0')),
                        "array 't' has dtype <f8, expected integers"));
  EXPECT_TRUE(ends_with(error_of("|O", "(1,)", "x"), "has dtype |O, expected strings or integers"));
  // With zero width there could be any number of them.
  EXPECT_TRUE(
      contains(error_of("<U0", "(1000000000000000000,)", ""), "expected strings or integers"));
  EXPECT_TRUE(contains(error_of("<U4294967296", "(1,)", ""), "expected strings or integers"));
  EXPECT_TRUE(contains(error_of("<U3", "(3,)", std::string(24, 'a')),
                       "is truncated (the header declares 36 bytes, the archive contains 24)"));
  EXPECT_TRUE(contains(error_of("|S7", "(9000000000000000000,)", "abc"), "impossible shape"));
}

TEST_F(NpzDamageTest, TakesAnyBytesForText) {
  write_zip(
      dir_ / "text.npz",
      {{"t.npy", npy_bytes(npy_dictionary("<U2", "(2,)"), std::string(16, '\xff'))},
       {"s.npy", npy_bytes(npy_dictionary("|S4", "(2,)"), std::string("a\0b\0\0\0\0\0", 8))}});
  const NpzReader npz(dir_ / "text.npz");
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(npz.read_strings("t"), (std::vector<std::string>(2, replacement + replacement)));
  EXPECT_EQ(npz.read_strings("s"), (std::vector<std::string>{std::string("a\0b", 3), ""}));
}

}  // namespace
}  // namespace dsnn
