/* Geometry files of the Reconstruction Toolkit, version 3. Elements before the projections apply to all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/log.h"
#include "core/try.h"
#include "io/geometry/geometry_writers.h"
#include "io/geometry/xml_tree.h"

static int probe(const gt_geometry_input *in) { return gt_xml_root_is(in->text, "RTKThreeDCircularGeometry"); }

static const struct {
	const char *name;
	size_t at;
	int angle;
} fields[] = {
	{ "SourceToIsocenterDistance", offsetof(gt_rtk_view, sid), 0 },
	{ "SourceToDetectorDistance", offsetof(gt_rtk_view, sdd), 0 },
	{ "GantryAngle", offsetof(gt_rtk_view, gantry), 1 },
	{ "OutOfPlaneAngle", offsetof(gt_rtk_view, out_of_plane), 1 },
	{ "InPlaneAngle", offsetof(gt_rtk_view, in_plane), 1 },
	{ "SourceOffsetX", offsetof(gt_rtk_view, source), 0 },
	{ "SourceOffsetY", offsetof(gt_rtk_view, source) + sizeof(double), 0 },
	{ "ProjectionOffsetX", offsetof(gt_rtk_view, projection), 0 },
	{ "ProjectionOffsetY", offsetof(gt_rtk_view, projection) + sizeof(double), 0 },
};
enum { FIELDS = sizeof fields / sizeof *fields };

static gt_status number(const char *path, const gt_xml_node *n, double *value)
{
	size_t commas = 0;
	if (!gt_number_of(n->text, strlen(n->text), value, &commas) || commas)
		return gt_fail(GT_ERR_FORMAT, "%s: line %ld: %s is '%.40s', expected a number", path, n->line, n->name, n->text);
	return GT_OK;
}

/* Reads the children of `from`; sets the bit of each in *said. */
static gt_status take(const char *path, const gt_xml_node *from, gt_rtk_view *view, unsigned *said)
{
	for (const gt_xml_node *n = from->child; n; n = n->next) {
		double value = 0;
		gt_status st = GT_OK;
		if (!strcmp(n->name, "RadiusCylindricalDetector") && ((st = number(path, n, &value)) != GT_OK || value != 0))
			return st != GT_OK ? st
			                   : gt_fail(GT_ERR_UNSUPPORTED, "%s: line %ld: a cylindrical detector (radius %g mm) is not read",
			                             path, n->line, value);
		for (int i = 0; i < FIELDS; i++)
			if (!strcmp(n->name, fields[i].name)) {
				if ((st = number(path, n, &value)) != GT_OK)
					return st;
				*(double *)(void *)((char *)view + fields[i].at) = fields[i].angle ? value * GT_PI / 180 : value;
				*said |= 1u << i;
			}
	}
	return GT_OK;
}

static gt_status take_projections(gt_geometry_input *in, const gt_xml_node *root, gt_rtk_view **list, size_t *views)
{
	gt_rtk_view all = { 0 };
	unsigned said = 0;
	gt_status st = take(in->path, root, &all, &said);
	size_t n = 0;
	for (const gt_xml_node *p = gt_xml_find(root, "Projection"); p; p = gt_xml_again(p))
		n++;
	if (st == GT_OK && !n)
		st = gt_fail(GT_ERR_FORMAT, "%s: has no Projection, expected one for each view", in->path);
	if (st == GT_OK && !(*list = calloc(n, sizeof **list)))
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", in->path);
	if (st != GT_OK)
		return st;
	for (const gt_xml_node *p = gt_xml_find(root, "Projection"); p; p = gt_xml_again(p)) {
		unsigned its = said;
		(*list)[*views] = all;
		if ((st = take(in->path, p, &(*list)[(*views)++], &its)) != GT_OK)
			return st;
		for (int i = 0; i < 3; i++)
			if (!(its & 1u << i))
				return gt_fail(GT_ERR_FORMAT, "%s: line %ld: %s of view %zu is missing", in->path, p->line, fields[i].name,
				               *views - 1);
	}
	return GT_OK;
}

static gt_status check_matrices(const gt_geometry_input *in, const gt_xml_node *root, const gt_rtk_image *image)
{
	size_t v = 0, checked = 0;
	for (const gt_xml_node *p = gt_xml_find(root, "Projection"); p; p = gt_xml_again(p), v++) {
		const gt_xml_node *m = gt_xml_find(p, "Matrix");
		gt_number_list l = { NULL, 0, 0 };
		gt_status st = m ? gt_number_list_of(in->path, "Matrix", m->text, strlen(m->text), &l) : GT_OK;
		if (st == GT_OK && m && l.n != 12)
			st = gt_fail(GT_ERR_FORMAT, "%s: line %ld: Matrix has %zu numbers, expected 12", in->path, m->line, l.n);
		if (st == GT_OK && m && in->g->scan->shape == GT_FLAT)
			st = gt_scan_agrees_with_rtk(in->g->scan, image, v, l.value, 0.01);
		free(l.value);
		if (st != GT_OK)
			return st;
		checked += m != NULL;
	}
	if (checked)
		gt_geometry_note(in, "%zu projection matrices agree with the parameters", checked);
	return GT_OK;
}

static gt_status read_(gt_geometry_input *in)
{
	gt_xml_node *root = NULL;
	gt_rtk_view *view = NULL;
	gt_scan_size3 size;
	size_t views = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_xml_read(in->path, in->text, in->bytes, &root));
	GT_TRY(take_projections(in, root, &view, &views));
	GT_TRY(gt_geometry_size(in, views, 0, 0, &size));
	if (isnan(in->o.column_pitch))
		GT_TRY(gt_fail(GT_ERR_ARG, "the size of the pixels is in the image, not in a geometry of RTK: expected --pixel"));
	gt_rtk_image image = { { in->o.column_pitch, isnan(in->o.row_pitch) ? in->o.column_pitch : in->o.row_pitch }, { 0, 0 } };
	for (int i = 0; i < 2; i++)
		image.origin[i] = isnan(in->o.origin[i]) ? -((double)(i ? size.rows : size.columns) - 1) / 2 * image.spacing[i]
		                                         : in->o.origin[i];
	if (isnan(in->o.origin[0]))
		gt_geometry_note(in, "the image centre is assumed at 0 (--origin sets it)");
	GT_TRY(gt_scan_of_rtk(view, &size, &image, &in->g->scan));
	GT_TRY(check_matrices(in, root, &image));
	gt_geometry_note(in, "%zu views from Projection: source to axis %g mm, to detector %g mm in the first", views, view[0].sid,
	                 view[0].sdd);
done:
	free(view);
	gt_xml_free(root);
	return st;
}

const gt_geometry_reader gt_geometry_rtk = { "rtk", probe, read_ };

/* Values shared by all views precede the projections, as in files that RTK writes. */
gt_status gt_write_rtk(FILE *file, const gt_scan *scan, const gt_listener *notes)
{
	gt_rtk_view *view = calloc(scan->views, sizeof *view);
	gt_rtk_image image;
	int reversed = 0, same[FIELDS];
	gt_status st = view ? gt_scan_to_rtk(scan, view, &image, &reversed) : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	fprintf(file, "<?xml version=\"1.0\"?>\n<!DOCTYPE RTKGEOMETRY>\n");
	fprintf(file, "<!-- %zu columns of %.17g mm x %zu rows of %.17g mm; origin of the image %.17g %.17g%s -->\n", scan->columns,
	        scan->column_pitch, scan->rows, scan->row_pitch, image.origin[0], image.origin[1],
	        reversed ? "; image columns are reversed" : "");
	fprintf(file, "<RTKThreeDCircularGeometry version=\"3\">\n");
	for (int i = 0; i < FIELDS; i++) {
		const char *first = (const char *)&view[0] + fields[i].at;
		same[i] = i != 2;
		for (size_t v = 1; v < scan->views; v++)
			same[i] &= !memcmp(first, (const char *)&view[v] + fields[i].at, sizeof(double));
		if (same[i])
			fprintf(file, "  <%s>%.17g</%s>\n", fields[i].name,
			        *(const double *)(const void *)first * (fields[i].angle ? 180 / GT_PI : 1), fields[i].name);
	}
	for (size_t v = 0; v < scan->views; v++) {
		fprintf(file, "  <Projection>\n");
		for (int i = 0; i < FIELDS; i++)
			if (!same[i])
				fprintf(file, "    <%s>%.17g</%s>\n", fields[i].name,
				        *(const double *)(const void *)((const char *)&view[v] + fields[i].at) *
				                (fields[i].angle ? 180 / GT_PI : 1),
				        fields[i].name);
		fprintf(file, "  </Projection>\n");
	}
	fprintf(file, "</RTKThreeDCircularGeometry>\n");
	if (reversed)
		gt_notify(notes, GT_INFO, GT_ABOUT_GEOMETRY, "RTK's column direction is opposite: the columns of its images are reversed");
	gt_notify(notes, GT_INFO, GT_ABOUT_GEOMETRY, "images for RTK: spacing %.10g %.10g, origin %.10g %.10g", image.spacing[0],
	          image.spacing[1], image.origin[0], image.origin[1]);
done:
	free(view);
	return st;
}
