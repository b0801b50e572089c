// The program tarotctl plays, watches, and reads public data from a terminal.
#include "tools/cli/program.h"
#include "tools/tarotctl/commands/commands.h"

int main(int argc, char** argv) {
  return tarot::cli::Main(tarot::tarotctl::Tarotctl(), argc, argv);
}
