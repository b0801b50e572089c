# Sets the version of C++, the warnings, the linker, and the folders for the results of a build.
include_guard()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")  # Does not set NDEBUG, so that checks stay active. Adds line
                                        # tables, so that a crash names its line.

find_program(TAROT_CCACHE ccache)
if(TAROT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${TAROT_CCACHE})
endif()

# Programs run on all servers of the last fifteen years. On newer servers, they choose faster code
# at run time.
add_compile_options(-march=x86-64-v2)

add_library(tarot_warnings INTERFACE)
add_library(tarot::warnings ALIAS tarot_warnings)
target_compile_options(tarot_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Werror
  -Wno-missing-field-initializers)  # Designated initializers may leave members out.

# TAROT_SANITIZE=address,undefined or thread: see CMakePresets.json. Undefined behaviour ends the program.
set(TAROT_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them")
if(TAROT_SANITIZE)
  add_compile_options(-fsanitize=${TAROT_SANITIZE} -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TAROT_SANITIZE})
endif()
