// Stands for the header of a oneTBB that is installed: a version that there is not.
#ifndef NOPAL_TEST_TBB_BESIDE_VERSION_H
#define NOPAL_TEST_TBB_BESIDE_VERSION_H

#define TBB_VERSION_MAJOR 2029
#define TBB_VERSION_MINOR 3
#define TBB_VERSION_PATCH 1
#define TBB_VERSION_STRING "2029.3.1"
#define ONETBB_SPEC_VERSION 110
#define TBB_INTERFACE_VERSION 12930
#define TBB_INTERFACE_VERSION_MAJOR (TBB_INTERFACE_VERSION / 1000)
#define TBB_INTERFACE_VERSION_MINOR (TBB_INTERFACE_VERSION % 1000 / 10)

extern "C" const char* TBB_runtime_version();
extern "C" int TBB_runtime_interface_version();

#endif
