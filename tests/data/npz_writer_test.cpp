#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "data/child_process.h"
#include "support/test_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <limits>

namespace dsnn {
namespace {

using testing::contains;
using testing::ends_with;
using testing::message_of;
using testing::passes_in_child;
using testing::read_text;
using testing::TempDir;
using testing::write_text;
using Complex = std::complex<double>;
using Shape = std::vector<std::int64_t>;

class NpzWriterTest : public ::testing::Test {
 protected:
  template <class T>
  void expect_round_trip(const Shape& shape, const std::vector<T>& data) {
    NpzWriter writer(dir_ / "a.npz");
    writer.add<T>("array", shape, data);
    writer.commit();
    const Array<T> back = NpzReader(dir_ / "a.npz").read<T>("array");
    EXPECT_EQ(back.shape, shape);
    EXPECT_EQ(back.data, data);
  }

  TempDir dir_;
};

void write_numbers(const std::filesystem::path& path, const std::vector<double>& numbers) {
  NpzWriter writer(path);
  writer.add<double>("a", {static_cast<std::int64_t>(numbers.size())}, numbers);
  writer.commit();
}

TEST_F(NpzWriterTest, RoundTripsEveryType) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double infinity = std::numeric_limits<double>::infinity();
  expect_round_trip<double>({2, 2}, {0.1, -tiny, infinity, 1e300});
  expect_round_trip<float>({3}, {0.1f, -2.5f, 3e38f});
  expect_round_trip<std::int64_t>(
      {2}, {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
  expect_round_trip<std::int32_t>(
      {2}, {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()});
  expect_round_trip<std::uint8_t>({4}, {0, 1, 1, 0});
  expect_round_trip<Complex>({2, 1}, {Complex(0.1, -0.2), Complex(-infinity, tiny)});
}

TEST_F(NpzWriterTest, RoundTripsText) {
  const std::vector<std::vector<std::string>> texts = {
      {}, {""}, {"", "a", ""}, {"caf\xc3\xa9", "\xe6\x9c\xba", "\xf0\x9f\x90\x8d python"}};
  for (const std::vector<std::string>& text : texts) {
    NpzWriter writer(dir_ / "a.npz");
    writer.add_strings("text", text);
    writer.commit();
    EXPECT_EQ(NpzReader(dir_ / "a.npz").read_strings("text"), text);
  }
  // Text that is not UTF-8 is read as Latin-1.
  const std::vector<std::string> broken = {"\xe9t\xe9", "\xc3", "\xed\xa0\x80", "\xff\xc0\x80"};
  NpzWriter writer(dir_ / "a.npz");
  writer.add_strings("text", broken);
  writer.commit();
  EXPECT_EQ(NpzReader(dir_ / "a.npz").read_strings("text"),
            (std::vector<std::string>{"\xc3\xa9t\xc3\xa9", "\xc3\x83", "\xc3\xad\xc2\xa0\xc2\x80",
                                      "\xc3\xbf\xc3\x80\xc2\x80"}));
}

TEST_F(NpzWriterTest, RoundTripsEveryShape) {
  expect_round_trip<double>({}, {4.5});
  expect_round_trip<double>({0}, {});
  expect_round_trip<double>({0, 7}, {});
  expect_round_trip<double>({3, 0}, {});
  expect_round_trip<std::int64_t>({1, 2, 1, 3}, {1, 2, 3, 4, 5, 6});
}

TEST_F(NpzWriterTest, WritesNumPysTypesAndAlignsTheNumbers) {
  NpzWriter writer(dir_ / "a.npz");
  const std::vector<double> reals = {1};
  const std::vector<float> singles = {1};
  const std::vector<std::int64_t> integers = {1};
  const std::vector<std::uint8_t> booleans = {1};
  const std::vector<Complex> complex = {1};
  writer.add<double>("f8", {1}, reals);
  writer.add<float>("f4", {1}, singles);
  writer.add<std::int64_t>("i8", {1}, integers);
  writer.add<std::uint8_t>("b1", {1}, booleans);
  writer.add<Complex>("c16", {1}, complex);
  writer.commit();
  const NpzReader reader(dir_ / "a.npz");
  EXPECT_EQ(reader.names(), (std::vector<std::string>{"b1", "c16", "f4", "f8", "i8"}));
  for (const std::string& name : reader.names()) {
    EXPECT_EQ(reader.info(name).dtype.substr(1), name);
  }
  // Uncompressed, the header stands in the file as it is: 128 bytes in all, a line end last.
  const std::string bytes = read_text(dir_ / "a.npz");
  const std::size_t start = bytes.find("\x93NUMPY");
  ASSERT_NE(start, std::string::npos);
  EXPECT_EQ(bytes.substr(start + 6, 4), std::string("\x01\x00\x76\x00", 4));
  EXPECT_EQ(bytes[start + 127], '\n');
  const std::string expected = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
  EXPECT_EQ(bytes.substr(start + 10, expected.size()), expected);
}

TEST_F(NpzWriterTest, WritesTheSameBytesEachTime) {
  write_numbers(dir_ / "a.npz", {1, 2, 3});
  write_numbers(dir_ / "b.npz", {1, 2, 3});
  EXPECT_EQ(read_text(dir_ / "a.npz"), read_text(dir_ / "b.npz"));
  EXPECT_TRUE(contains(read_text(dir_ / "a.npz"), std::string("\0\0\x21\0", 4)));  // 1980-01-01
}

TEST_F(NpzWriterTest, ReplacesAnEarlierFile) {
  write_text(dir_ / "a.npz", "something else");
  write_numbers(dir_ / "a.npz", {1});
  EXPECT_EQ(NpzReader(dir_ / "a.npz").read<double>("a").data, std::vector<double>{1});
  EXPECT_EQ(dir_.list(), std::vector<std::string>{"a.npz"});
}

TEST_F(NpzWriterTest, WritesThroughASymbolicLink) {
  write_text(dir_ / "target.npz", "something else");
  std::filesystem::create_symlink("target.npz", dir_ / "link.npz");
  write_numbers(dir_ / "link.npz", {1});
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "link.npz"));
  EXPECT_TRUE(NpzReader(dir_ / "target.npz").contains("a"));
}

TEST_F(NpzWriterTest, WritesNothingWithoutCommit) {
  const std::vector<double> numbers = {1};
  write_text(dir_ / "a.npz", "old");
  {
    NpzWriter writer(dir_ / "a.npz");
    writer.add<double>("a", {1}, numbers);
  }
  EXPECT_EQ(read_text(dir_ / "a.npz"), "old");
  EXPECT_EQ(dir_.list(), std::vector<std::string>{"a.npz"});
}

TEST_F(NpzWriterTest, RefusesWhatDoesNotFit) {
  NpzWriter writer(dir_ / "a.npz");
  const std::vector<double> numbers = {1, 2, 3};
  const std::vector<std::uint8_t> booleans = {0, 2};
  const auto add = [&](const Shape& shape) {
    return message_of<Error>([&] { writer.add<double>("a", shape, numbers); });
  };
  EXPECT_TRUE(ends_with(add({2, 2}), "a.npz: array 'a' has shape [2, 2], but 3 elements"));
  EXPECT_TRUE(ends_with(add({-1, -3}), "has shape [-1, -3], but 3 elements"));
  EXPECT_TRUE(ends_with(add({std::int64_t{1} << 62, 8}), "but 3 elements"));
  EXPECT_TRUE(ends_with(message_of<Error>([&] { writer.add<std::uint8_t>("b", {2}, booleans); }),
                        "array 'b' of booleans has a value that is neither 0 nor 1"));
  EXPECT_TRUE(ends_with(message_of<Error>([&] { writer.commit(); }), "no array was added"));
  writer.add<double>("a", {3}, numbers);
  EXPECT_TRUE(ends_with(add({3}), "array 'a' is added twice"));
}

TEST_F(NpzWriterTest, RefusesPathsItCannotWriteTo) {
  const auto open_error = [](const std::filesystem::path& path) {
    return message_of<Error>([&] { NpzWriter writer(path); });
  };
  EXPECT_TRUE(ends_with(open_error(dir_.path()), ": cannot write: is a directory"));
  EXPECT_EQ(open_error("/dev/null"), "/dev/null: cannot write: not a regular file");
  EXPECT_EQ(open_error("/dev/full"), "/dev/full: cannot write: not a regular file");
  EXPECT_TRUE(ends_with(open_error(dir_ / "no" / "a.npz"),
                        "a.npz: cannot create: No such file or directory"));
  // Checks beforehand tell that root may write anywhere, but not here.
  const std::string message = message_of<Error>([] { write_numbers("/proc/a.npz", {1}); });
  EXPECT_TRUE(contains(message, "/proc/a.npz: cannot "));
}

TEST_F(NpzWriterTest, SaysWhyTheFolderWentAway) {
  const std::vector<double> numbers = {1};
  std::filesystem::create_directory(dir_ / "folder");
  NpzWriter writer(dir_ / "folder/a.npz");
  writer.add<double>("a", {1}, numbers);
  std::filesystem::remove(dir_ / "folder");
  EXPECT_TRUE(ends_with(message_of<Error>([&] { writer.commit(); }),
                        "folder/a.npz: cannot write: No such file or directory"));
}

// A limit on file sizes simulates a full disk.
void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit");
}

TEST_F(NpzWriterTest, LeavesTheOldFileWhenTheDiskIsFull) {
  const std::vector<double> numbers(2000, 1.5);
  write_numbers(dir_ / "whole.npz", numbers);
  const auto whole = static_cast<rlim_t>(std::filesystem::file_size(dir_ / "whole.npz"));
  std::filesystem::remove(dir_ / "whole.npz");
  write_text(dir_ / "a.npz", "old");
  for (const rlim_t limit : {rlim_t{0}, rlim_t{1}, rlim_t{100}, rlim_t{4096}, rlim_t{8000},
                             whole - 100, whole - 23, whole - 1}) {
    const auto write = [&] {
      limit_file_size(limit);
      const std::string message =
          message_of<Error>([&] { write_numbers(dir_ / "a.npz", numbers); });
      return ends_with(message, "a.npz: cannot write: File too large");
    };
    EXPECT_TRUE(passes_in_child(write)) << limit;
    EXPECT_EQ(read_text(dir_ / "a.npz"), "old");
    EXPECT_EQ(dir_.list(), std::vector<std::string>{"a.npz"});
  }
}

TEST_F(NpzWriterTest, LeavesTheOldFileWhenCancelled) {
  write_text(dir_ / "a.npz", "old");
  const auto write = [&] {
    const std::vector<double> numbers(1'000'000);
    set_progress_observer([](const ProgressUpdate& update) {
      if (update.done > update.total / 2) request_cancel();
    });
    return contains(message_of<Cancelled>([&] { write_numbers(dir_ / "a.npz", numbers); }), "");
  };
  EXPECT_TRUE(passes_in_child(write));
  EXPECT_EQ(read_text(dir_ / "a.npz"), "old");
  EXPECT_EQ(dir_.list(), std::vector<std::string>{"a.npz"});
}

TEST_F(NpzWriterTest, PassesOnWhatTheObserverThrows) {
  set_progress_observer([](const ProgressUpdate&) { throw std::logic_error("observer"); });
  EXPECT_THROW(write_numbers(dir_ / "a.npz", std::vector<double>(1'000'000)), std::logic_error);
  set_progress_observer({});
  EXPECT_TRUE(dir_.list().empty());
}

TEST_F(NpzWriterTest, ReportsProgress) {
  std::vector<std::int64_t> done;
  set_progress_observer([&](const ProgressUpdate& update) {
    EXPECT_STREQ(update.stage, "writing");
    EXPECT_EQ(update.total, 8'000'000 + 128);
    done.push_back(update.done);
  });
  write_numbers(dir_ / "a.npz", std::vector<double>(1'000'000));
  set_progress_observer({});
  EXPECT_GT(done.size(), 10u);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_GT(done.back(), 7'900'000);  // libzip leaves out the very last step
}

}  // namespace
}  // namespace dsnn
