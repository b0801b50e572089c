# The functions that make all targets of the project. No other file calls add_library or add_executable.
include_guard()
include(GoogleTest)

# The allocator of all programs. In gRPC, one thread often frees memory that another thread has
# allocated. This is slow in glibc's malloc, which took an eighth of a service's time
# (docs/lab/2026-11-21-tables.md). Sanitizers use their own allocator.
add_library(tarot_malloc INTERFACE)
add_library(tarot::malloc ALIAS tarot_malloc)
if(NOT TAROT_SANITIZE)
  target_link_libraries(tarot_malloc INTERFACE PkgConfig::tcmalloc)
endif()

# Targets that see gRPC share one precompiled header; the pure libraries have no precompiled header.
function(tarot_use_pch target)
  get_target_property(deps ${target} LINK_LIBRARIES)
  if("${deps}" MATCHES "tarot::rpc|_proto|gRPC::|tarot::status" AND TARGET tarot_pch)
    target_link_libraries(${target} PRIVATE gRPC::grpc++ protobuf::libprotobuf)
    target_precompile_headers(${target} REUSE_FROM tarot_pch)
  endif()
endfunction()

# tarot_library(rules SRCS a.cc DEPS absl::span)  ->  target tarot_rules, alias tarot::rules
function(tarot_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SRCS;DEPS;PRIVATE_DEPS")
  if(arg_SRCS)
    add_library(tarot_${name} STATIC ${arg_SRCS})
    target_include_directories(tarot_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(tarot_${name} PUBLIC ${arg_DEPS} PRIVATE tarot::warnings ${arg_PRIVATE_DEPS})
    tarot_use_pch(tarot_${name})
  else()
    add_library(tarot_${name} INTERFACE)
    target_include_directories(tarot_${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(tarot_${name} INTERFACE ${arg_DEPS})
  endif()
  add_library(tarot::${name} ALIAS tarot_${name})
endfunction()

# Each program contains the commit of its sources. Every build compares the commit with the last
# build's commit. Only if the commit is new, the build compiles this file and links the programs
# again.
set(tarot_commit_file ${PROJECT_BINARY_DIR}/generated/commit.cc)
add_custom_target(tarot_commit BYPRODUCTS ${tarot_commit_file} COMMENT ""
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DFILE=${tarot_commit_file}
    -P ${PROJECT_SOURCE_DIR}/tools/cmake/WriteCommit.cmake)
add_library(tarot_commit_object OBJECT ${tarot_commit_file})
add_dependencies(tarot_commit_object tarot_commit)

# tarot_binary(tarot-rules SRCS main.cc DEPS ...)  ->  build/bin/tarot-rules
function(tarot_binary name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SRCS;DEPS")
  add_executable(${name} ${arg_SRCS} $<TARGET_OBJECTS:tarot_commit_object>)
  target_link_libraries(${name} PRIVATE ${arg_DEPS} tarot::warnings tarot::malloc)
  tarot_use_pch(${name})
endfunction()

# tarot_test(rules_test SRCS legal_test.cc DEPS tarot::rules LABEL unit [TIMEOUT 60])
# LABEL is one of unit, pg, sim, golden, fuzz, e2e. Each TEST is one ctest test. With WHOLE, the whole
# binary is one ctest test, for tests that share a costly fixture. ROOT does the same and runs the test as root.
function(tarot_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE;ROOT" "LABEL;TIMEOUT" "SRCS;DEPS")
  if(NOT BUILD_TESTING)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(${name} ${arg_SRCS})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} tarot::warnings GTest::gmock_main)
  # The tests take longer to compile than the product, and most tests run only for milliseconds. So
  # they are compiled with fewer optimizations.
  if(NOT TAROT_SANITIZE)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> -pthread)
    target_precompile_headers(${name} REUSE_FROM tarot_test_pch)
  endif()
  target_compile_definitions(${name} PRIVATE TAROT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TAROT_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  if(arg_ROOT)
    add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tools/dev.d/as_root.sh $<TARGET_FILE:${name}>)
  elseif(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
  else()
    gtest_discover_tests(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT}
                         DISCOVERY_TIMEOUT 60)
  endif()
  if(arg_ROOT OR arg_WHOLE)
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT})
  endif()
endfunction()

# tarot_bench(rules_bench SRCS rules_bench.cc DEPS tarot::rules)  ->  build/bin/rules_bench for tools/dev bench.
function(tarot_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SRCS;DEPS")
  add_executable(${name} ${arg_SRCS})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} tarot::warnings tarot::malloc benchmark::benchmark)
endfunction()
