/* Parses small XML files to trees with expat. */
#include <ctype.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include "io/geometry/xml_tree.h"

enum { MAX_DEPTH = 32, MAX_NODES = 1000000 };

typedef struct {
	XML_Parser parser;
	gt_xml_node *root, *at;
	size_t depth, nodes;
	const char *why; /* cause of a refusal; NULL: none */
} xml_reading;

static void refuse(xml_reading *r, const char *why)
{
	if (!r->why)
		r->why = why;
	XML_StopParser(r->parser, XML_FALSE);
}

static const char *local(const char *name)
{
	const char *colon = strrchr(name, ':');
	return colon ? colon + 1 : name;
}

static void begin(void *self, const char *name, const char **attribute)
{
	xml_reading *r = self;
	gt_xml_node *n = NULL;
	if (++r->depth > MAX_DEPTH || ++r->nodes > MAX_NODES) {
		refuse(r, r->depth > MAX_DEPTH ? "is nested deeper than 32 elements" : "has more than a million elements");
		return;
	}
	if (!(n = calloc(1, sizeof *n)) || !(n->name = strdup(local(name))) || !(n->text = calloc(1, 1))) {
		if (n)
			free(n->name);
		free(n);
		refuse(r, "out of memory");
		return;
	}
	n->line = (long)XML_GetCurrentLineNumber(r->parser);
	n->parent = r->at;
	if (!r->at)
		r->root = n;
	else if (r->at->last)
		r->at->last->next = n;
	else
		r->at->child = n;
	if (r->at)
		r->at->last = n;
	r->at = n;
	for (size_t i = 0; attribute[i]; i += 2)
		if (!strcmp(local(attribute[i]), "type") && !n->type && !(n->type = strdup(local(attribute[i + 1]))))
			refuse(r, "out of memory");
}

static void end(void *self, const char *name)
{
	xml_reading *r = self;
	(void)name;
	r->depth--;
	if (r->at)
		r->at = r->at->parent;
}

static void characters(void *self, const char *text, int n)
{
	xml_reading *r = self;
	if (!r->at || r->why)
		return;
	gt_xml_node *to = r->at;
	/* expat calls once per line: growth by one line would be quadratic. */
	if (to->length + (size_t)n >= to->capacity) {
		const size_t capacity = 2 * (to->length + (size_t)n) + 1;
		char *more = realloc(to->text, capacity);
		if (!more) {
			refuse(r, "out of memory");
			return;
		}
		to->text = more;
		to->capacity = capacity;
	}
	memcpy(to->text + to->length, text, (size_t)n);
	to->length += (size_t)n;
	to->text[to->length] = 0;
}

static void doctype(void *self, const char *name, const char *system, const char *public, int internal)
{
	(void)name, (void)system, (void)public;
	if (internal)
		refuse(self, "defines its own entities or elements: expected none");
}

gt_status gt_xml_read(const char *path, const char *text, size_t bytes, gt_xml_node **root)
{
	xml_reading r = { .parser = XML_ParserCreate(NULL) };
	gt_status st = GT_OK;
	*root = NULL;
	if (!r.parser)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, begin, end);
	XML_SetCharacterDataHandler(r.parser, characters);
	XML_SetStartDoctypeDeclHandler(r.parser, doctype);
	if (XML_Parse(r.parser, text, (int)bytes, 1) != XML_STATUS_OK || r.why || !r.root)
		st = gt_fail(GT_ERR_FORMAT, "%s: line %lu: %s%s", path, (unsigned long)XML_GetCurrentLineNumber(r.parser),
		             r.why ? "" : "is not XML: ", r.why ? r.why : XML_ErrorString(XML_GetErrorCode(r.parser)));
	XML_ParserFree(r.parser);
	if (st == GT_OK)
		*root = r.root;
	else
		gt_xml_free(r.root);
	return st;
}

/* Iterative, because lists may be too long for recursion. */
void gt_xml_free(gt_xml_node *n)
{
	while (n) {
		gt_xml_node *next = n->child;
		if (next) {
			n->child = NULL;
		} else {
			next = n->next ? n->next : n->parent;
			free(n->name);
			free(n->text);
			free(n->type);
			free(n);
		}
		n = next;
	}
}

static const gt_xml_node *child_of(const gt_xml_node *from, const char *name, size_t n)
{
	for (const gt_xml_node *c = from ? from->child : NULL; c; c = c->next)
		if (strlen(c->name) == n && !strncmp(c->name, name, n))
			return c;
	return NULL;
}

const gt_xml_node *gt_xml_find(const gt_xml_node *from, const char *name)
{
	for (size_t n; from && *name; name += n + (name[n] == '/')) {
		n = strcspn(name, "/");
		from = child_of(from, name, n);
	}
	return from;
}

const gt_xml_node *gt_xml_again(const gt_xml_node *node)
{
	for (const gt_xml_node *c = node->next; c; c = c->next)
		if (!strcmp(c->name, node->name))
			return c;
	return NULL;
}

int gt_xml_root_is(const char *text, const char *name)
{
	while ((text = strchr(text, '<'))) {
		const char *from = text + 1;
		text++;
		if (*from == '?' || *from == '!')
			continue;
		const size_t n = strcspn(from, " \t\r\n/>");
		const char *colon = memchr(from, ':', n);
		from += colon ? (size_t)(colon - from) + 1 : 0;
		return !strncmp(from, name, strlen(name)) && !isalnum((unsigned char)from[strlen(name)]);
	}
	return 0;
}
