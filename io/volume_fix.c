/* What volume formats share: order of voxels, units, notes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "io/volume_fix.h"

gt_status gt_volume_check(const char *path, const gt_grid *grid)
{
	const gt_status st = gt_fail_in(gt_grid_check(grid, NULL), "%s", path);
	return st == GT_ERR_ARG ? GT_ERR_FORMAT : st;
}

static void swap_lines(float *a, float *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const float t = a[i];
		a[i] = b[i];
		b[i] = t;
	}
}

/* data is [outer][n][inner]: reverses the middle index. */
static void reverse(float *data, size_t outer, size_t n, size_t inner)
{
	for (size_t o = 0; o < outer; o++)
		for (size_t i = 0; i < n / 2; i++)
			swap_lines(data + (o * n + i) * inner, data + (o * n + n - 1 - i) * inner, inner);
}

void gt_volume_flip(gt_volume *v, const int flip[3])
{
	const size_t *n = v->grid.n;
	if (flip[0])
		reverse(v->data, n[2] * n[1], n[0], 1);
	if (flip[1])
		reverse(v->data, n[2], n[1], n[0]);
	if (flip[2])
		reverse(v->data, 1, n[2], n[1] * n[0]);
}

void gt_volume_linear(gt_volume *v, double scale, double offset)
{
	const size_t n = gt_grid_voxels(&v->grid);
	for (size_t i = 0; i < n; i++)
		v->data[i] = (float)(scale * v->data[i] + offset);
}

double gt_volume_water(const gt_write_options *o, const gt_volume *v)
{
	return o->water > 0 ? o->water : v->water > 0 ? v->water : GT_WATER_DEFAULT;
}

void gt_read_note(const gt_read_options *o, const char *format, ...)
{
	va_list args;
	if (!o->note || !o->note_size)
		return;
	size_t at = strlen(o->note);
	if (at && at + 2 < o->note_size) {
		strcpy(o->note + at, "; ");
		at += 2;
	}
	va_start(args, format);
	vsnprintf(o->note + at, o->note_size - at, format, args);
	va_end(args);
}
