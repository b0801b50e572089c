# tarot_migrations(rules_migrations tarot::rules_service storage/migrations)
#   -> library tarot::rules_migrations with every V*.sql of the directory, in order, built in:
#        #include "migrations/rules_migrations.h"
#        const std::vector<tarot::pg::Migration>& tarot::rules_service::Migrations();
#      Link it and pass Migrations() to pg::Migrate(dsn, "rules", ...), which also makes the schema.
include_guard()

function(tarot_migrations name namespace directory)
  set(out ${PROJECT_BINARY_DIR}/generated/migrations/${name})
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${directory}/V*.sql)
  list(SORT files)
  set(rows "")
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(file_name ${file} NAME)
    if(NOT file_name MATCHES "^V([0-9][0-9][0-9][0-9])__[a-z0-9_]+\\.sql$")
      message(FATAL_ERROR "${file}: a migration is named V0001__what_it_does.sql")
    endif()
    math(EXPR version "1${CMAKE_MATCH_1} - 10000")  # 0008 alone would be a wrong octal number.
    file(READ ${file} sql)
    string(APPEND rows "      {${version}, \"${file_name}\", R\"tarot_sql(${sql})tarot_sql\"},\n")
  endforeach()
  if(rows STREQUAL "")
    message(FATAL_ERROR "${directory}: no migration V*.sql")
  endif()
  tarot_write_if_different(${out}.h "#pragma once\n#include <vector>\n#include \"libs/pg/migrate.h\"
namespace ${namespace} {\nconst std::vector<::tarot::pg::Migration>& Migrations();\n}\n")
  tarot_write_if_different(${out}.cc "#include \"migrations/${name}.h\"\nnamespace ${namespace} {
const std::vector<::tarot::pg::Migration>& Migrations() {
  static const auto& all = *new std::vector<::tarot::pg::Migration>{\n${rows}  };\n  return all;\n}\n}\n")
  tarot_library(${name} SRCS ${out}.cc DEPS tarot::pg)
  target_include_directories(tarot_${name} PUBLIC ${PROJECT_BINARY_DIR}/generated)
endfunction()

function(tarot_write_if_different path content)
  if(EXISTS ${path})
    file(READ ${path} before)
    if(before STREQUAL content)
      return()
    endif()
  endif()
  file(WRITE ${path} "${content}")
endfunction()
