#ifndef GT_IO_NETCDF_NETCDF_H
#define GT_IO_NETCDF_NETCDF_H
/* The two kinds of NetCDF files; private to io/. */
#include <gantry/io.h>

gt_status gt_netcdf_read_projections (const char *path, const gt_read_options *o, gt_projections **p);
gt_status gt_netcdf_write_projections(const char *path, const gt_write_options *o, const gt_projections *p);
gt_status gt_netcdf_read_volume (const char *path, const gt_read_options *o, gt_volume **v);
gt_status gt_netcdf_write_volume(const char *path, const gt_write_options *o, const gt_volume *v);
/* In pieces. */
gt_status gt_netcdf_open_views   (const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **v);
gt_status gt_netcdf_create_slices(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s);
#endif
