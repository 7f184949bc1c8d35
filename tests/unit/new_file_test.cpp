#include "core/new_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gondwana {
namespace {

namespace fs = std::filesystem;

class new_files : public testing::Test {
 protected:
  new_files() : path_(testing::TempDir() + "gondwana-new-XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
    std::ofstream(at("precious")) << "mine";
  }
  ~new_files() override { fs::remove_all(path_); }

  std::string at(const std::string& name) const { return path_ + "/" + name; }
  std::string unfinished(const std::string& name) const {
    return fmt::format("{}.{}.unfinished", at(name), ::getpid());
  }
  std::string text_of(const std::string& name) const {
    std::ifstream file(at(name));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

  std::string path_;
};

TEST_F(new_files, a_file_is_there_when_it_is_whole) {
  ASSERT_TRUE(write_file(at("precious"), "new"));
  EXPECT_EQ(text_of("precious"), "new");
  {
    Result<NewFile> file = NewFile::open(at("other"));
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->write("half"));
    EXPECT_FALSE(fs::exists(at("other")));
  }
  EXPECT_EQ(count(), 1U);
}

TEST_F(new_files, a_link_with_the_name_of_the_unfinished_file_leads_nowhere) {
  fs::create_symlink("precious", unfinished("trace"));
  ASSERT_TRUE(write_file(at("trace"), "events"));
  EXPECT_EQ(text_of("trace"), "events");
  fs::create_hard_link(at("precious"), unfinished("out"));
  ASSERT_TRUE(open_to_append(at("out")));
  EXPECT_EQ(text_of("precious"), "mine");
  EXPECT_EQ(count(), 3U);
}

TEST_F(new_files, a_link_of_the_user_is_followed_to_a_file_that_is_named) {
  fs::create_symlink("precious", at("link"));
  ASSERT_TRUE(write_file(at("link"), "new"));
  EXPECT_EQ(text_of("precious"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
}

TEST_F(new_files, the_link_of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make one";
  fs::create_symlink("precious", at("link"));
  ASSERT_EQ(::lchown(at("link").c_str(), 1, 1), 0);
  const Result<void> written = write_file(at("link"), "new");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().text, at("link") + " is a symbolic link of another user");
  EXPECT_EQ(text_of("precious"), "mine");
}

TEST_F(new_files, what_grows_takes_the_place_of_a_file_or_a_link) {
  fs::create_symlink("precious", at("rank.0.out"));
  for (const char* name : {"rank.0.out", "rank.1.out", "rank.1.out"}) {
    Result<UniqueFd> file = open_to_append(at(name));
    ASSERT_TRUE(file);
    ASSERT_EQ(::write(file->get(), "one", 3), 3);
    EXPECT_EQ(text_of(name), "one");
  }
  EXPECT_EQ(text_of("precious"), "mine");
  EXPECT_FALSE(open_to_append(path_));  // a folder
  EXPECT_EQ(count(), 3U);
}

TEST_F(new_files, what_is_no_file_is_written_as_it_is) {
  EXPECT_TRUE(write_file("/dev/null", "nothing"));
  struct stat facts{};
  ASSERT_EQ(::stat("/dev/null", &facts), 0);
  EXPECT_TRUE(S_ISCHR(facts.st_mode));
  EXPECT_FALSE(write_file(path_, "a folder"));
}

}  // namespace
}  // namespace gondwana
