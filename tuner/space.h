#ifndef GT_TUNER_SPACE_H
#define GT_TUNER_SPACE_H
/* A space of variants: layers of choices, each with its legal values, and rules on their numbers. Its legal candidates
 * are listed once, in order; searchers know them by their place in that list. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif
enum { GT_MAX_LAYERS = 24, GT_MAX_VALUES = 16, GT_MAX_RULES = 24, GT_MAX_CODE = 64 };
typedef struct { char name[16]; int n; long value[GT_MAX_VALUES]; } gt_layer;
/* A rule as it is computed: numbers, layers and operations in the order of a stack. */
typedef struct { int kind; long value; } gt_rule_step;
typedef struct { int n, last; gt_rule_step step[GT_MAX_CODE]; char text[120]; } gt_rule;    /* last: of its layers */

typedef struct {
	char kernel[64];
	int layers, rules;
	gt_layer layer[GT_MAX_LAYERS];
	gt_rule rule[GT_MAX_RULES];
	size_t count;           /* of candidates */
	uint8_t *pick;          /* [count][layers], ascending: the place of each value in its layer */
} gt_space;

/* From the block "tune KERNEL ... end" of a text: a line "NAME value value" for each layer, "keep EXPRESSION" for each
 * rule. about: "name=number ...", for small letters in rules; shared, bytes of a block, is that of compute capability
 * 9.0 where it is not there. GT_ERR_FORMAT names the line that is wrong;
 * GT_ERR_UNSUPPORTED: no candidate is legal, or there are too many. */
gt_status gt_space_read(const char *text, const char *kernel, const char *about, gt_space **s);
void      gt_space_free(gt_space *s);
/* A space of layers alone, n values each, for tests: values are 0 ... n-1. legal NULL: all. */
gt_status gt_space_plain(int layers, const int *n, int (*legal)(void *self, const uint8_t *pick), void *self, gt_space **s);
/* Makes the list anew: these candidates alone, of which some may be there twice. */
gt_status gt_space_list(gt_space *s, size_t n, const uint8_t *pick);
/* A layer from "NAME value value"; an empty space to add it to. */
gt_status gt_space_empty(const char *kernel, gt_space **s);
gt_status gt_space_add(gt_space *s, const char *line);
/* The pick of a text that names all layers; 0 if it does not, or by other values. */
int    gt_space_parse(const gt_space *s, const char *text, uint8_t *pick);
/* Its place; SIZE_MAX if it is not legal. */
size_t gt_space_find(const gt_space *s, const uint8_t *pick);
/* Candidates [*first, *end) begin with the first n of pick. */
void   gt_space_prefix(const gt_space *s, const uint8_t *pick, int n, size_t *first, size_t *end);
/* "NAME=value NAME=value" */
void   gt_space_text(const gt_space *s, size_t candidate, char *text, size_t size);
/* The candidate that differs least from such a text: in the fewest layers. */
size_t gt_space_near(const gt_space *s, const char *text);
static inline const uint8_t *gt_space_pick(const gt_space *s, size_t candidate) { return s->pick + candidate * (size_t)s->layers; }
#ifdef __cplusplus
}
#endif
#endif
