file(REMOVE_RECURSE
  "CMakeFiles/example.dir/example.cpp.o"
  "CMakeFiles/example.dir/example.cpp.o.d"
  "example"
  "example.pdb"
)

# Per-language clean rules from dependency scanning.
foreach(lang CXX)
  include(CMakeFiles/example.dir/cmake_clean_${lang}.cmake OPTIONAL)
endforeach()
