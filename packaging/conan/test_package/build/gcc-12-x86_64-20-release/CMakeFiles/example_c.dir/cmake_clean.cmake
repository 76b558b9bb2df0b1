file(REMOVE_RECURSE
  "CMakeFiles/example_c.dir/example.c.o"
  "CMakeFiles/example_c.dir/example.c.o.d"
  "example_c"
  "example_c.pdb"
)

# Per-language clean rules from dependency scanning.
foreach(lang C)
  include(CMakeFiles/example_c.dir/cmake_clean_${lang}.cmake OPTIONAL)
endforeach()
