// Models whose caches have elements of type KokkosKV::bf16.
#include "model/MakePagedModel.hpp"

template std::unique_ptr<llama_generate::LanguageModel>
llama_generate::make_paged_model<KokkosKV::bf16>(execution_space const&, ModelConfig const&,
                                                 WeightsFactory const&, int, std::uint32_t);
