#ifndef GT_RECON_PRESET_H
#define GT_RECON_PRESET_H
/* Whole settings of a reconstruction by one word. */
#include <stdio.h>
#include <gantry/status.h>

/* Name of the constant, word. */
#define GT_PRESET_LIST(X)          \
	X(NONE,      "none")       \
	X(FAST,      "fast")       \
	X(ITERATIVE, "iterative")
#define GT_PRESET_ENUM(name, word) GT_PRESET_##name,
typedef enum { GT_PRESET_LIST(GT_PRESET_ENUM) GT_NPRESETS } gt_preset;
#undef GT_PRESET_ENUM
extern const char *const gt_preset_names[];    /* NULL-terminated */

typedef struct {
	const char *about;              /* for help, without a newline at its end */
	int analytic;                   /* 1: it stands for a direct method, beside which neither a solver nor a penalty can be given */
	const char *solver;             /* NULL: none */
	size_t passes, subsets;         /* of the solver, over the data; ordered subsets where there are views for them */
	size_t min_views;               /* of each subset, so that it sees all directions */
	const char *penalty;            /* NULL: none */
	const char *weights;            /* NULL: none */
} gt_preset_entry;
extern const gt_preset_entry gt_presets[GT_NPRESETS];

/* Settings requested in addition; NULL: not given. */
typedef struct { const char *solver, *weights, *penalty; } gt_preset_settings;
/* Settings that are used; owned. */
typedef struct {
	char *solver, *weights, *penalty;
	char *changed;                  /* what of it was asked for, as options of the command; NULL: nothing */
	int is_replaced;                /* 1: solver, weights and penalty are all others than its own */
} gt_preset_made;
/* The lines of help on all presets, or on one; GT_ERR_UNKNOWN. */
gt_status gt_preset_help(const char *name, FILE *out);
/* GT_ERR_ARG where the preset and what was asked for beside it cannot be combined. */
gt_status gt_preset_check(gt_preset q, const gt_preset_settings *asked);
/* The settings of the preset for so many views, with the keys that were asked for in the place of its own. All NULL for
 * a preset without a solver. gt_preset_made_free() is due in any case. */
gt_status gt_preset_make(gt_preset q, size_t views, const gt_preset_settings *asked, gt_preset_made *made);
void gt_preset_made_free(gt_preset_made *made);
#endif
