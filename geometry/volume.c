/* Handle of a volume: a grid, and owned or borrowed voxels. */
#include <stdlib.h>
#include "core/try.h"
#include "geometry/volume.h"

static int is(const gt_volume *v) { return v && v->tag == GT_IS_VOLUME; }

gt_status gt_volume_is(const char *function, const gt_volume *v) { return gt_need_handle(function, "a volume", v, GT_IS_VOLUME); }

gt_volume *gt_volume_blank(void)
{
	gt_volume *v = calloc(1, sizeof *v);
	if (v)
		v->tag = GT_IS_VOLUME;
	return v;
}

static gt_status with_grid(const char *function, const gt_grid *grid, gt_volume **v)
{
	gt_status st = GT_OK;
	GT_TRY(gt_need_argument(function, "a place for the volume", v));
	*v = NULL;
	GT_TRY(gt_need_argument(function, "a grid", grid));
	GT_TRY(gt_grid_check(grid, NULL));
	if (!(*v = gt_volume_blank()))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	(*v)->grid = *grid;
	(*v)->water = GT_WATER_DEFAULT;
done:
	return st;
}

gt_status gt_volume_new(const gt_grid *grid, gt_volume **v)
{
	gt_status st = with_grid("gt_volume_new", grid, v);
	if (st != GT_OK)
		return st;
	st = gt_zeros_new(gt_grid_voxels(grid), "the volume", &(*v)->data);
	if (st != GT_OK) {
		gt_volume_free(*v);
		*v = NULL;
	}
	return st;
}

gt_status gt_volume_wrap(const gt_grid *grid, float *data, gt_release release, void *owner, gt_volume **v)
{
	const gt_loan loan = { 1, release, owner };
	const gt_status st = with_grid("gt_volume_wrap", grid, v);
	if (st != GT_OK) {
		gt_loan_end(&loan, data);
		return st;
	}
	(*v)->data = data;
	(*v)->loan = loan;
	return GT_OK;
}

void gt_volume_free(gt_volume *v)
{
	if (!is(v))
		return;
	gt_loan_end(&v->loan, v->data);
	gt_provenance_clear(&v->from);
	v->tag = GT_FREED;
	free(v);
}

const gt_grid *gt_volume_grid(const gt_volume *v) { return is(v) ? &v->grid : NULL; }
float *gt_volume_data(const gt_volume *v) { return is(v) ? v->data : NULL; }
double gt_volume_water(const gt_volume *v) { return is(v) ? v->water : 0; }
gt_position gt_volume_position(const gt_volume *v) { return is(v) ? v->position : GT_HFS; }
int gt_volume_position_known(const gt_volume *v) { return is(v) && v->positioned; }
gt_unit gt_volume_unit(const gt_volume *v) { return is(v) ? v->unit : GT_PER_MM; }
const gt_provenance *gt_volume_provenance(const gt_volume *v) { return is(v) ? &v->from : NULL; }

gt_status gt_volume_set_water(gt_volume *v, double water)
{
	const gt_status st = gt_volume_is("gt_volume_set_water", v);
	return st != GT_OK ? st : gt_water_set(water, &v->water);
}

gt_status gt_volume_set_position(gt_volume *v, gt_position position)
{
	gt_status st = gt_volume_is("gt_volume_set_position", v);
	if (st == GT_OK && (st = gt_position_set(position, &v->position)) == GT_OK)
		v->positioned = 1;
	return st;
}

gt_status gt_volume_set_provenance(gt_volume *v, const char *command, const char *parameters, const gt_scan *scan)
{
	const gt_status st = gt_volume_is("gt_volume_set_provenance", v);
	return st != GT_OK ? st : gt_provenance_set(&v->from, command, parameters, scan ? gt_scan_hash(scan) : 0);
}

gt_status gt_volume_set_command(gt_volume *v, const char *command)
{
	const gt_status st = gt_volume_is("gt_volume_set_command", v);
	return st != GT_OK ? st : gt_provenance_set(&v->from, command, v->from.parameters, v->from.scan_hash);
}
