CMakeFiles/example_c.dir/example.c.o: \
 /tmp/h/pack/packaging/conan/test_package/example.c \
 /usr/include/stdc-predef.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/nopal.h \
 /usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h \
 /usr/lib/gcc/x86_64-linux-gnu/12/include/stdint.h /usr/include/stdint.h \
 /usr/include/x86_64-linux-gnu/bits/libc-header-start.h \
 /usr/include/features.h /usr/include/features-time64.h \
 /usr/include/x86_64-linux-gnu/bits/wordsize.h \
 /usr/include/x86_64-linux-gnu/bits/timesize.h \
 /usr/include/x86_64-linux-gnu/sys/cdefs.h \
 /usr/include/x86_64-linux-gnu/bits/long-double.h \
 /usr/include/x86_64-linux-gnu/gnu/stubs.h \
 /usr/include/x86_64-linux-gnu/gnu/stubs-64.h \
 /usr/include/x86_64-linux-gnu/bits/types.h \
 /usr/include/x86_64-linux-gnu/bits/typesizes.h \
 /usr/include/x86_64-linux-gnu/bits/time64.h \
 /usr/include/x86_64-linux-gnu/bits/wchar.h \
 /usr/include/x86_64-linux-gnu/bits/stdint-intn.h \
 /usr/include/x86_64-linux-gnu/bits/stdint-uintn.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/detail/export.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/detail/c_scope_parallel.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/detail/argument_list.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/detail/fast_path.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/detail/frame.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/detail/noise.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/version.hpp \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/detail/c_reducer.h \
 /tmp/h/pack-w/conan-home/p/b/nopalf9e83a8eab18e/p/include/nopal/detail/view.h \
 /usr/include/stdio.h /usr/lib/gcc/x86_64-linux-gnu/12/include/stdarg.h \
 /usr/include/x86_64-linux-gnu/bits/types/__fpos_t.h \
 /usr/include/x86_64-linux-gnu/bits/types/__mbstate_t.h \
 /usr/include/x86_64-linux-gnu/bits/types/__fpos64_t.h \
 /usr/include/x86_64-linux-gnu/bits/types/__FILE.h \
 /usr/include/x86_64-linux-gnu/bits/types/FILE.h \
 /usr/include/x86_64-linux-gnu/bits/types/struct_FILE.h \
 /usr/include/x86_64-linux-gnu/bits/stdio_lim.h \
 /usr/include/x86_64-linux-gnu/bits/floatn.h \
 /usr/include/x86_64-linux-gnu/bits/floatn-common.h \
 /usr/include/x86_64-linux-gnu/bits/stdio.h
