/* The same, compiled without tables for unwinding. */
#define end_thread_in_c end_thread_in_c_without_tables
#include "ended_in_c.c"
