#include "libs/ai/world_loop.h"

#include <algorithm>

#include "libs/base/check.h"

namespace tarot::ai {
namespace {

Knowledge KnowOrDie(const rules::View& view) {
  const std::optional<Knowledge> knowledge = Know(view);
  TAROT_CHECK(knowledge.has_value());  // WhatIsWrong() says so before.
  return *knowledge;
}

}  // namespace

WorldLoop::WorldLoop(const rules::View& view, Rng rng, const Request& request, int worlds_max)
    : request_(request),
      worlds_max_(worlds_max),
      sampler_(KnowOrDie(view), view.viewer, view.hand, rng) {}

bool WorldLoop::Again() {
  if (decision_.worlds == 0) return true;
  if (request_.stop && request_.stop()) decision_.stopped = true;
  return !decision_.stopped && decision_.nodes < request_.node_budget &&
         decision_.worlds < worlds_max_;
}

const World& WorldLoop::Next() {
  ++decision_.worlds;
  return sampler_.Next();
}

Decision WorldLoop::Answer(std::vector<Candidate> candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.value > b.value; });
  decision_.action = candidates.front().action;
  decision_.candidates = std::move(candidates);
  return decision_;
}

}  // namespace tarot::ai
