#ifndef GANTRY_AUTHOR_CONSTANTS_H
#define GANTRY_AUTHOR_CONSTANTS_H
/* Numbers of mathematics that ISO C does not name; for C, C++ and CUDA. */
#define GT_PI 3.14159265358979323846
#define GT_DEGREES (180 / GT_PI) /* degrees per radian */
#endif
