// Reads little-endian files on little-endian machines.
#include "model/Checkpoint.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/Text.hpp"
#include "common/UsageError.hpp"

namespace llama_generate {
namespace {

static_assert(std::endian::native == std::endian::little);

using Header = std::array<std::int32_t, 7>;

[[noreturn]] void refuse(std::string const& path, std::string const& why) {
  throw example::UsageError(path + ": " + why);
}

std::uint64_t file_size(std::string const& path) {
  std::error_code error;
  auto const size = std::filesystem::file_size(path, error);
  if (error) refuse(path, "cannot be read");
  return size;
}

ModelConfig check_header(std::string const& path, Header const& header) {
  constexpr std::array names{"dim",        "hidden_dim", "n_layers", "n_heads",
                             "n_kv_heads", "vocab_size", "seq_len"};
  constexpr std::int32_t most = 1 << 20;
  std::array<std::uint32_t, 7> sizes{};
  for (std::size_t i = 0; i < header.size(); ++i) {
    bool const may_be_negative = i == 5;
    if (header[i] == 0 || header[i] > most || header[i] < (may_be_negative ? -most : 1)) {
      refuse(path, std::string("not a llama2.c checkpoint: ") + names[i] + " is " +
                       std::to_string(header[i]));
    }
    sizes[i] = static_cast<std::uint32_t>(std::abs(header[i]));
  }
  ModelConfig const config{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6]};
  if (config.dim % config.num_heads != 0 || config.head_size() % 2 != 0) {
    refuse(path, "dim " + std::to_string(config.dim) + " is not " +
                     std::to_string(config.num_heads) + " heads of an even size");
  }
  if (config.num_heads % config.num_kv_heads != 0) {
    refuse(path, std::to_string(config.num_heads) + " query heads cannot share " +
                     std::to_string(config.num_kv_heads) + " key/value heads evenly");
  }
  return config;
}

/// Bytes of a file of these sizes. Exact up to models far larger than any memory.
double expected_bytes(ModelConfig const& config, bool is_tied) {
  double const dim = config.dim, kv_dim = config.kv_dim(), hidden = config.hidden_dim,
               vocab   = config.vocab_size;
  double const layer   = 2 * dim + 2 * dim * dim + 2 * kv_dim * dim + 3 * hidden * dim;
  double const rotary  = double(config.context) * config.head_size();
  double const numbers = vocab * dim * (is_tied ? 1 : 2) + config.num_layers * layer + dim + rotary;
  return static_cast<double>(sizeof(Header)) + numbers * sizeof(float);
}

class FloatReader {
 public:
  FloatReader(std::ifstream& file, std::string const& path) : m_file(file), m_path(path) {}

  std::vector<float> read(std::size_t rows, std::size_t columns, std::size_t layers = 1) {
    std::vector<float> result(layers * rows * columns);
    m_file.read(reinterpret_cast<char*>(result.data()),
                static_cast<std::streamsize>(result.size() * sizeof(float)));
    if (!m_file) refuse(m_path, "cannot be read");
    return result;
  }

 private:
  std::ifstream& m_file;
  std::string const& m_path;
};

}  // namespace

Checkpoint read_checkpoint(std::string const& path) {
  auto const size = file_size(path);
  std::ifstream file(path, std::ios::binary);
  Header header{};
  if (!file) refuse(path, "cannot be read");
  if (!file.read(reinterpret_cast<char*>(header.data()), sizeof header)) {
    refuse(path, "not a llama2.c checkpoint: " + std::to_string(size) + " bytes");
  }
  Checkpoint result;
  result.config       = check_header(path, header);
  auto const& config  = result.config;
  bool const is_tied  = header[5] > 0;
  auto const expected = expected_bytes(config, is_tied);
  if (static_cast<double>(size) != expected) {
    refuse(path, std::to_string(size) + " bytes, expected " + example::format("%.0f", expected) +
                     " for its dim " + std::to_string(config.dim) + ", " +
                     std::to_string(config.num_layers) + " layers and vocabulary of " +
                     std::to_string(config.vocab_size));
  }

  FloatReader numbers(file, path);
  auto const layers     = config.num_layers;
  result.embedding      = numbers.read(config.vocab_size, config.dim);
  result.attention_norm = numbers.read(1, config.dim, layers);
  result.query          = numbers.read(config.dim, config.dim, layers);
  result.key            = numbers.read(config.kv_dim(), config.dim, layers);
  result.value          = numbers.read(config.kv_dim(), config.dim, layers);
  result.output         = numbers.read(config.dim, config.dim, layers);
  result.ffn_norm       = numbers.read(1, config.dim, layers);
  result.gate           = numbers.read(config.hidden_dim, config.dim, layers);
  result.down           = numbers.read(config.dim, config.hidden_dim, layers);
  result.up             = numbers.read(config.hidden_dim, config.dim, layers);
  result.final_norm     = numbers.read(1, config.dim);
  // Tables of cosines and sines that nobody reads any more.
  numbers.read(config.context, config.head_size());
  if (!is_tied) result.classifier = numbers.read(config.vocab_size, config.dim);
  return result;
}

}  // namespace llama_generate
