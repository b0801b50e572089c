// The workers' old address.
#pragma once

#include "libs/base/worker_pool.h"

namespace tarot::rpc {

using tarot::InlineWorkerPool;
using tarot::ThreadWorkerPool;
using tarot::WorkerPool;

}  // namespace tarot::rpc
