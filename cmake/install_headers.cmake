# Runs at install time: copies the public headers and whatever they include, so
# that private headers stay out unless a public one needs them.
# In: SOURCE (repository root), DESTINATION (below the prefix), ROOTS (folders of
# public headers, relative to SOURCE).
cmake_policy(VERSION 3.25)
set(queue "")
foreach(folder ${ROOTS})
  file(GLOB headers RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.h)
  list(APPEND queue ${headers})
endforeach()
set(seen ${queue})
while(queue)
  list(POP_FRONT queue header)
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${SOURCE}/${header} DESTINATION "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${DESTINATION}/${folder}")
  file(STRINGS ${SOURCE}/${header} lines REGEX "^ *# *include +\"mlx/")
  foreach(line ${lines})
    string(REGEX REPLACE ".*\"(mlx/[^\"]+)\".*" "\\1" included "${line}")
    if(NOT included IN_LIST seen AND EXISTS ${SOURCE}/${included})
      list(APPEND seen ${included})
      list(APPEND queue ${included})
    endif()
  endforeach()
endwhile()
