# The target of what needs Kokkos Kernels, for the build tree and for the installed package.

# kokkoskv_add_projection_gemm(QUIET|REQUIRED): KokkosKV::projection_gemm, where Kokkos Kernels is found or a
# target of it exists. It must have been built with the Kokkos that is used.
function(kokkoskv_add_projection_gemm need)
  if(TARGET KokkosKV::projection_gemm)
    return()
  endif()
  # Its own name; that of a build inside Trilinos.
  set(names Kokkos::kokkoskernels KokkosKernels::all_libs)
  foreach(look IN ITEMS OFF ON)
    if(look)
      find_package(KokkosKernels ${need})
    endif()
    foreach(name IN LISTS names)
      if(TARGET ${name})
        add_library(KokkosKV::projection_gemm INTERFACE IMPORTED GLOBAL)
        target_link_libraries(KokkosKV::projection_gemm INTERFACE KokkosKV::kokkoskv ${name})
        return()
      endif()
    endforeach()
  endforeach()
endfunction()
