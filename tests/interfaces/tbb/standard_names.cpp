// Programs that name what a header of oneTBB's interface includes of the standard library: see StandardNames.cmake. What
// counts is that they compile.
int main() { return 0; }
