// A named SQL statement: the name is the prepared-statement name and the metric label.
#pragma once

namespace tarot::pg {

struct Statement {
  const char* name;  // <service>_<verb>_<noun>
  const char* sql;
};

}  // namespace tarot::pg
