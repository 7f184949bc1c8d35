#include "core/read_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/site_file.hpp"

namespace gondwana {
namespace {

class read_files : public testing::Test {
 protected:
  read_files() : path_(testing::TempDir() + "gondwana-read-XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  ~read_files() override { std::filesystem::remove_all(path_); }

  std::string at(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
    return at(name);
  }
  static std::string refusal(const std::string& path) {
    const Result<std::string> text = read_file(path, 100);
    return text ? "" : text.error().text;
  }

  std::string path_;
};

TEST_F(read_files, a_file_is_read_up_to_its_limit) {
  EXPECT_EQ(*read_file(write("short", "a\n"), 100), "a\n");
  EXPECT_EQ(read_file(write("all", std::string(100, 'x')), 100)->size(), 100U);
  EXPECT_EQ(refusal(write("long", std::string(101, 'x'))), "it is longer than 100 B");
  EXPECT_TRUE(read_file("/proc/self/status", 1 << 20));  // its size is 0, and it has bytes
  EXPECT_EQ(refusal("/proc/self/status"), "it is longer than 100 B");
  EXPECT_EQ(*read_file("/dev/null", 100), "");
}

TEST_F(read_files, what_is_no_file_is_named_at_once) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(at("pipe")), "it is a named pipe (FIFO), not a file");
  EXPECT_EQ(refusal(path_), "it is a directory, not a file");
  EXPECT_EQ(refusal("/dev/zero"), "it is a device, not a file");
  EXPECT_EQ(read_file(at("none"), 100).error().code, Errc::missing);
  std::filesystem::create_symlink("pipe", at("link"));
  EXPECT_EQ(refusal(at("link")), "it is a named pipe (FIFO), not a file");
}

TEST_F(read_files, a_huge_file_is_refused_at_once) {
  std::filesystem::resize_file(write("huge", ""), std::uintmax_t{5} << 30);
  EXPECT_EQ(refusal(at("huge")), "it is longer than 100 B");
}

TEST_F(read_files, a_site_file_that_is_none_is_told) {
  ASSERT_EQ(::mkfifo(at("site").c_str(), 0600), 0);
  const Result<SiteFile> site = SiteFile::read(at("site").c_str());
  ASSERT_FALSE(site);
  EXPECT_EQ(site.error().text, at("site") +
                                   " cannot be read: it is a named pipe (FIFO), not a file; make "
                                   "it readable, or set GONDWANA_CONFIG to another file or to "
                                   "nothing");
}

}  // namespace
}  // namespace gondwana
