# Everything comes from Debian packages; scripts/install-deps lists them.

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS headers json url context)
find_package(fmt REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(simdjson CONFIG REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)

# The allocator of the program: bench/README.md says what it gives. Sanitizers bring their own.
add_library(sluice_allocator INTERFACE)
if(NOT SLUICE_SANITIZE)
  find_library(SLUICE_TCMALLOC libtcmalloc_minimal.a REQUIRED)
  target_link_libraries(sluice_allocator INTERFACE
    -Wl,--whole-archive ${SLUICE_TCMALLOC} -Wl,--no-whole-archive)
endif()

# What every target may include without saying so: Result, formatting, logging, JSON.
add_library(sluice_common_dependencies INTERFACE)
target_link_libraries(sluice_common_dependencies INTERFACE
  fmt::fmt spdlog::spdlog Boost::headers Boost::json Threads::Threads)

# Asio and Beast are compiled once, here; every other file sees declarations only.
add_library(sluice_asio STATIC ${CMAKE_CURRENT_SOURCE_DIR}/cmake/asio.cpp)
target_compile_definitions(sluice_asio PUBLIC
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE
  # A send nests eight coroutines; each thread keeps their frames for the next one.
  BOOST_ASIO_RECYCLING_ALLOCATOR_CACHE_SIZE=8)
target_link_libraries(sluice_asio PUBLIC sluice_common_dependencies)
target_compile_options(sluice_asio PRIVATE -w)

# The headers that nearly every file with coroutines needs, parsed once (sluice_library(... ASIO)).
add_library(sluice_asio_pch OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/cmake/asio_pch.cpp)
target_link_libraries(sluice_asio_pch PUBLIC sluice_asio)
target_precompile_headers(sluice_asio_pch PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/asio_pch.hpp)
