// Bodies of the templates of client.h; include that one.
#pragma once

namespace tarot::client {}
