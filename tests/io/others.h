#ifndef GT_TESTS_IO_OTHERS_H
#define GT_TESTS_IO_OTHERS_H
/* Writing files as other programs do, with libnetcdf directly. */
#include <check.h>
#include <netcdf.h>

#define nc_ok(call) ck_assert_int_eq(call, NC_NOERR)

#endif
