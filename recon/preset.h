#ifndef GT_RECON_PRESET_H
#define GT_RECON_PRESET_H
/* Whole settings of a reconstruction by one word. */
#include <stdio.h>
#include <gantry/data.h>

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
	int chooses_method;             /* 1: --solver cannot be given beside it */
	int analytic;                   /* 1: it stands for a direct method, which takes no penalty */
	const char *solver;             /* NULL: none */
	size_t passes, subsets;         /* of the solver, over the data; ordered subsets where there are views for them */
	size_t min_views;               /* of each subset, so that it sees all directions */
	const char *penalty;            /* NULL: none */
	const char *weights;            /* where neither weights nor photons of the projections are known; NULL: none */
} gt_preset_entry;
extern const gt_preset_entry gt_presets[GT_NPRESETS];

/* What was asked for, or is used; NULL: not given. */
typedef struct { const char *solver, *weights, *penalty; } gt_preset_settings;
/* The lines of help on all presets, or on one; GT_ERR_UNKNOWN. */
gt_status gt_preset_help(const char *name, FILE *out);
/* GT_ERR_ARG where the preset and what was asked for beside it cannot be combined. */
gt_status gt_preset_check(gt_preset q, const gt_preset_settings *asked);
/* Fills what was not asked for otherwise, for these projections. *solver is NULL or malloc'ed, and s->solver then points to it. */
gt_status gt_preset_set(gt_preset q, const gt_projections *p, gt_preset_settings *s, char **solver);
#endif
