/* Parameter files of LEAP: lines "key = value"; commas separate list elements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gantry/author/constants.h>
#include <gantry/author/vec3.h>
#include "core/log.h"
#include "core/try.h"
#include "io/geometry/geometry_writers.h"
#include "io/geometry/key_list.h"

static int probe(const gt_geometry_input *in)
{
	return gt_text_has_line(in->text, "geometry") && gt_text_has_line(in->text, "numAngles") &&
	       gt_text_has_line(in->text, "pixelWidth");
}

typedef struct {
	gt_key_list keys;
	gt_scan_size3 size;
	gt_leap_orbit orbit;
} leap;

static gt_status read_detector(leap *p)
{
	const double columns = (double)p->size.columns, rows = (double)p->size.rows;
	int there;
	gt_status st = GT_OK;
	p->orbit.center[0] = (columns - 1) / 2;
	p->orbit.center[1] = (rows - 1) / 2;
	GT_TRY(gt_key_length(&p->keys, NULL, "pixelWidth", &p->orbit.pitch[0]));
	GT_TRY(gt_key_length(&p->keys, NULL, "pixelHeight", &p->orbit.pitch[1]));
	GT_TRY(gt_key_maybe(&p->keys, NULL, "centerCol", &p->orbit.center[0], &there));
	GT_TRY(gt_key_maybe(&p->keys, NULL, "centerRow", &p->orbit.center[1], &there));
	gt_geometry_took(p->keys.in, "column of the central ray", p->orbit.center[0], "", there ? "centerCol" : "the detector centre");
done:
	return st;
}

static gt_status read_list(leap *p, const char *key, size_t n, gt_number_list *l)
{
	const char *text = gt_key_text(&p->keys, NULL, key);
	if (!text)
		return gt_fail(GT_ERR_FORMAT, "%s is missing, expected %zu numbers", key, n);
	const gt_status st = gt_number_list_of(p->keys.in->path, key, text, strlen(text), l);
	return st != GT_OK || l->n == n ? st : gt_fail(GT_ERR_FORMAT, "%s has %zu numbers, expected %zu", key, l->n, n);
}

static gt_status read_modular(leap *p, gt_scan **scan)
{
	static const char *const names[] = { "sourcePositions", "moduleCenters", "rowVectors", "colVectors" };
	const size_t n = p->size.views;
	gt_number_list l[4] = { { NULL, 0, 0 } };
	gt_step_view *view = calloc(n, sizeof *view);
	gt_status st = view ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	for (int i = 0; i < 4 && st == GT_OK; i++)
		st = read_list(p, names[i], 3 * n, &l[i]);
	for (size_t v = 0; v < n && st == GT_OK; v++) {
		const double *row = l[2].value + 3 * v, *column = l[3].value + 3 * v;
		const double lengths[2] = { sqrt(gt_dot3(column, column)), sqrt(gt_dot3(row, row)) };
		for (int a = 0; a < 3; a++) {
			view[v].source[a] = l[0].value[3 * v + (size_t)a];
			view[v].panel[a] = l[1].value[3 * v + (size_t)a];
			view[v].column_step[a] = p->orbit.pitch[0] * column[a] / lengths[0];
			view[v].row_step[a] = p->orbit.pitch[1] * row[a] / lengths[1];
		}
	}
	if (st == GT_OK)
		st = gt_scan_of_steps(GT_FLAT, &p->size, p->orbit.center, view, scan);
	for (int i = 0; i < 4; i++)
		free(l[i].value);
	free(view);
	return st;
}

static gt_status read_angles(leap *p, gt_number_list *phi)
{
	const size_t n = p->size.views;
	double range = 0;
	gt_status st = GT_OK;
	if (gt_key_text(&p->keys, NULL, "phis")) {
		GT_TRY(read_list(p, "phis", n, phi));
	} else {
		GT_TRY(gt_key_number(&p->keys, NULL, "angularRange", &range));
		for (size_t v = 0; v < n; v++)
			GT_TRY(gt_number_add(p->keys.in->path, range * (double)v / (double)n, phi));
	}
	gt_geometry_note(p->keys.in, "%zu angles from %g to %g degrees from %s", n, phi->value[0], phi->value[n - 1],
	                 gt_key_text(&p->keys, NULL, "phis") ? "phis" : "angularRange");
	for (size_t v = 0; v < n; v++)
		phi->value[v] *= GT_PI / 180;
done:
	return st;
}

static gt_status read_orbit(leap *p, const char *kind, gt_scan **scan)
{
	gt_leap_orbit *o = &p->orbit;
	gt_number_list phi = { NULL, 0, 0 };
	const char *detector = gt_key_text(&p->keys, NULL, "detectorType");
	int there;
	gt_status st = GT_OK;
	const int curved = detector && !strcasecmp(detector, "curved");
	if (detector && *detector && !curved && strcasecmp(detector, "flat"))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "detectorType is '%.40s', expected flat or curved", detector));
	o->shape = !strcasecmp(kind, "parallel") ? GT_PARALLEL : curved ? GT_ARC : GT_FLAT;
	if (o->shape != GT_PARALLEL) {
		GT_TRY(gt_key_length(&p->keys, NULL, "sod", &o->sod));
		GT_TRY(gt_key_length(&p->keys, NULL, "sdd", &o->sdd));
		gt_geometry_took(p->keys.in, "source to axis", o->sod, "mm", "sod");
		gt_geometry_took(p->keys.in, "source to detector", o->sdd, "mm", "sdd");
		if (!(o->sdd > o->sod))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "sdd is %g and sod %g, expected the first to be larger", o->sdd, o->sod));
	}
	GT_TRY(gt_key_maybe(&p->keys, NULL, "tau", &o->tau, &there));
	GT_TRY(gt_key_maybe(&p->keys, NULL, "helicalPitch", &o->helical_pitch, &there));
	GT_TRY(gt_key_maybe(&p->keys, NULL, "tiltAngle", &o->tilt, &there));
	o->tilt *= GT_PI / 180;
	if (o->tilt != 0 && o->shape == GT_ARC)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "tiltAngle of a curved detector is not read"));
	GT_TRY(read_angles(p, &phi));
	o->phi = phi.value;
	GT_TRY(gt_scan_of_leap(o, &p->size, scan));
done:
	free(phi.value);
	return st;
}

static gt_status read_(gt_geometry_input *in)
{
	static const char *const kinds[] = { "cone", "fan", "parallel", "modular" };
	leap p = { .size = { 0, 0, 0 } };
	gt_status st = GT_OK;
	int k = 0;
	GT_TRY(gt_keys_read(in, &p.keys));
	GT_TRY(gt_key_size(&p.keys, NULL, "numAngles", &p.size.views));
	GT_TRY(gt_key_size(&p.keys, NULL, "numRows", &p.size.rows));
	GT_TRY(gt_key_size(&p.keys, NULL, "numCols", &p.size.columns));
	if (p.size.views > in->bytes && !gt_key_text(&p.keys, NULL, "angularRange"))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "numAngles is %zu, more than the file can hold", p.size.views));
	if (p.size.views > in->bytes)
		GT_TRY(gt_check_counted_views(in, p.size.views, "views by numAngles and angularRange"));
	GT_TRY(read_detector(&p));
	const char *kind = gt_key_text(&p.keys, NULL, "geometry");
	while (k < 4 && kind && strcasecmp(kind, kinds[k]))
		k++;
	if (k == 4 || !kind)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "geometry is '%s', expected cone, fan, parallel or modular", kind ? kind : ""));
	/* Fan-beam rays stay within their slices: only the row through the axis' origin equals a cone beam. */
	if (k == 1 && (p.size.rows > 1 || p.orbit.center[1] != 0))
		GT_TRY(gt_fail(
			GT_ERR_UNSUPPORTED,
			"a fan beam of %zu rows with centerRow=%g: its rays stay in their slices, expected one row at 0, or a cone beam",
			p.size.rows, p.orbit.center[1]));
	gt_geometry_note(in, "%s of %zu views, %zu rows x %zu columns from geometry, numAngles, numRows, numCols", kind, p.size.views,
	                 p.size.rows, p.size.columns);
	st = k == 3 ? read_modular(&p, &in->g->scan) : read_orbit(&p, kind, &in->g->scan);
done:
	gt_keys_free(&p.keys);
	return st;
}

const gt_geometry_reader gt_geometry_leap = { "leap", probe, read_ };

/* member: offset of the vector within gt_view. */
static void write_vectors(FILE *file, const char *name, const gt_scan *s, size_t member)
{
	fprintf(file, "%s = ", name);
	for (size_t v = 0; v < s->views; v++) {
		const double *x = (const double *)(const void *)((const char *)&s->view[v] + member);
		fprintf(file, "%s%.17g, %.17g, %.17g", v ? ", " : "", x[0], x[1], x[2]);
	}
	fprintf(file, "\n");
}

gt_status gt_write_leap(FILE *file, const gt_scan *s, const gt_listener *notes)
{
	double center[2] = { s->column_center, s->row_center };
	double *phi = NULL;
	gt_status st = GT_OK;
	if (s->shape == GT_ARC)
		return gt_fail(GT_ERR_UNSUPPORTED, "an arc is not written for LEAP: expected a flat detector or parallel rays");
	if (s->shape == GT_PARALLEL) {
		if (!(phi = calloc(s->views, sizeof *phi)))
			return gt_fail(GT_ERR_MEMORY, "out of memory");
		GT_TRY(gt_scan_to_leap_parallel(s, phi, center));
	}
	fprintf(file, "geometry = %s\nnumAngles = %zu\nnumRows = %zu\nnumCols = %zu\npixelHeight = %.17g\npixelWidth = %.17g\n",
	        phi ? "parallel" : "modular", s->views, s->rows, s->columns, s->row_pitch, s->column_pitch);
	fprintf(file, "centerRow = %.17g\ncenterCol = %.17g\n", center[1], center[0]);
	if (phi) {
		fprintf(file, "phis = ");
		for (size_t v = 0; v < s->views; v++)
			fprintf(file, "%s%.17g", v ? ", " : "", phi[v] * 180 / GT_PI);
		fprintf(file, "\n");
	} else {
		write_vectors(file, "sourcePositions", s, offsetof(gt_view, source));
		write_vectors(file, "moduleCenters", s, offsetof(gt_view, detector));
		write_vectors(file, "rowVectors", s, offsetof(gt_view, row_axis));
		write_vectors(file, "colVectors", s, offsetof(gt_view, column_axis));
		gt_notify(notes, GT_INFO, GT_ABOUT_GEOMETRY, "written as LEAP's modular beam, which can represent every flat view");
	}
done:
	free(phi);
	return st;
}
