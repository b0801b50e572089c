#include "services/matchmaking/transport/queues_file.h"

#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "services/matchmaking/app/errors.h"

namespace tarot::matchmaking_service {

absl::StatusOr<matchmaking::v1::ApplyQueuesRequest> ReadQueuesFile(const std::string& path) {
  std::ifstream in(path);
  const std::string json{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) return error::FileUnreadable(path);
  matchmaking::v1::ApplyQueuesRequest request;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, &request);
  if (!parsed.ok()) {
    return error::FieldInvalid(path, std::string(parsed.message()));
  }
  return request;
}

}  // namespace tarot::matchmaking_service
