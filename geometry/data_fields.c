/* Common fields of projections and volumes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/device/host_memory.h"
#include "geometry/data_fields.h"

gt_status gt_zeros_new(size_t n, const char *what, float **values)
{
	const gt_status st = gt_host_has_memory((double)n * sizeof(float), what);
	if (st != GT_OK)
		return st;
	if (!(*values = gt_host_alloc(n * sizeof **values)))
		return gt_fail(GT_ERR_MEMORY, "%s: needs %.3g MB of memory", what, (double)n * 4e-6);
	memset(*values, 0, n * sizeof **values); /* touches the memory, so that checks of the free memory count it */
	return GT_OK;
}

void gt_loan_end(const gt_loan *loan, float *values)
{
	if (!loan->borrowed)
		free(values);
	else if (loan->release)
		loan->release(loan->owner);
}

gt_status gt_provenance_set(gt_provenance *from, const char *command, const char *parameters, uint64_t scan_hash)
{
	gt_provenance made = { command ? strdup(command) : NULL, parameters ? strdup(parameters) : NULL, scan_hash };
	if ((command && !made.command) || (parameters && !made.parameters)) {
		gt_provenance_clear(&made);
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	gt_provenance_clear(from);
	*from = made;
	return GT_OK;
}

void gt_provenance_clear(gt_provenance *from)
{
	free(from->command);
	free(from->parameters);
	*from = (gt_provenance){ .scan_hash = 0 };
}

gt_status gt_need_argument(const char *function, const char *what, const void *argument)
{
	return argument ? GT_OK : gt_fail(GT_ERR_ARG, "%s: expected %s, found NULL", function, what);
}

gt_status gt_need_handle(const char *function, const char *what, const void *handle, gt_tag tag)
{
	gt_tag found = GT_FREED;
	if (handle)
		memcpy(&found, handle, sizeof found);
	if (found == tag)
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "%s: expected %s, found %s", function, what, handle ? "something else" : "NULL");
}

gt_status gt_water_set(double water, double *field)
{
	if (!(water >= 0 && water <= GT_WATER_MAX))
		return gt_fail(GT_ERR_ARG, "water=%g: expected an attenuation in mm^-1, at most %g, or 0 if unknown", water, GT_WATER_MAX);
	*field = water;
	return GT_OK;
}

gt_status gt_position_set(gt_position position, gt_position *field)
{
	if ((int)position < GT_HFS || (int)position > GT_FFP)
		return gt_fail(GT_ERR_ARG, "position %d: expected one of HFS, HFP, FFS, FFP (%d to %d)", (int)position, GT_HFS, GT_FFP);
	*field = position;
	return GT_OK;
}
