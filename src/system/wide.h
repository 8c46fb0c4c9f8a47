/* Loops that are worth making twice. */
#ifndef ST_WIDE_H
#define ST_WIDE_H

#include <stdint.h>

/* Before a function: also made for vectors of 256 bits, and the loader takes those if the processor has them. The arithmetic of
 * a lane is the same, and so are the bits. */
#if defined __GLIBC__ && defined __x86_64__ && !defined __clang__
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif
