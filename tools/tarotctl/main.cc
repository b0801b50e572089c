// The program tarotctl, a client for the terminal: it plays matches, watches tables, and prints
// public data.
#include "tools/cli/program.h"
#include "tools/tarotctl/commands/commands.h"

int main(int argc, char** argv) {
  return tarot::cli::Main(tarot::tarotctl::Tarotctl(), argc, argv);
}
