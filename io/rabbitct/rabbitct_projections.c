/* RabbitCT as a format: a scan from the matrices, and the filtered projections. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <gantry/array.h>
#include <gantry/io.h>
#include <gantry/author/scan_math.h>
#include "core/try.h"
#include "geometry/projections.h"
#include "io/rabbitct/rabbitct.h"
#include "io/write_kit/volume_units.h"
#include "io/table.h"

/* mm, of the benchmark's C-arm: a matrix does not determine the pixel pitch. Rays do not depend on it. */
#define PIXEL 0.32

static gt_status read_scan(gt_rabbitct *f, const char *path, double pixel, gt_scan **scan)
{
	const gt_rabbitct_head *h = gt_rabbitct_info(f);
	double(*matrix)[12] = malloc(h->views * sizeof *matrix), across[3];
	gt_status st = matrix ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	for (size_t v = 0; v < h->views && st == GT_OK; v++)
		st = gt_rabbitct_matrix(f, v, matrix[v]);
	GT_TRY(st);
	/* Detector distance in columns: the component of the first row perpendicular to the third. */
	const double *m = matrix[0], square = gt_dot3(m + 8, m + 8), along = gt_dot3(m, m + 8) / square;
	for (int a = 0; a < 3; a++)
		across[a] = m[a] - along * m[8 + a];
	const double distance = pixel * sqrt(gt_dot3(across, across) / square);
	if (!(distance > 0) || !isfinite(distance))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: the matrix of view 0 is singular: expected three independent rows of finite numbers",
		               path));
	GT_TRY(gt_fail_in(gt_scan_from_matrices((const double(*)[12])matrix, h->views, h->rows, h->columns, distance, scan), "%s", path));
done:
	free(matrix);
	return st;
}

static gt_status read_images(gt_rabbitct *f, const char *path, gt_projections *p)
{
	const gt_rabbitct_head *h = gt_rabbitct_info(f);
	const size_t cells = h->rows * h->columns;
	gt_status st = gt_host_has_memory((double)(cells * h->views) * sizeof *p->data, path);
	if (st != GT_OK)
		return st;
	if (!(p->data = malloc(cells * h->views * sizeof *p->data)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	for (size_t v = 0; v < h->views && st == GT_OK; v++)
		st = gt_rabbitct_image(f, v, p->data + v * cells);
	return st;
}

/* HU = s0 f, as in simulated sets: water is 1000, air 0. A set with an offset has another scale. */
static double water_of(const gt_rabbitct_head *h) { return h->scale[0] > 0 && h->scale[1] == 0 ? 1000 / (double)h->scale[0] : 0; }

static gt_status read_projections(const char *path, const gt_read_options *o, gt_projections **out)
{
	gt_rabbitct *f = NULL;
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_rabbitct_open(path, NULL, &f));
	if (!(p = gt_projections_blank()))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(read_scan(f, path, isnan(o->pixel) ? PIXEL : o->pixel, &p->scan));
	if (!o->geometry_only && (gt_rabbitct_info(f)->has_images || !o->may_lack_data))
		GT_TRY(read_images(f, path, p));
	p->water = water_of(gt_rabbitct_info(f));
	p->filtered = 1;
	if (isnan(o->pixel))
		gt_read_note(o,
		             "%s: no pixel pitch: assumed %g mm (gantry import --pixel sets it); it moves the detector but changes no ray",
		             path, PIXEL);
	*out = p;
done:
	if (st != GT_OK)
		gt_projections_free(p);
	gt_rabbitct_close(f);
	return st;
}

const gt_format gt_format_rabbitct = {
	.name = "rabbitct",
	.about = "RabbitCT",
	.extensions = "rctd rct",
	.probe = gt_rabbitct_probe,
	.read_projections = read_projections,
};
