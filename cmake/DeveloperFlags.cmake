# Compiler flags of our own targets (tests, benchmarks, examples); users of the library never see them.
add_library(KokkosKV_developer_flags INTERFACE)
target_compile_options(
  KokkosKV_developer_flags
  INTERFACE
    $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang,IntelLLVM>:-Wall
    -Wextra
    -Wpedantic
    -Wshadow
    -Wconversion>
    $<$<AND:$<BOOL:${KokkosKV_ENABLE_WARNINGS_AS_ERRORS}>,$<CXX_COMPILER_ID:GNU,Clang,AppleClang,IntelLLVM>>:-Werror>
)
if(KokkosKV_ENABLE_NATIVE_ARCH)
  target_compile_options(KokkosKV_developer_flags INTERFACE -march=native)
endif()
if(KokkosKV_SANITIZERS)
  target_compile_options(KokkosKV_developer_flags INTERFACE -fsanitize=${KokkosKV_SANITIZERS} -fno-sanitize-recover=all
                                                            -fno-omit-frame-pointer -g1)
  target_link_options(KokkosKV_developer_flags INTERFACE -fsanitize=${KokkosKV_SANITIZERS})
endif()
if(KokkosKV_ENABLE_BOUNDS_CHECKS)
  # In headers alone: it does not matter whether Kokkos itself was built with it.
  target_compile_definitions(KokkosKV_developer_flags INTERFACE KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
endif()
# The headers are the product: they are compiled with the same strictness as the code that includes them.
