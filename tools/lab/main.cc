// The program tarot-lab has the developers' commands on local bots, records and rules.
#include "tools/cli/program.h"
#include "tools/lab/commands/commands.h"

int main(int argc, char** argv) { return tarot::cli::Main(tarot::lab::TarotLab(), argc, argv); }
