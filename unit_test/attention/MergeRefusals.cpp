// Refusals of merge_attention_states(), word for word, with untouched results.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <support/Refusal.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using KokkosKV::merge_attention_states;
using KokkosKV::RaggedError;
using KokkosKV::ShapeError;

/// Three rows of two heads of four elements, and five states.
template <class ExecSpace>
class MergeRefusals : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using view_2       = Kokkos::View<float**, memory_space>;
  using view_3       = Kokkos::View<float***, memory_space>;
  using view_4       = Kokkos::View<float****, memory_space>;

  view_3 const output{"KokkosKV::test", 3, 2, 4};
  view_2 const lse{"KokkosKV::test", 3, 2};
  view_3 const outputs{"KokkosKV::test", 5, 2, 4};
  view_2 const lses{"KokkosKV::test", 5, 2};

  template <class Error, class Call>
  void refuses(std::string const& message, Call const& call) const {
    Kokkos::deep_copy(output, 7.0f);
    Kokkos::deep_copy(lse, 7.0f);
    expect_refusal<Error>("merge_attention_states: " + message, call);
    Kokkos::fence("KokkosKV::test");
    auto const found     = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, output);
    auto const found_lse = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lse);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found.data()[i], 7.0f);
    for (std::size_t i = 0; i < found_lse.size(); ++i) EXPECT_EQ(found_lse.data()[i], 7.0f);
  }

  template <class Error>
  void refuses_offsets(std::string const& message, Numbers const& offsets) const {
    refuses<Error>(message, [&] {
      merge_attention_states(ExecSpace{}, to_view<memory_space>(offsets), outputs, lses, output,
                             lse);
    });
  }
};
TYPED_TEST_SUITE(MergeRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(MergeRefusals, Offsets) {
  this->template refuses_offsets<ShapeError>("state_offsets.extent(0): found 3, expected 4",
                                             {0, 2, 5});
  this->template refuses_offsets<RaggedError>("state_offsets(0): found 1, expected 0",
                                              {1, 2, 3, 5});
  this->template refuses_offsets<RaggedError>(
      "state_offsets(2): found 1, expected at least state_offsets(1) = 2", {0, 2, 1, 5});
  this->template refuses_offsets<RaggedError>("state_offsets(3): found 4, expected 5 (states)",
                                              {0, 1, 2, 4});
  this->template refuses_offsets<RaggedError>("state_offsets(3): found 6, expected 5 (states)",
                                              {0, 1, 2, 6});
}

// States that belong to no row.
TYPED_TEST(MergeRefusals, StatesWithoutRows) {
  using memory_space = typename TestFixture::memory_space;
  typename TestFixture::view_3 const output("KokkosKV::test", 0, 2, 4);
  typename TestFixture::view_2 const lse("KokkosKV::test", 0, 2);
  this->template refuses<RaggedError>("state_offsets(0): found 0, expected 5 (states)", [&] {
    merge_attention_states(TypeParam{}, to_view<memory_space>({0}), this->outputs, this->lses,
                           output, lse);
  });
}

// Unchecked offsets may be wrong: the results are then too, but nothing else is touched or read.
TYPED_TEST(MergeRefusals, UncheckedOffsets) {
  using memory_space = typename TestFixture::memory_space;
  for (Numbers const& offsets :
       {Numbers{9, 2, 1, 4000000000u}, Numbers{0, 0, 0, 0}, Numbers{5, 4, 3, 2}}) {
    EXPECT_NO_THROW(merge_attention_states(TypeParam{}, to_view<memory_space>(offsets),
                                           this->outputs, this->lses, this->output, this->lse,
                                           KokkosKV::unchecked));
    Kokkos::fence("KokkosKV::test");
  }
}

TYPED_TEST(MergeRefusals, Shapes) {
  using view_2       = typename TestFixture::view_2;
  using view_3       = typename TestFixture::view_3;
  using view_4       = typename TestFixture::view_4;
  auto const refuses = [&](std::string const& message, view_4 const& outputs, view_3 const& lses,
                           view_2 const& lse) {
    this->template refuses<ShapeError>(
        message, [&] { merge_attention_states(TypeParam{}, outputs, lses, this->output, lse); });
  };
  view_4 const outputs("KokkosKV::test", 5, 3, 2, 4);
  view_3 const lses("KokkosKV::test", 5, 3, 2);
  refuses("outputs.extent(1): found 2, expected 3", view_4("KokkosKV::test", 5, 2, 2, 4), lses,
          this->lse);
  refuses("outputs.extent(2): found 1, expected 2", view_4("KokkosKV::test", 5, 3, 1, 4), lses,
          this->lse);
  refuses("outputs.extent(3): found 5, expected 4", view_4("KokkosKV::test", 5, 3, 2, 5), lses,
          this->lse);
  refuses("lses.extent(0): found 4, expected 5", outputs, view_3("KokkosKV::test", 4, 3, 2),
          this->lse);
  refuses("lses.extent(1): found 4, expected 3", outputs, view_3("KokkosKV::test", 5, 4, 2),
          this->lse);
  refuses("lses.extent(2): found 3, expected 2", outputs, view_3("KokkosKV::test", 5, 3, 3),
          this->lse);
  refuses("lse.extent(0): found 2, expected 3", outputs, lses, view_2("KokkosKV::test", 2, 2));
  refuses("lse.extent(1): found 1, expected 2", outputs, lses, view_2("KokkosKV::test", 3, 1));
}

}  // namespace KokkosKVTest
