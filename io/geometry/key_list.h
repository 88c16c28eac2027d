#ifndef GT_IO_GEOMETRY_KEY_LIST_H
#define GT_IO_GEOMETRY_KEY_LIST_H
/* Files of lines "key = value" in sections; private to io/. Keys and sections are compared without regard to
 * capitals. */
#include "io/geometry/input.h"

typedef struct { char *section, *key, *value; size_t line; } gt_key;
typedef struct { const gt_geometry_input *in; gt_key *key; size_t n, room, commas; } gt_key_list;

/* Takes "key=value" and "[section]"; other lines are passed over. A byte-order mark and Latin-1 do no harm. Changes
 * in->text. */
gt_status gt_keys_read(const gt_geometry_input *in, gt_key_list *l);
void      gt_keys_free(gt_key_list *l);
/* section NULL: any. NULL: it is not there. */
const char *gt_key_text(const gt_key_list *l, const char *section, const char *key);
/* GT_ERR_FORMAT: the key is not there, is no number, or is there twice with two values. */
gt_status gt_key_number(gt_key_list *l, const char *section, const char *key, double *value);
/* The same where the key may be missing: *value stays, *there is 0. */
gt_status gt_key_maybe (gt_key_list *l, const char *section, const char *key, double *value, int *there);
/* The same of a length above 0. */
gt_status gt_key_length(gt_key_list *l, const char *section, const char *key, double *value);
gt_status gt_key_size  (gt_key_list *l, const char *section, const char *key, size_t *value);
/* Counts without a body into in->g->white, where the file says them. */
gt_status gt_key_white (gt_key_list *l, const char *section, const char *key);
/* A sentence on commas that were taken for points, where there were any. */
void      gt_keys_note_commas(const gt_key_list *l);
/* 1: the text has a line that begins with `begin`, without regard to capitals. */
int       gt_text_has_line(const char *text, const char *begin);

#endif
