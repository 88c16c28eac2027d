#ifndef GT_IO_NETCDF_NETCDF_H
#define GT_IO_NETCDF_NETCDF_H
/* NetCDF files of projections and of volumes; private to io/. */
#include <gantry/io.h>
#include "io/netcdf/nc.h"

gt_status gt_netcdf_read_projections (const char *path, const gt_read_options *o, gt_projections **p);
gt_status gt_netcdf_write_projections(const char *path, const gt_write_options *o, const gt_projections *p);
gt_status gt_netcdf_write_volume(const char *path, const gt_write_options *o, const gt_volume *v);
/* Access by slices or views. */
extern const gt_slice_source gt_netcdf_slices;
gt_status gt_netcdf_open_views   (const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **v);
gt_status gt_netcdf_create_slices(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s);
gt_status gt_netcdf_create_views(const char *path, const gt_projections *head, int weighted, gt_view_writer **w);
/* For gt_netcdf_create_views(): writes everything except the values of the contiguous float blocks
 * [view][row][column]. */
extern const char *const gt_netcdf_blocks[2];
gt_status gt_netcdf_put_head(const gt_projections *head, int weighted, gt_nc *f);
#endif
