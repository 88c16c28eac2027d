/* Position of the patient, and directions of the scanner axes in the patient (docs/geometry.md). */
#include <string.h>
#include "geometry/patient_position.h"

const char *const gt_position_names[] = { "HFS", "HFP", "FFS", "FFP", NULL };

/* Signs of the four positions: x to the right, y to the front, z to the head, or reversed. */
static const int signs[][3] = { { 1, 1, 1 }, { -1, -1, 1 }, { -1, 1, -1 }, { 1, -1, -1 } };

int gt_position_sign(gt_position position, int axis) { return signs[position][axis]; }

char gt_position_letter(gt_position position, int axis, int direction)
{
	static const char letters[] = "RLAPHF";
	return letters[2 * axis + (signs[position][axis] * direction < 0)];
}

gt_position gt_position_find(const char *name)
{
	int i = 0;
	while (gt_position_names[i] && strcmp(gt_position_names[i], name) != 0)
		i++;
	return gt_position_names[i] ? (gt_position)i : GT_POSITION_AUTO;
}
