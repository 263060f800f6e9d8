// Numbers of an RMSNorm.
#ifndef KOKKOSKV_RMSNORMPARAMS_HPP
#define KOKKOSKV_RMSNORMPARAMS_HPP

namespace KokkosKV {

/// What a model says about its RMSNorm, besides the weight.
struct RmsNormParams {
  double epsilon       = 1e-6;  ///< added to the mean of the squares, at least 0
  double weight_offset = 0;     ///< added to the weight: 1 in models whose weights begin at zero
};

}  // namespace KokkosKV

#endif
