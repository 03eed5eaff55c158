# What an installation holds: library, headers, and the package configuration
# that find_package(MLX) reads. The same rules serve the C++ package and, under
# the prefix `mlx`, the Python package.
include(CMakePackageConfigHelpers)

# The headers that programs include, by folder, and whatever those include in
# turn; scripts/check-install compiles each of them on its own.
set(MLX_PUBLIC_HEADERS "")
foreach(_folder . types io backend/common backend/cpu backend/gpu backend/metal backend/cuda
                distributed)
  file(GLOB _headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
       ${PROJECT_SOURCE_DIR}/mlx/${_folder}/*.h)
  list(APPEND MLX_PUBLIC_HEADERS ${_headers})
endforeach()
list(APPEND MLX_PUBLIC_HEADERS mlx/core/parallel.h)
list(TRANSFORM MLX_PUBLIC_HEADERS REPLACE "^mlx/\\./" "mlx/")
set(_queue ${MLX_PUBLIC_HEADERS})
while(_queue)
  list(POP_FRONT _queue _header)
  file(STRINGS ${PROJECT_SOURCE_DIR}/${_header} _includes REGEX "^#include \"mlx/")
  foreach(_line ${_includes})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" _included "${_line}")
    if(NOT _included IN_LIST MLX_PUBLIC_HEADERS)
      list(APPEND MLX_PUBLIC_HEADERS ${_included})
      list(APPEND _queue ${_included})
    endif()
  endforeach()
endwhile()

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
  foreach(header ${MLX_PUBLIC_HEADERS})
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${include}/${folder} COMPONENT ${component})
  endforeach()
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
