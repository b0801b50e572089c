# tarot_proto(rules FILES tarot/rules/v1/table.proto ... DEPS tarot::google_rpc)
#   -> target tarot::rules_proto with the messages and gRPC stubs of one proto package.
include_guard()

set(TAROT_PROTO_OUT ${PROJECT_BINARY_DIR}/proto)
file(MAKE_DIRECTORY ${TAROT_PROTO_OUT})
find_program(TAROT_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

function(tarot_proto name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FILES;DEPS")
  set(sources)
  foreach(file ${arg_FILES})
    string(REGEX REPLACE "\\.proto$" "" stem ${file})
    set(outputs ${TAROT_PROTO_OUT}/${stem}.pb.cc ${TAROT_PROTO_OUT}/${stem}.pb.h)
    set(command --cpp_out=${TAROT_PROTO_OUT})
    if(stem MATCHES "_service$")
      list(APPEND outputs ${TAROT_PROTO_OUT}/${stem}.grpc.pb.cc ${TAROT_PROTO_OUT}/${stem}.grpc.pb.h)
      list(APPEND command --grpc_out=${TAROT_PROTO_OUT}
           --plugin=protoc-gen-grpc=${TAROT_GRPC_PLUGIN})
    endif()
    # Each generated file depends on every proto of the package. With protoc's --dependency_out,
    # ninja would build the files again each time.
    list(TRANSFORM arg_FILES PREPEND ${PROJECT_SOURCE_DIR}/proto/ OUTPUT_VARIABLE inputs)
    add_custom_command(OUTPUT ${outputs}
      COMMAND protobuf::protoc -I ${PROJECT_SOURCE_DIR}/proto ${command} ${file}
      DEPENDS ${inputs} COMMENT "protoc ${file}" VERBATIM)
    list(APPEND sources ${outputs})
  endforeach()
  add_library(tarot_${name}_proto STATIC ${sources})
  target_include_directories(tarot_${name}_proto SYSTEM PUBLIC ${TAROT_PROTO_OUT})
  target_link_libraries(tarot_${name}_proto PUBLIC protobuf::libprotobuf gRPC::grpc++ ${arg_DEPS})
  add_library(tarot::${name}_proto ALIAS tarot_${name}_proto)
endfunction()
