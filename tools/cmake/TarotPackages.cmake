# Finds the packages of Debian 12, in the form in which Debian ships them.
include_guard()

find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Protobuf REQUIRED)        # Debian ships no CMake config file of protobuf.
find_package(gRPC CONFIG REQUIRED)
find_package(GTest CONFIG REQUIRED)
find_package(benchmark CONFIG REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.74 REQUIRED)      # Only the headers of Boost are used, for Asio and Beast.
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(argon2 REQUIRED IMPORTED_TARGET libargon2)
pkg_check_modules(icu REQUIRED IMPORTED_TARGET icu-i18n icu-uc)
pkg_check_modules(pqxx REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET prometheus-cpp-core prometheus-cpp-pull)
pkg_check_modules(tcmalloc REQUIRED IMPORTED_TARGET libtcmalloc_minimal)

# The headers of these packages are SYSTEM headers, so that the compiler gives no warnings about
# them.
foreach(target PkgConfig::argon2 PkgConfig::icu PkgConfig::pqxx PkgConfig::prometheus)
  set_target_properties(${target} PROPERTIES IMPORTED_NO_SYSTEM OFF)
endforeach()

# Links gRPC, protobuf and Abseil statically into every program. With shared libraries, the calls between
# them and their thread-local variables took a twelfth of a move's CPU time (docs/lab/2026-11-21-tables.md).
get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER targets INCLUDE REGEX "^(absl|gRPC|protobuf)::")
foreach(target ${targets})
  foreach(place IMPORTED_LOCATION IMPORTED_LOCATION_NONE IMPORTED_LOCATION_RELEASE)
    get_target_property(library ${target} ${place})
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${library}")
    if(library MATCHES "\\.so" AND EXISTS ${archive})
      set_target_properties(${target} PROPERTIES ${place} ${archive})
    endif()
  endforeach()
endforeach()
