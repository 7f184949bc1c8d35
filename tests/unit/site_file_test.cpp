#include "core/site_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "core/options.hpp"
#include "core/variables.hpp"

namespace gondwana {
namespace {

// A site file that is removed after the test, and the variables that name it.
class Site {
 public:
  explicit Site(const std::string& text, std::map<std::string, std::string> variables = {})
      : variables_(std::move(variables)) {
    static int sites = 0;
    const std::string path =
        fmt::format("{}site-{}-{}.toml", testing::TempDir(), ::getpid(), ++sites);
    std::ofstream(path) << text;
    variables_["GONDWANA_CONFIG"] = path;
  }
  ~Site() { std::filesystem::remove(path()); }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  std::string path() const { return variables_.at("GONDWANA_CONFIG"); }

  Environment environment() const {
    return Environment::with_site_file([this](const char* name) -> const char* {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    });
  }

 private:
  std::map<std::string, std::string> variables_;
};

// The error message for a file of that text, after its path.
std::string complaint(const std::string& text) {
  const Result<SiteFile> site = SiteFile::parse(text, "site");
  EXPECT_FALSE(site) << text;
  return site ? "" : site.error().text;
}

TEST(site_file, values_are_defaults_of_each_type) {
  const Site site(
      "# of this site\n"
      "GONDWANA_HEAP_SIZE = \"64M\"\n"
      "GONDWANA_PEER_TIMEOUT = 7\n"
      "GONDWANA_BACKTRACE = true\n"
      "GASNET_MAX_SEGSIZE = 0.5\n");
  const Result<Options> options = read_options(site.environment(), Reader::gasnet);
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->heap_size, std::size_t{64} << 20);
  EXPECT_EQ(options->peer_timeout, 7U);
  EXPECT_EQ(options->backtrace, Backtrace::full);
  EXPECT_EQ(options->segment_limit.part, 0.5);
  EXPECT_EQ(options->join_timeout, 60U);
}

TEST(site_file, the_environment_counts_before_it_under_any_name) {
  const Site site("GONDWANA_HEAP_SIZE = \"64M\"\nGONDWANA_DEBUG = false\n",
                  {{"SMA_SYMMETRIC_SIZE", "1M"}, {"SHMEM_DEBUG", ""}});
  const Result<Options> options = read_options(site.environment());
  ASSERT_TRUE(options) << options.error().text;
  EXPECT_EQ(options->heap_size, std::size_t{1} << 20);
  EXPECT_TRUE(options->checks);
}

TEST(site_file, a_setting_names_the_line_that_gave_it) {
  const Site site("\nGONDWANA_SPINS = 5\n", {{"SHMEM_INFO", "1"}});
  const Environment environment = site.environment();
  const auto origin = [&](VariableId id) {
    return std::string(setting_of(variable(id), environment).origin());
  };
  EXPECT_EQ(origin(VariableId::gondwana_spins), site.path() + ":2");
  EXPECT_EQ(origin(VariableId::gondwana_info), "SHMEM_INFO");
  EXPECT_EQ(origin(VariableId::gondwana_route), "default");
}

TEST(site_file, what_is_wrong_is_told_with_its_line_and_what_to_do) {
  EXPECT_EQ(complaint("GONDWANA_SPINS = 5\nGONDWANA_HEAPSIZE = 1\n"),
            "site:2: GONDWANA_HEAPSIZE is not a variable of Gondwana; did you mean "
            "GONDWANA_HEAP_SIZE?");
  EXPECT_EQ(complaint("heap_size = 1"),
            "site:1: heap_size is not a variable of Gondwana; `gondwana info` lists them");
  EXPECT_EQ(complaint("SHMEM_DEBUG = true"),
            "site:1: SHMEM_DEBUG is another name of GONDWANA_DEBUG; use that name here");
  EXPECT_EQ(complaint("GONDWANA_CONFIG = \"x\""),
            "site:1: GONDWANA_CONFIG is read from the environment only; remove it here");
  EXPECT_EQ(complaint("\nGONDWANA_SPINS = true"),
            "site:2: GONDWANA_SPINS \"true\": expected a whole number from 1 to 1000000000");
  EXPECT_EQ(complaint("GONDWANA_ROUTE = [\"agent\"]"),
            "site:1: GONDWANA_ROUTE is neither a text nor a number nor true or false; write "
            "GONDWANA_ROUTE = \"VALUE\"");
  EXPECT_TRUE(complaint("GONDWANA_SPINS = 5\nGONDWANA_ROUTE = agent").starts_with("site:2: "));
  EXPECT_TRUE(complaint("GONDWANA_SPINS = 5\nGONDWANA_SPINS = 6").starts_with("site:2: "));
}

TEST(site_file, a_table_is_told_before_the_parser_sees_it) {
  const std::string told = "site:2: it begins a table; each line is NAME = VALUE";
  EXPECT_EQ(complaint("GONDWANA_SPINS = 5\n [a.b]\n"), told);
  EXPECT_EQ(complaint("GONDWANA_SPINS = 5\n[# of this site\n"), told);
  EXPECT_EQ(complaint(std::string("GONDWANA_SPINS = 5\n[\0a]", 23)), told);
  EXPECT_EQ(complaint("\n\xef\xbb\xbf [&"), told);
}

TEST(site_file, only_comments_have_letters_outside_ascii) {
  EXPECT_TRUE(SiteFile::parse("# Gro\xc3\x9f\nGONDWANA_SPINS = 5  # \xc3\xa9\n", "site"));
  EXPECT_TRUE(SiteFile::parse("\xef\xbb\xbfGONDWANA_SPINS = 5\n", "site"));
  EXPECT_EQ(complaint("GONDWANA_SPINS = 5\n\xc3\xa9"),
            "site:2: a character outside a comment is not ASCII");
}

TEST(site_file, a_file_that_is_named_must_be_there_and_an_empty_name_is_none) {
  EXPECT_TRUE(SiteFile::read(""));
  const Result<SiteFile> missing = SiteFile::read("/nowhere/site.toml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text,
            "/nowhere/site.toml cannot be read: No such file or directory; make it readable, or "
            "set GONDWANA_CONFIG to another file or to nothing");
  const Result<SiteFile> folder = SiteFile::read("/");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().text.find("it is a directory"), std::string::npos)
      << folder.error().text;
}

TEST(site_file, who_reads_options_is_told_what_is_wrong_with_the_file) {
  const Site site("GONDWANA_SPINS = 0\n");
  const Result<Options> options = read_options(site.environment());
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().text,
            site.path() + ":1: GONDWANA_SPINS \"0\": expected a whole number from 1 to 1000000000");
  EXPECT_TRUE(setting_of(variable(VariableId::gondwana_spins), site.environment()).is_default());
}

}  // namespace
}  // namespace gondwana
