/* Numbers in XML files of scanners. */
#include <math.h>
#include <string.h>
#include "core/try.h"
#include "io/geometry/xml_numbers.h"

const gt_xml_node *gt_xml_anywhere(const gt_xml_node *from, const char *name)
{
	const gt_xml_node *found = NULL;
	for (const gt_xml_node *c = from->child; c && !found; c = c->next)
		found = !strcmp(c->name, name) ? c : gt_xml_anywhere(c, name);
	return found;
}

gt_status gt_xml_number(const gt_geometry_input *in, const gt_xml_node *root, const char *path, const double *fallback, double *value)
{
	const char *slash = strrchr(path, '/');
	const gt_xml_node *n = slash ? gt_xml_find(root, path) : gt_xml_anywhere(root, path);
	size_t commas = 0;
	if (!n && fallback) {
		*value = *fallback;
		return GT_OK;
	}
	if (!n)
		return gt_fail(GT_ERR_FORMAT, "%s is missing: expected a number", path);
	if (!gt_number_of(n->text, strlen(n->text), value, &commas))
		return gt_fail(GT_ERR_FORMAT, "line %ld: %s is '%.40s', expected a number", n->line, path, n->text);
	if (commas)
		gt_geometry_note(in, "%s is %s: the comma is read as a decimal point", path, n->text);
	return GT_OK;
}

gt_status gt_xml_length(const gt_geometry_input *in, const gt_xml_node *root, const char *path, double *value)
{
	const gt_status st = gt_xml_number(in, root, path, NULL, value);
	return st != GT_OK || *value > 0 ? st : gt_fail(GT_ERR_FORMAT, "%s is %g, expected a length above 0", path, *value);
}

gt_status gt_xml_distances(const gt_geometry_input *in, const gt_xml_node *root, const char *axis, const char *detector, gt_lab_orbit *o)
{
	gt_status st = gt_xml_length(in, root, axis, &o->source_to_axis);
	if (st == GT_OK)
		st = gt_xml_length(in, root, detector, &o->source_to_detector);
	if (st != GT_OK)
		return st;
	if (!(o->source_to_detector > o->source_to_axis))
		return gt_fail(GT_ERR_FORMAT, "%s is %g mm and %s %g mm: expected the first to be larger", detector, o->source_to_detector,
		               axis, o->source_to_axis);
	gt_geometry_took(in, "source to axis", o->source_to_axis, "mm", axis);
	gt_geometry_took(in, "source to detector", o->source_to_detector, "mm", detector);
	return GT_OK;
}
