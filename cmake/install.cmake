# What an installation holds: library, headers, and the package configuration
# that find_package(MLX) reads. The same rules serve the C++ package and, under
# the prefix `mlx`, the Python package.
include(CMakePackageConfigHelpers)

# Public headers, by folder; install_headers.cmake adds what these include.
# scripts/check-install compiles every installed header on its own.
set(MLX_PUBLIC_HEADERS mlx mlx/types mlx/io mlx/distributed mlx/backend/common mlx/backend/cpu
                       mlx/backend/gpu mlx/backend/metal mlx/backend/cuda
                       mlx/core/parallel.h)

# mlx_install_library(target export_set component prefix): prefix is the folder
# below the installation prefix that plays the part of `/usr`.
function(mlx_install_library target export_set component prefix)
  if(prefix STREQUAL ".")
    set(lib ${CMAKE_INSTALL_LIBDIR})
    set(include ${CMAKE_INSTALL_INCLUDEDIR})
    set(package share/cmake/MLX)
  else()
    set(lib ${prefix}/lib)
    set(include ${prefix}/include)
    set(package ${prefix}/share/cmake/MLX)
  endif()
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${include}>)
  install(TARGETS ${target} EXPORT ${export_set}
          LIBRARY DESTINATION ${lib} COMPONENT ${component} NAMELINK_COMPONENT ${component}
          ARCHIVE DESTINATION ${lib} COMPONENT ${component}
          RUNTIME DESTINATION ${lib} COMPONENT ${component})
  install(CODE "set(SOURCE \"${PROJECT_SOURCE_DIR}\")
set(DESTINATION \"${include}\")
set(ROOTS \"${MLX_PUBLIC_HEADERS}\")" COMPONENT ${component})
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake COMPONENT ${component})
  install(EXPORT ${export_set} FILE MLXTargets.cmake DESTINATION ${package} COMPONENT ${component})

  set(work ${PROJECT_BINARY_DIR}/package/${component})
  set(MLX_PACKAGE_INCLUDE_DIR ${include})
  set(MLX_PACKAGE_LIB_DIR ${lib})
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/MLXConfig.cmake.in ${work}/MLXConfig.cmake
    INSTALL_DESTINATION ${package} PATH_VARS MLX_PACKAGE_INCLUDE_DIR MLX_PACKAGE_LIB_DIR)
  write_basic_package_version_file(${work}/MLXConfigVersion.cmake COMPATIBILITY SameMajorVersion
                                   VERSION ${PROJECT_VERSION})
  install(FILES ${work}/MLXConfig.cmake ${work}/MLXConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/extension.cmake
          DESTINATION ${package} COMPONENT ${component})
endfunction()

mlx_install_library(mlx MLXTargets cpp .)
