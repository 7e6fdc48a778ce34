#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "data/npy_bytes.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dsnn {
namespace {

using testing::contains;
using testing::ends_with;
using testing::message_of;
using testing::npy_bytes;
using testing::npy_dictionary;
using testing::raw_bytes;
using testing::TempDir;
using testing::write_text;
using testing::write_zip;
using Complex = std::complex<double>;
using Shape = std::vector<std::int64_t>;

class NpzReaderTest : public ::testing::Test {
 protected:
  // An archive with one array 'a'.
  NpzReader archive_of(const std::string& npy, int method = ZIP_CM_STORE) {
    return NpzReader(write_zip(dir_ / "one.npz", {{"a.npy", npy}}, method));
  }
  template <class T>
  Array<T> read_as(const std::string& npy, int method = ZIP_CM_STORE) {
    return archive_of(npy, method).read<T>("a");
  }
  template <class T>
  std::string error_of(const std::string& npy) {
    const std::string message = message_of<Error>([&] { read_as<T>(npy); });
    EXPECT_TRUE(contains(message, "one.npz: array 'a' "));
    return message;
  }
  std::string open_error(const std::filesystem::path& path) {
    return message_of<Error>([&] { NpzReader reader(path); });
  }

  TempDir dir_;
};

template <class S>
std::string vector_of(const std::string& dtype, const std::vector<S>& numbers,
                      std::endian order = std::endian::little) {
  return npy_bytes(npy_dictionary(dtype, fmt::format("({},)", numbers.size())),
                   raw_bytes(numbers, order));
}

TEST_F(NpzReaderTest, ReadsEveryIntegerTypeInBothByteOrders) {
  const auto check = [&]<class S>(S, const std::string& name) {
    const std::string little = fmt::format("<{}", name), big = fmt::format(">{}", name);
    const std::vector<S> numbers = {0, 1, 100, std::numeric_limits<S>::min()};
    const std::vector<std::int64_t> expected(numbers.begin(), numbers.end());
    EXPECT_EQ(read_as<std::int64_t>(vector_of(little, numbers)).data, expected) << name;
    EXPECT_EQ(read_as<std::int64_t>(vector_of(big, numbers, std::endian::big)).data, expected)
        << name;
    const std::vector<double> reals(numbers.begin(), numbers.end());
    EXPECT_EQ(read_as<double>(vector_of(little, numbers)).data, reals) << name;
  };
  check(std::int8_t{}, "i1");
  check(std::int16_t{}, "i2");
  check(std::int32_t{}, "i4");
  check(std::int64_t{}, "i8");
  check(std::uint8_t{}, "u1");
  check(std::uint16_t{}, "u2");
  check(std::uint32_t{}, "u4");
  check(std::uint64_t{}, "u8");
}

TEST_F(NpzReaderTest, ReadsFloatsAndComplexNumbersInBothByteOrders) {
  const std::vector<float> singles = {0.5f, -3.25f};
  const std::vector<double> doubles = {0.1, -1e300};
  EXPECT_EQ(read_as<double>(vector_of("<f4", singles)).data, (std::vector<double>{0.5, -3.25}));
  EXPECT_EQ(read_as<double>(vector_of(">f4", singles, std::endian::big)).data,
            (std::vector<double>{0.5, -3.25}));
  EXPECT_EQ(read_as<double>(vector_of("<f8", doubles)).data, doubles);
  EXPECT_EQ(read_as<double>(vector_of(">f8", doubles, std::endian::big)).data, doubles);
  EXPECT_EQ(read_as<float>(vector_of("<f8", std::vector{0.1})).data, (std::vector<float>{0.1f}));
  EXPECT_EQ(read_as<Complex>(vector_of("<f8", doubles)).data,
            (std::vector<Complex>{Complex(0.1), Complex(-1e300)}));

  // The parts of a complex number are byte-swapped separately.
  const std::string parts = raw_bytes(std::vector{1.5, -2.5}, std::endian::big);
  EXPECT_EQ(read_as<Complex>(npy_bytes(npy_dictionary(">c16", "(1,)"), parts)).data,
            (std::vector<Complex>{Complex(1.5, -2.5)}));
  EXPECT_EQ(read_as<Complex>(npy_bytes(npy_dictionary("<c8", "(1,)"), raw_bytes(singles))).data,
            (std::vector<Complex>{Complex(0.5, -3.25)}));
}

TEST_F(NpzReaderTest, ReadsBooleansAsAnything) {
  const std::string npy = vector_of("|b1", std::vector<std::uint8_t>{1, 0, 1});
  EXPECT_EQ(read_as<std::uint8_t>(npy).data, (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(read_as<std::int64_t>(npy).data, (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_EQ(read_as<float>(npy).data, (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(read_as<Complex>(npy).data, (std::vector<Complex>{Complex(1), Complex(0), Complex(1)}));
}

TEST_F(NpzReaderTest, ReadsIntegersAsBooleansOnlyIfTheyAreZeroOrOne) {
  EXPECT_EQ(read_as<std::uint8_t>(vector_of("<i8", std::vector<std::int64_t>{1, 0})).data,
            (std::vector<std::uint8_t>{1, 0}));
  EXPECT_TRUE(ends_with(error_of<std::uint8_t>(vector_of("<i8", std::vector<std::int64_t>{1, -1})),
                        "array 'a' contains -1, expected 0 or 1"));
  // 256 is 0 when truncated to a byte.
  EXPECT_TRUE(ends_with(error_of<std::uint8_t>(vector_of("<u2", std::vector<std::uint16_t>{256})),
                        "contains 256, expected 0 or 1"));
  EXPECT_TRUE(ends_with(error_of<std::uint8_t>(vector_of("|b1", std::vector<std::uint8_t>{2})),
                        "contains 2, expected 0 or 1"));
}

TEST_F(NpzReaderTest, RefusesUnsignedNumbersBeyondInt64) {
  const auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const std::string fits = vector_of("<u8", std::vector<std::uint64_t>{largest});
  EXPECT_EQ(read_as<std::int64_t>(fits).data,
            (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()}));
  const std::string beyond = vector_of("<u8", std::vector<std::uint64_t>{largest + 1});
  EXPECT_TRUE(contains(error_of<std::int64_t>(beyond), "contains 9223372036854775808"));
  EXPECT_EQ(read_as<double>(beyond).data, (std::vector<double>{std::ldexp(1.0, 63)}));
}

TEST_F(NpzReaderTest, NeverMakesIntegersOfFloatsOrRealsOfComplex) {
  const std::string real = vector_of("<f8", std::vector{1.0});
  const std::string complex = npy_bytes(npy_dictionary("<c16", "()"), std::string(16, '\0'));
  EXPECT_TRUE(ends_with(error_of<std::int64_t>(real), "has dtype <f8, expected integers"));
  EXPECT_TRUE(ends_with(error_of<std::uint8_t>(real), "has dtype <f8, expected booleans"));
  EXPECT_TRUE(ends_with(error_of<std::int64_t>(complex), "has dtype <c16, expected integers"));
  EXPECT_TRUE(ends_with(error_of<double>(complex), "has dtype <c16, expected real numbers"));
  EXPECT_TRUE(ends_with(error_of<float>(complex), "has dtype <c16, expected real numbers"));
}

TEST_F(NpzReaderTest, RefusesOtherTypes) {
  for (const std::string dtype : {"<f2", "<f16", "<U5", "|S3", "<M8[ns]", "|V8", "|i8", "i8", ""}) {
    EXPECT_TRUE(
        ends_with(error_of<double>(npy_bytes(npy_dictionary(dtype, "(1,)"), std::string(8, '\0'))),
                  "has dtype " + dtype + ", which is not supported"));
  }
  EXPECT_TRUE(ends_with(error_of<double>(npy_bytes(npy_dictionary("|O", "(1,)"), "pickle")),
                        "contains pickled Python objects, which are not supported"));
  const std::string records = "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,)}";
  EXPECT_TRUE(
      contains(error_of<double>(npy_bytes(records, std::string(8, '\0'))), "structured dtype"));
}

TEST_F(NpzReaderTest, BringsFortranOrderToCOrder) {
  // The array counts 0 .. 23 in C order; in the file the first index runs fastest.
  std::vector<std::int32_t> stored;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) stored.push_back((i * 3 + j) * 4 + k);
    }
  }
  const auto array = read_as<std::int64_t>(
      npy_bytes(npy_dictionary("<i4", "(2, 3, 4)", "True"), raw_bytes(stored)));
  EXPECT_EQ(array.shape, (Shape{2, 3, 4}));
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(array.data[i], static_cast<std::int64_t>(i));

  const auto vector =
      read_as<std::int64_t>(npy_bytes(npy_dictionary("<i4", "(24,)", "True"), raw_bytes(stored)));
  EXPECT_EQ(vector.data[1], stored[1]);
}

// More than one chunk, so that the conversion must continue where it stopped.
TEST_F(NpzReaderTest, ConvertsLargeArraysChunkByChunk) {
  constexpr std::int64_t kRows = 700, kColumns = 500;
  std::vector<double> stored;
  for (std::int64_t j = 0; j < kColumns; ++j) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      stored.push_back(static_cast<double>(i * kColumns + j));
    }
  }
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    const auto array = read_as<float>(
        npy_bytes(npy_dictionary("<f8", "(700, 500)", "True"), raw_bytes(stored)), method);
    ASSERT_EQ(array.data.size(), stored.size());
    for (std::size_t i = 0; i < array.data.size(); ++i) {
      ASSERT_EQ(array.data[i], static_cast<float>(i));
    }
  }
}

TEST_F(NpzReaderTest, ReadsArraysWithoutAxesOrWithoutNumbers) {
  const auto scalar = read_as<std::int64_t>(
      npy_bytes(npy_dictionary("<i8", "()"), raw_bytes(std::vector<std::int64_t>{7})));
  EXPECT_EQ(scalar.shape, Shape{});
  EXPECT_EQ(scalar.data, (std::vector<std::int64_t>{7}));
  const auto empty = read_as<double>(npy_bytes(npy_dictionary("<f8", "(0, 2)"), ""));
  EXPECT_EQ(empty.shape, (Shape{0, 2}));
  EXPECT_TRUE(empty.data.empty());
  const std::string huge = "(4611686018427387904, 0, 4611686018427387904)";
  EXPECT_TRUE(read_as<double>(npy_bytes(npy_dictionary("<f8", huge, "True"), "")).data.empty());
}

TEST_F(NpzReaderTest, ReadsAllVersionsAndSpellingsOfTheHeader) {
  const std::string data = raw_bytes(std::vector<std::int64_t>{5, 6});
  const std::string plain = npy_dictionary("<i8", "(2,)");
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(read_as<std::int64_t>(npy_bytes(plain, data, version)).data,
              (std::vector<std::int64_t>{5, 6}));
  }
  for (const std::string dictionary :
       {"{\"shape\":(2,),\"descr\":\"<i8\",\"fortran_order\":False}",
        "{ 'fortran_order' : False , 'shape' : ( 2L , ) , 'descr' : '<i8' , }   \n",
        "{'descr': '=i8', 'fortran_order': False, 'shape': (2)}"}) {
    EXPECT_EQ(read_as<std::int64_t>(npy_bytes(dictionary, data)).data,
              (std::vector<std::int64_t>{5, 6}))
        << dictionary;
  }
}

TEST_F(NpzReaderTest, RefusesMalformedHeaders) {
  for (const std::string dictionary :
       {"", "{", "{}", "[]", "{'descr': '<i8', 'fortran_order': False}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<i8', 'descr': '<i8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<i8', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<i8, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1,)} more"}) {
    EXPECT_TRUE(contains(error_of<std::int64_t>(npy_bytes(dictionary, std::string(8, '\0'))),
                         "has a header that "))
        << dictionary;
  }
  std::string many_axes = "(";
  for (int i = 0; i < 65; ++i) many_axes += "1, ";
  EXPECT_TRUE(
      ends_with(error_of<double>(npy_bytes(npy_dictionary("<f8", many_axes + ")"), "12345678")),
                "too many dimensions"));
  EXPECT_TRUE(ends_with(error_of<double>("not at all an array"), "is not a NumPy array"));
  EXPECT_TRUE(contains(error_of<double>(npy_bytes("{}", "", 4)), "format version 4.0"));
  EXPECT_TRUE(ends_with(error_of<double>("\x93NUM"), "is truncated within its header"));
  EXPECT_TRUE(ends_with(error_of<double>(""), "is truncated within its header"));
  const std::string long_header = npy_bytes(std::string(2 << 20, ' '), "", 2);
  EXPECT_TRUE(contains(error_of<double>(long_header), "has a header of 2097152 bytes"));
}

TEST_F(NpzReaderTest, ListsAndDescribesItsArrays) {
  const std::string npy = npy_bytes(npy_dictionary("<f2", "(3, 0)"), "");
  const NpzReader reader(
      write_zip(dir_ / "two.npz", {{"b.npy", npy}, {"a.npy", npy}, {"readme.txt", "hello"}}));
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(reader.contains("a"));
  EXPECT_FALSE(reader.contains("a.npy"));
  EXPECT_FALSE(reader.contains("readme"));
  EXPECT_EQ(reader.info("b").dtype, "<f2");
  EXPECT_EQ(reader.info("b").shape, (Shape{3, 0}));
  EXPECT_EQ(reader.path(), dir_ / "two.npz");
  EXPECT_TRUE(ends_with(message_of<Error>([&] { reader.info("edges"); }),
                        "two.npz: no array named 'edges' (has: a, b)"));
  EXPECT_TRUE(ends_with(message_of<Error>([&] { reader.read<double>("edges"); }),
                        "two.npz: no array named 'edges' (has: a, b)"));
}

TEST_F(NpzReaderTest, SaysWhyAFileCannotBeOpened) {
  EXPECT_TRUE(
      ends_with(open_error(dir_ / "none.npz"), "none.npz: cannot open: No such file or directory"));
  EXPECT_TRUE(ends_with(open_error(dir_.path()), ": is a directory, expected a file"));
  EXPECT_TRUE(contains(open_error(write_text(dir_ / "empty.npz", "")), "empty.npz: is empty"));
  EXPECT_TRUE(contains(open_error(write_text(dir_ / "text.npz", "0 1\n")),
                       "text.npz: not an .npz archive ("));
  EXPECT_TRUE(contains(open_error(write_text(dir_ / "p.npz", "P")), "not an .npz archive"));
  EXPECT_TRUE(contains(open_error(write_text(dir_ / "cut.npz", "PK\x03\x04 and no more")),
                       "cut.npz: not an .npz archive (damaged or truncated"));
  EXPECT_TRUE(contains(open_error("/dev/null"), "/dev/null: not a regular file"));
}

TEST_F(NpzReaderTest, OpensAnArchiveWithoutArrays) {
  const std::string no_members = std::string("PK\x05\x06") + std::string(18, '\0');
  const NpzReader reader(write_text(dir_ / "none.npz", no_members));
  EXPECT_TRUE(reader.names().empty());
  EXPECT_TRUE(ends_with(message_of<Error>([&] { reader.info("edges"); }), "(has: no arrays)"));
}

}  // namespace
}  // namespace dsnn
