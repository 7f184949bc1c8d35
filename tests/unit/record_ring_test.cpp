#include "sync/record_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace gondwana {
namespace {

std::unique_ptr<RecordRing> make_ring() {
  return std::make_unique<RecordRing>();
}

// The content of record `number`: all lengths occur, the longest often.
std::vector<std::byte> record(std::uint32_t number) {
  std::mt19937 random(number);
  const std::size_t most = random() % 8 == 0 ? RecordRing::longest : 400;
  std::vector<std::byte> bytes(random() % (most + 1));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(number * 7 + i);
  return bytes;
}

bool write(RecordWriter& writer, std::uint32_t number) {
  const std::vector<std::byte> bytes = record(number);
  std::byte* place = writer.open(bytes.size(), number);
  if (place == nullptr) return false;
  std::ranges::copy(bytes, place);
  writer.publish();
  return true;
}

void expect(const RecordReader::Record& found, std::uint32_t number) {
  EXPECT_EQ(found.to, number);
  EXPECT_TRUE(std::ranges::equal(found.bytes, record(number))) << number;
}

TEST(record_ring, gives_nothing_before_it_is_published) {
  const auto ring = make_ring();
  RecordWriter writer(*ring);
  RecordReader reader(*ring);
  EXPECT_FALSE(reader.has_record());
  ASSERT_NE(writer.open(5), nullptr);
  EXPECT_FALSE(reader.front());
  writer.publish();
  ASSERT_TRUE(reader.has_record());
  EXPECT_EQ(reader.front()->bytes.size(), 5U);
  reader.pop();
  EXPECT_FALSE(reader.has_record());
}

TEST(record_ring, has_room_for_the_longest_wherever_it_stands) {
  const auto ring = make_ring();
  RecordWriter writer(*ring);
  RecordReader reader(*ring);
  for (std::uint32_t number = 1; number <= 3000; ++number) {
    ASSERT_NE(writer.open(number % 3 == 0 ? RecordRing::longest : number, number), nullptr);
    writer.publish();
    ASSERT_EQ(reader.front()->to, number);
    reader.pop();
  }
}

TEST(record_ring, that_is_full_refuses_and_keeps_what_it_has) {
  const auto ring = make_ring();
  RecordWriter writer(*ring);
  RecordReader reader(*ring);
  std::uint32_t written = 0;
  while (write(writer, written)) ++written;
  EXPECT_GT(written, 1U);
  for (std::uint32_t number = 0; number < written; ++number) {
    const auto found = reader.front();
    ASSERT_TRUE(found);
    expect(*found, number);
    reader.pop();
  }
  EXPECT_FALSE(reader.front());
  EXPECT_TRUE(write(writer, written));
}

TEST(record_ring, goes_on_where_an_earlier_writer_and_reader_ended) {
  const auto ring = make_ring();
  for (std::uint32_t number = 0; number < 2000; ++number) {
    RecordWriter writer(*ring);
    ASSERT_TRUE(write(writer, number));
    RecordReader reader(*ring);
    const auto found = reader.front();
    ASSERT_TRUE(found);
    expect(*found, number);
    reader.pop();
  }
}

TEST(record_ring, brings_all_from_one_thread_to_another_in_order) {
  const auto ring = make_ring();
  constexpr std::uint32_t records = 20'000;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::jthread sender([&] {
    RecordWriter writer(*ring);
    for (std::uint32_t number = 0; number < records;) {
      if (write(writer, number))
        ++number;
      else if (std::chrono::steady_clock::now() > end)
        return;
      else
        std::this_thread::yield();
    }
  });
  RecordReader reader(*ring);
  for (std::uint32_t number = 0; number < records;) {
    const auto found = reader.front();
    if (!found) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::yield();
      continue;
    }
    expect(*found, number++);
    reader.pop();
  }
}

}  // namespace
}  // namespace gondwana
