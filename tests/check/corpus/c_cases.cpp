// What cases in C ask of the corpus.
#include "corpus.hpp"

extern "C" {
void use_in_c(long value) { use(value); }
void register_in_c(const char* name, void (*run)()) { new known_case(name, run); }
}
