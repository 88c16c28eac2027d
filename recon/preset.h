#ifndef GT_RECON_PRESET_H
#define GT_RECON_PRESET_H
/* Presets: one name for all settings of a reconstruction. */
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
	const char *about;              /* for help, without a newline at the end */
	int analytic;                   /* 1: an analytic method, which takes neither a solver nor a penalty */
	const char *solver;             /* NULL: none */
	size_t passes, subsets;         /* passes over the data, and subsets, reduced for few views */
	size_t min_views;               /* each subset covers all directions */
	size_t min_steps;               /* minimum of passes times subsets; few subsets raise the passes */
	const char *penalty;            /* NULL: none */
	const char *weights;            /* NULL: none */
} gt_preset_entry;
extern const gt_preset_entry gt_presets[GT_NPRESETS];

/* Settings requested in addition; NULL: not given. */
typedef struct { const char *solver, *weights, *penalty; } gt_preset_settings;
/* Settings that are used; owned. */
typedef struct {
	char *solver, *weights, *penalty;
	char *changed;                  /* requested changes, as options of the command; NULL: none */
	int is_replaced;                /* 1: solver, weights and penalty are all overridden */
} gt_preset_made;
/* Prints help on all presets, or on one; GT_ERR_UNKNOWN. */
gt_status gt_preset_help(const char *name, FILE *out);
/* GT_ERR_ARG if the preset and the requested settings cannot be combined. */
gt_status gt_preset_check(gt_preset q, const gt_preset_settings *asked);
/* Makes the settings of the preset for a number of views; requested keys replace the preset's. All NULL for a preset
 * without a solver. Call gt_preset_made_free() in any case. */
gt_status gt_preset_make(gt_preset q, size_t views, const gt_preset_settings *asked, gt_preset_made *made);
void gt_preset_made_free(gt_preset_made *made);
#endif
