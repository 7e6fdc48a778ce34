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

TEST(OutputFile, FollowsTheUmaskAndSymbolicLinks) {
  const TempDir dir;
  write_text(dir / "target.txt", "old");
  std::filesystem::create_symlink("target.txt", dir / "link.txt");
  const mode_t mask = ::umask(022);
  OutputFile file(dir / "link.txt");
  file.write("new");
  file.commit();
  ::umask(mask);
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link.txt"));
  EXPECT_EQ(read_text(dir / "target.txt"), "new");
  struct stat status = {};
  ASSERT_EQ(::stat((dir / "target.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
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
