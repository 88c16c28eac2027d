/* The format "netcdf": NetCDF-4, and the classic formats for reading. docs/files.md describes the files. */
#include <stdio.h>
#include <string.h>
#include "core/files/opener.h"
#include "core/try.h"
#include "io/hdf5/hdf5_file.h"
#include "io/netcdf/nc.h"
#include "io/netcdf/netcdf.h"
#include "io/table.h"

static int probe(const char *path)
{
	char head[4] = "";
	const size_t n = gt_file_start(path, head, 4);
	return gt_hdf5_is(path) || (n == 4 && !memcmp(head, "CDF", 3) && (head[3] == 1 || head[3] == 2 || head[3] == 5));
}

static gt_status kind(const char *path, int *projections)
{
	gt_nc f;
	int id, views, attenuation, hu, dimension;
	gt_status st;
	GT_TRY(gt_nc_open(path, &f));
	GT_TRY(gt_nc_has(&f, "projections", &views));
	GT_TRY(gt_nc_has(&f, "attenuation", &attenuation));
	GT_TRY(gt_nc_has(&f, "ct_number", &hu));
	dimension = nc_inq_dimid(f.id, "view", &id);
	if (dimension != NC_EBADDIM)
		GT_TRY(gt_nc_check(&f, NULL, dimension));
	*projections = views || dimension == NC_NOERR;
	if (!*projections && !attenuation && !hu)
		st = gt_fail(GT_ERR_FORMAT,
		             "%s: holds neither projections (variable projections) nor a volume (variable attenuation or ct_number)", path);
done:
	gt_nc_close(&f);
	return st;
}

const gt_format gt_format_netcdf = {
	.name = "netcdf",
	.about = "NetCDF",
	.extensions = "nc nc4",
	.probe = probe,
	.kind = kind,
	.read_projections = gt_netcdf_read_projections,
	.write_projections = gt_netcdf_write_projections,
	.write_volume = gt_netcdf_write_volume,
	.open_views = gt_netcdf_open_views,
	.create_slices = gt_netcdf_create_slices,
	.slices = &gt_netcdf_slices,
	.create_views = gt_netcdf_create_views,
};
