#ifndef GT_IO_GEOMETRY_XML_TREE_H
#define GT_IO_GEOMETRY_XML_TREE_H
/* Small XML files as trees, by expat; private to io/. No definitions are taken: they could grow without end. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct gt_xml_node gt_xml_node;
struct gt_xml_node {
	char *name, *text;              /* without its name space; the characters within, of its children not */
	char *type;                     /* the attribute xsi:type, or type; NULL */
	size_t length, capacity;        /* bytes of text used, allocated */
	gt_xml_node *parent, *child, *last, *next;
	long line;
};

/* GT_ERR_FORMAT: no XML (names the line), nested deeper than 32, more than a million elements, an internal subset. */
gt_status          gt_xml_read(const char *path, const char *text, size_t bytes, gt_xml_node **root);
void               gt_xml_free(gt_xml_node *root);
/* The first child of that name; "A/B": of a child of it. NULL. */
const gt_xml_node *gt_xml_find(const gt_xml_node *from, const char *name);
/* The next one of the same name among its brothers and sisters; NULL. */
const gt_xml_node *gt_xml_again(const gt_xml_node *node);
/* 1: the root of a text that looks like XML has that name. */
int                gt_xml_root_is(const char *text, const char *name);

#endif
