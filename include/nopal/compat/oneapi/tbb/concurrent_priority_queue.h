// Not here; said rather than found elsewhere, since oneTBB's own headers do not go with these.
#error "nopal: not among these headers: compile this file with those of oneTBB, and those alone"
