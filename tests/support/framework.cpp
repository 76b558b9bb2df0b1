// Nothing: a target that has a precompiled header has a source.
