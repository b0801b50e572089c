// tarotctl: play, watch, and read what is public, from a terminal.
#include "tools/cli/program.h"
#include "tools/tarotctl/commands/commands.h"

int main(int argc, char** argv) {
  return tarot::cli::Main(tarot::tarotctl::Tarotctl(), argc, argv);
}
