// Not here; said rather than found elsewhere, since oneTBB's own headers do not go with these.
#error                                                                                                       \
    "nopal: <tbb/concurrent_vector.h> is not among nopal's headers for oneTBB programs: compile this file with oneTBB's own, and those alone"
