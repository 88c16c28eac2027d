#ifndef GT_IO_GEOMETRY_XML_NUMBERS_H
#define GT_IO_GEOMETRY_XML_NUMBERS_H
/* Numbers of XML files of scanners; private to io/. */
#include "io/geometry/input.h"
#include "io/geometry/xml_tree.h"

/* The first element of that name below `from`, at any depth; trees are at most 32 deep. NULL. */
const gt_xml_node *gt_xml_anywhere(const gt_xml_node *from, const char *name);
/* path: "A/B" from the root, or a name anywhere. fallback NULL: it must be there. Decimal commas are told. */
gt_status gt_xml_number(const gt_geometry_input *in, const gt_xml_node *root, const char *path, const double *fallback, double *value);
/* One above 0. */
gt_status gt_xml_length(const gt_geometry_input *in, const gt_xml_node *root, const char *path, double *value);
/* Source to axis and to detector, the second one larger: told. */
gt_status gt_xml_distances(const gt_geometry_input *in, const gt_xml_node *root, const char *axis, const char *detector, gt_lab_orbit *o);

#endif
