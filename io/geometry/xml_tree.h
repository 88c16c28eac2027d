#ifndef GT_IO_GEOMETRY_XML_TREE_H
#define GT_IO_GEOMETRY_XML_TREE_H
/* Small XML files as trees; private to io/. Definitions of entities are refused: they could expand without limit. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct gt_xml_node gt_xml_node;
struct gt_xml_node {
	char *name, *text;              /* name without name space; its own characters, without its children's */
	char *type;                     /* the attribute xsi:type, or type; NULL */
	size_t length, capacity;        /* bytes of text used, allocated */
	gt_xml_node *parent, *child, *last, *next;
	long line;
};

/* GT_ERR_FORMAT: not XML (names the line), nested deeper than 32, more than a million elements, or an internal
 * subset. */
gt_status          gt_xml_read(const char *path, const char *text, size_t bytes, gt_xml_node **root);
void               gt_xml_free(gt_xml_node *root);
/* First child of this name; "A/B": a grandchild. NULL: none. */
const gt_xml_node *gt_xml_find(const gt_xml_node *from, const char *name);
/* Next sibling of the same name, or NULL. */
const gt_xml_node *gt_xml_again(const gt_xml_node *node);
/* Returns 1 if the root element has this name. */
int                gt_xml_root_is(const char *text, const char *name);

#endif
