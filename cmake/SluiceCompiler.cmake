# Compiler, warnings, sanitizers, ccache and linker, for every target of the tree.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  message(FATAL_ERROR
    "g++ ${CMAKE_CXX_COMPILER_VERSION} miscompiles co_await expressions in silence (an aggregate "
    "temporary in the same full expression is destroyed twice). Use clang++-19: "
    "cmake --preset release, or -DCMAKE_CXX_COMPILER=clang++-19.")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(SLUICE_CCACHE ccache)
if(SLUICE_CCACHE)
  # Precompiled headers carry times; ccache must be told that they do not matter.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${SLUICE_CCACHE})
endif()

find_program(SLUICE_MOLD mold)
if(SLUICE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

option(SLUICE_WERROR "Treat warnings as errors" ON)
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                    -Wunused -Woverloaded-virtual -Wconversion -Wno-sign-conversion)
if(SLUICE_WERROR)
  add_compile_options(-Werror)
endif()

# crc32c and the record checksums use SSE4.2 where the machine has it: chosen at run time, so that
# one binary runs everywhere.
add_compile_options(-fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_BUILD_TYPE MATCHES "Debug|RelWithDebInfo")
  # The PCH is instantiated once, not in every file that uses it.
  add_compile_options(-gline-tables-only)
endif()

set(SLUICE_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
if(SLUICE_SANITIZE)
  add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SLUICE_SANITIZE})
endif()
option(SLUICE_LIBFUZZER "Build the fuzz targets against libFuzzer" OFF)
if(SLUICE_LIBFUZZER)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
