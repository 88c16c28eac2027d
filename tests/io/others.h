#ifndef GT_TESTS_IO_OTHERS_H
#define GT_TESTS_IO_OTHERS_H
/* Writing files as other programs do, with libnetcdf directly. Test programs are linked with libgantry alone, which
 * brings libnetcdf along: weak references are resolved by it when the program starts. */
#include <netcdf.h>
#include <check.h>

#pragma weak nc_close
#pragma weak nc_create
#pragma weak nc_def_dim
#pragma weak nc_def_grp
#pragma weak nc_def_var
#pragma weak nc_def_var_chunking
#pragma weak nc_del_att
#pragma weak nc_enddef
#pragma weak nc_get_var_double
#pragma weak nc_get_var_float
#pragma weak nc_inq_dimid
#pragma weak nc_inq_varid
#pragma weak nc_open
#pragma weak nc_put_att_double
#pragma weak nc_put_att_float
#pragma weak nc_put_att_short
#pragma weak nc_put_att_string
#pragma weak nc_put_att_text
#pragma weak nc_put_var1_float
#pragma weak nc_put_var_double
#pragma weak nc_put_var_float
#pragma weak nc_put_vara_double
#pragma weak nc_redef
#pragma weak nc_rename_dim

#define nc_ok(call) ck_assert_int_eq(call, NC_NOERR)

#endif
