/* Marks what a shared library of Nopal exports. */
#ifndef NOPAL_DETAIL_EXPORT_H
#define NOPAL_DETAIL_EXPORT_H

#define NOPAL_EXPORT __attribute__((visibility("default")))

#endif
