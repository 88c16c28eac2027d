#ifndef GT_IO_GEOMETRY_XML_NUMBERS_H
#define GT_IO_GEOMETRY_XML_NUMBERS_H
/* Numbers in XML files of scanners; private to io/. */
#include "io/geometry/input.h"
#include "io/geometry/xml_tree.h"

/* First element of this name below `from`, at any depth (trees are at most 32 deep), or NULL. */
const gt_xml_node *gt_xml_anywhere(const gt_xml_node *from, const char *name);
/* path: "A/B" from the root, or a name at any depth. fallback NULL: required. Notes decimal commas. */
gt_status gt_xml_number(const gt_geometry_input *in, const gt_xml_node *root, const char *path, const double *fallback, double *value);
/* A number above 0. */
gt_status gt_xml_length(const gt_geometry_input *in, const gt_xml_node *root, const char *path, double *value);
/* Reads and notes source-to-axis and source-to-detector distance; GT_ERR_FORMAT unless the second is larger. */
gt_status gt_xml_distances(const gt_geometry_input *in, const gt_xml_node *root, const char *axis, const char *detector, gt_lab_orbit *o);

#endif
