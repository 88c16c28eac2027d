#ifndef GT_IO_GEOMETRY_KEY_LIST_H
#define GT_IO_GEOMETRY_KEY_LIST_H
/* Files with lines "key = value" in sections; private to io/. Keys and sections are not case-sensitive. */
#include "io/geometry/input.h"

typedef struct { char *section, *key, *value; size_t line; } gt_key;
typedef struct { const gt_geometry_input *in; gt_key *key; size_t n, room, commas; } gt_key_list;

/* Parses "key=value" and "[section]"; skips other lines. Accepts a byte-order mark and Latin-1. Changes in->text. */
gt_status gt_keys_read(const gt_geometry_input *in, gt_key_list *l);
void      gt_keys_free(gt_key_list *l);
/* section NULL: any. Returns NULL if the key is missing. */
const char *gt_key_text(const gt_key_list *l, const char *section, const char *key);
/* GT_ERR_FORMAT: the key is missing, not a number, or has two different values. */
gt_status gt_key_number(gt_key_list *l, const char *section, const char *key, double *value);
/* Optional key: if it is missing, *value is unchanged and *there is 0. */
gt_status gt_key_maybe (gt_key_list *l, const char *section, const char *key, double *value, int *there);
/* A number above 0. */
gt_status gt_key_length(gt_key_list *l, const char *section, const char *key, double *value);
gt_status gt_key_size  (gt_key_list *l, const char *section, const char *key, size_t *value);
/* Sets in->g->white to the blank-scan counts, if the file states them. */
gt_status gt_key_white (gt_key_list *l, const char *section, const char *key);
/* Notes decimal commas, if there were any. */
void      gt_keys_note_commas(const gt_key_list *l);
/* Returns 1 if a line of the text begins with `begin`, ignoring case. */
int       gt_text_has_line(const char *text, const char *begin);

#endif
