#include "apps/cli/cli.hpp"
#include "apps/wiring/serve.hpp"

int main(int argc, char** argv) {
  return sluice::cli::run(argc, argv, &sluice::apps::serve);
}
