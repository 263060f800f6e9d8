// What checkpoint files are read as, and which are refused.
#include "model/Checkpoint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ModelData.hpp"

namespace llama_generate {
namespace {

using Header = std::array<std::int32_t, 7>;

/// dim 8 in 4 heads, 2 key/value heads, hidden 3, 2 layers, vocabulary 5, context 6.
constexpr Header tied{8, 3, 2, 4, 2, 5, 6}, untied{8, 3, 2, 4, 2, -5, 6};
constexpr std::size_t num_tied = 5 * 8 + 2 * (8 + 64 + 32 + 32 + 64 + 8 + 3 * 24) + 8 + 12;

class CheckpointFile : public testing::Test {
 protected:
  void SetUp() override {
    m_path = testing::TempDir() + "llama_" +
             testing::UnitTest::GetInstance()->current_test_info()->name() + ".bin";
  }
  void TearDown() override { std::filesystem::remove(m_path); }

  /// A file whose numbers count up from 0.
  void write(Header const& header, std::size_t num_floats) {
    std::vector<float> numbers(num_floats);
    for (std::size_t i = 0; i < num_floats; ++i) numbers[i] = static_cast<float>(i);
    std::ofstream file(m_path, std::ios::binary);
    file.write(reinterpret_cast<char const*>(header.data()), sizeof header);
    file.write(reinterpret_cast<char const*>(numbers.data()),
               static_cast<std::streamsize>(num_floats * sizeof(float)));
  }
  std::string refuse() {
    auto const message = test::refusal([&] { read_checkpoint(m_path); });
    return message.starts_with(m_path + ": ") ? message.substr(m_path.size() + 2) : message;
  }
  std::string refuse(Header const& header, std::size_t num_floats) {
    write(header, num_floats);
    return refuse();
  }

  std::string m_path;
};

TEST_F(CheckpointFile, is_cut_in_the_order_of_the_layout) {
  write(tied, num_tied);
  auto const read   = read_checkpoint(m_path);
  std::size_t begin = 0;
  auto const expect = [&](std::vector<float> const& part, std::size_t size) {
    ASSERT_EQ(part.size(), size);
    EXPECT_EQ(part.front(), static_cast<float>(begin));
    EXPECT_EQ(part.back(), static_cast<float>(begin + size - 1));
    begin += size;
  };
  expect(read.embedding, 40);
  expect(read.attention_norm, 16);
  expect(read.query, 128);
  expect(read.key, 64);
  expect(read.value, 64);
  expect(read.output, 128);
  expect(read.ffn_norm, 16);
  expect(read.gate, 48);
  expect(read.down, 48);
  expect(read.up, 48);
  expect(read.final_norm, 8);
  EXPECT_TRUE(read.classifier.empty());
  EXPECT_EQ(&read.classifier_or_embedding(), &read.embedding);
  EXPECT_EQ(read.config.head_size(), 2u);
  EXPECT_EQ(read.config.kv_dim(), 4u);
  EXPECT_EQ(read.config.context, 6u);
}

TEST_F(CheckpointFile, has_a_classifier_where_the_vocabulary_is_negative) {
  write(untied, num_tied + 40);
  auto const read = read_checkpoint(m_path);
  EXPECT_EQ(read.config.vocab_size, 5u);
  ASSERT_EQ(read.classifier.size(), 40u);
  EXPECT_EQ(read.classifier.front(), static_cast<float>(num_tied));
  EXPECT_EQ(&read.classifier_or_embedding(), &read.classifier);
}

TEST_F(CheckpointFile, must_have_the_length_that_its_sizes_demand) {
  auto const bytes       = [](std::size_t floats) { return std::to_string(28 + 4 * floats); };
  std::string const rest = " for its dim 8, 2 layers and vocabulary of 5";
  EXPECT_EQ(refuse(tied, num_tied - 1),
            bytes(num_tied - 1) + " bytes, expected " + bytes(num_tied) + rest);
  EXPECT_EQ(refuse(tied, num_tied + 1),
            bytes(num_tied + 1) + " bytes, expected " + bytes(num_tied) + rest);
  EXPECT_EQ(refuse(untied, num_tied),
            bytes(num_tied) + " bytes, expected " + bytes(num_tied + 40) + rest);
}

TEST_F(CheckpointFile, must_have_sizes_that_fit) {
  EXPECT_EQ(refuse({8, 0, 2, 4, 2, 5, 6}, 0), "not a llama2.c checkpoint: hidden_dim is 0");
  EXPECT_EQ(refuse({8, 3, 2, 4, 2, 0, 6}, 0), "not a llama2.c checkpoint: vocab_size is 0");
  EXPECT_EQ(refuse({8, 3, -2, 4, 2, 5, 6}, 0), "not a llama2.c checkpoint: n_layers is -2");
  EXPECT_EQ(refuse({8, 3, 2, 4, 2, 5, 1 << 21}, 0),
            "not a llama2.c checkpoint: seq_len is 2097152");
  EXPECT_EQ(refuse({8, 3, 2, 3, 1, 5, 6}, 0), "dim 8 is not 3 heads of an even size");
  EXPECT_EQ(refuse({8, 3, 2, 8, 1, 5, 6}, 0), "dim 8 is not 8 heads of an even size");
  EXPECT_EQ(refuse({8, 3, 2, 4, 3, 5, 6}, 0),
            "4 query heads cannot share 3 key/value heads evenly");
}

TEST_F(CheckpointFile, must_be_one) {
  EXPECT_EQ(refuse(), "cannot be read");
  std::ofstream(m_path) << "Once upon a time";
  EXPECT_EQ(refuse(), "not a llama2.c checkpoint: 16 bytes");
  EXPECT_EQ(test::refusal([] { read_checkpoint(testing::TempDir()); }),
            testing::TempDir() + ": cannot be read");
}

}  // namespace
}  // namespace llama_generate
