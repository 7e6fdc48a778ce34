#include "dsnn/util/output_file.h"

#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace dsnn {
namespace {

using testing::contains;
using testing::message_of;
using testing::read_text;
using testing::TempDir;
using testing::write_text;

TEST(OutputFile, AppearsOnlyWhenComplete) {
  const TempDir dir;
  {
    OutputFile file(dir / "a.txt");
    file.write("half");
    EXPECT_FALSE(std::filesystem::exists(dir / "a.txt"));
  }
  EXPECT_TRUE(dir.list().empty());
  OutputFile file(dir / "a.txt");
  file.write("one ");
  file.write("two");
  file.commit();
  EXPECT_EQ(read_text(dir / "a.txt"), "one two");
  EXPECT_EQ(dir.list(), std::vector<std::string>{"a.txt"});
}

TEST(OutputFile, KeepsTheOldFileUntilTheNewOneIsComplete) {
  const TempDir dir;
  write_text(dir / "a.txt", "old");
  {
    OutputFile file(dir / "a.txt");
    file.write(std::string(std::size_t{3} << 20, 'x'));  // more than is buffered
  }
  EXPECT_EQ(read_text(dir / "a.txt"), "old");
  OutputFile file(dir / "a.txt");
  file.write("new");
  file.commit();
  EXPECT_EQ(read_text(dir / "a.txt"), "new");
}

TEST(OutputFile, FollowsSymbolicLinks) {
  const TempDir dir;
  write_text(dir / "target.txt", "old");
  std::filesystem::create_symlink("target.txt", dir / "link.txt");
  write_file(dir / "link.txt", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link.txt"));
  EXPECT_EQ(read_text(dir / "target.txt"), "new");
}

TEST(OutputFile, FollowsTheUmaskOrKeepsThePermissions) {
  const TempDir dir;
  const auto mode_after_writing = [&] {
    write_file(dir / "a.txt", "new");
    struct stat status = {};
    ::stat((dir / "a.txt").c_str(), &status);
    return status.st_mode & 0777;
  };
  const mode_t mask = ::umask(022);
  EXPECT_EQ(mode_after_writing(), 0644U);
  for (const mode_t mode : {0600U, 0664U, 0444U}) {
    ::chmod((dir / "a.txt").c_str(), mode);
    EXPECT_EQ(mode_after_writing(), mode);
  }
  ::umask(mask);
}

TEST(OutputFile, StreamsAreNotReplaced) {
  for (const char* stream :
       {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/null", "/dev/full"}) {
    EXPECT_TRUE(is_stream_path(stream)) << stream;
  }
  const TempDir dir;
  write_text(dir / "file", "");
  EXPECT_FALSE(is_stream_path(dir / "file"));
  EXPECT_FALSE(is_stream_path(dir / "new"));
  EXPECT_FALSE(is_stream_path("/dev/shm/new"));
}

TEST(OutputFile, SaysWhyItCannotWrite) {
  const TempDir dir;
  EXPECT_TRUE(contains(message_of<Error>([&] { OutputFile file(dir.path()); }), "is a directory"));
  EXPECT_TRUE(contains(message_of<Error>([&] { OutputFile file(dir / "no/such/folder/a.txt"); }),
                       "a.txt: cannot create: No such file or directory"));
  const std::string full = message_of<Error>([] {
    OutputFile file("/dev/full");
    file.write("x");
    file.commit();
  });
  EXPECT_EQ(full, "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace dsnn
