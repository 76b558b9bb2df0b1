# Empty compiler generated dependencies file for example_c.
# This may be replaced when dependencies are built.
