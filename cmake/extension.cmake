# Helpers for projects that extend MLX; installed beside the package
# configuration and included by it.
include(CMakeParseArguments)

# mlx_build_metallib(TARGET <t> TITLE <name> OUTPUT_DIRECTORY <dir> SOURCES <files>
#                    [INCLUDE_DIRS <dirs>] [DEPS <files>] [DEBUG <bool>])
# Compiles Metal sources with xcrun into <dir>/<name>.metallib, as target <t>.
macro(mlx_build_metallib)
  cmake_parse_arguments(MTLLIB "" "TARGET;TITLE;OUTPUT_DIRECTORY;DEBUG" "INCLUDE_DIRS;SOURCES;DEPS"
                        ${ARGN})
  file(MAKE_DIRECTORY "${MTLLIB_OUTPUT_DIRECTORY}")
  set(_mtllib_output "${MTLLIB_OUTPUT_DIRECTORY}/${MTLLIB_TITLE}.metallib")
  set(_mtllib_flags -Wall -Wextra -fno-fast-math)
  if(MTLLIB_DEBUG)
    list(APPEND _mtllib_flags -gline-tables-only -frecord-sources)
  endif()
  set(_mtllib_includes "")
  foreach(_mtllib_dir ${MTLLIB_INCLUDE_DIRS})
    list(APPEND _mtllib_includes "-I${_mtllib_dir}")
  endforeach()
  add_custom_command(
    OUTPUT ${_mtllib_output}
    COMMAND xcrun -sdk macosx metal ${_mtllib_flags} ${_mtllib_includes} ${MTLLIB_SOURCES} -o
            ${_mtllib_output}
    DEPENDS ${MTLLIB_DEPS} ${MTLLIB_SOURCES}
    COMMENT "Building ${MTLLIB_TITLE}.metallib"
    VERBATIM)
  add_custom_target(${MTLLIB_TARGET} DEPENDS ${_mtllib_output})
endmacro()
