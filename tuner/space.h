#ifndef GT_TUNER_SPACE_H
#define GT_TUNER_SPACE_H
/* Space of variants: layers of choices with their valid values, and rules. Its valid candidates are enumerated once;
 * strategies identify them by index. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif
enum { GT_MAX_LAYERS = 24, GT_MAX_VALUES = 16, GT_MAX_RULES = 64, GT_MAX_CODE = 64 };
typedef struct { char name[16]; int n; long value[GT_MAX_VALUES]; } gt_layer;
/* A rule as a stack program: numbers, layers and operations in postfix order. */
typedef struct { int kind; long value; } gt_rule_step;
typedef struct { int n, last; gt_rule_step step[GT_MAX_CODE]; char text[120]; } gt_rule;    /* last: highest layer that it reads */

typedef struct {
	char kernel[64];
	int layers, rules;
	gt_layer layer[GT_MAX_LAYERS];
	gt_rule rule[GT_MAX_RULES];
	size_t count;           /* number of candidates */
	uint8_t *pick;          /* [count][layers], ascending: index of each value in its layer */
} gt_space;

/* Parses the block "tune KERNEL ... end" of a text. A line "NAME value value" is a layer; "keep EXPRESSION" is a
 * rule. about: "name=number ..." defines the lower-case names of rules.
 * If about lacks shared (bytes per block), the limit of compute capability 9.0 is used. GT_ERR_FORMAT names the wrong
 * line. GT_ERR_UNSUPPORTED: no candidate is valid, or there are too many. */
gt_status gt_space_read(const char *text, const char *kernel, const char *about, gt_space **s);
void      gt_space_free(gt_space *s);
/* Makes a space without rules for tests; layer i has the values 0 to n[i] - 1. legal NULL: all candidates are valid. */
gt_status gt_space_plain(int layers, const int *n, int (*legal)(void *self, const uint8_t *pick), void *self, gt_space **s);
/* Replaces the candidates by these; duplicates are permitted. */
gt_status gt_space_list(gt_space *s, size_t n, const uint8_t *pick);
/* Make an empty space, add a layer "NAME value value" or a rule to it, and list its candidates. */
gt_status gt_space_empty(const char *kernel, gt_space **s);
gt_status gt_space_add(gt_space *s, const char *line);
gt_status gt_space_rule(gt_space *s, const char *text, const char *about);
gt_status gt_space_enumerate(gt_space *s);
/* Parses a text that names all layers. Returns 0 for a missing layer or an unknown value. */
int    gt_space_parse(const gt_space *s, const char *text, uint8_t *pick);
/* Returns the index of a pick, SIZE_MAX if it is not valid. */
size_t gt_space_find(const gt_space *s, const uint8_t *pick);
/* Candidates [*first, *end) begin with the first n values of pick. */
void   gt_space_prefix(const gt_space *s, const uint8_t *pick, int n, size_t *first, size_t *end);
/* Writes "NAME=value NAME=value". */
void   gt_space_text(const gt_space *s, size_t candidate, char *text, size_t size);
/* Returns the candidate that differs from text in the fewest layers. */
size_t gt_space_near(const gt_space *s, const char *text);
static inline const uint8_t *gt_space_pick(const gt_space *s, size_t candidate) { return s->pick + candidate * (size_t)s->layers; }
#ifdef __cplusplus
}
#endif
#endif
