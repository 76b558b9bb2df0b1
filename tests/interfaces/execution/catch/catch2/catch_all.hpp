// Catch2 as its one file.
#include <catch_amalgamated.hpp>
