#include "libs/rpc/current_trace.h"

#include <utility>

namespace tarot::rpc {
namespace {

thread_local std::string current_trace;

}  // namespace

const std::string& CurrentTrace() { return current_trace; }

TraceScope::TraceScope(std::string traceparent)
    : previous_(std::exchange(current_trace, std::move(traceparent))) {}

TraceScope::~TraceScope() { current_trace = std::move(previous_); }

}  // namespace tarot::rpc
