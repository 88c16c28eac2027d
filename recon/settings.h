#ifndef GT_RECON_SETTINGS_H
#define GT_RECON_SETTINGS_H
/* Settings of a reconstruction by key and value. Every value is parsed once, when it is set. */
#include <gantry/io.h>
#include "recon/modules.h"
#include "recon/preset.h"
#include "recon/data_weights.h"
#include "recon/penalty/penalty_spec.h"
#include "recon/stopping.h"
#include "recon/view_cache.h"

typedef enum {
	GT_SET_PRESET, GT_SET_SOLVER, GT_SET_PROJECTOR, GT_SET_PENALTY, GT_SET_WEIGHTS, GT_SET_INIT, GT_SET_GRID, GT_SET_LIKE, GT_SET_MARGIN,
	GT_SET_STOP, GT_SET_CHECKPOINT, GT_SET_RESUME, GT_SET_BACKEND, GT_SET_PRECISION, GT_SET_DEVICE_MEMORY, GT_SET_HOST_MEMORY,
	GT_SET_KEEP, GT_SET_SCRATCH, GT_SET_OVERLAP, GT_SET_SLABS, GT_SET_DATA, GT_SET_UNIT, GT_SET_WATER, GT_SET_COMMAND, GT_SET_OUTPUT,
	GT_SET_CHECK, GT_SET_FORCE, GT_SET_SPLIT, GT_SET_BALANCE, GT_SET_REPRODUCIBLE,
	GT_SET_VOXEL, GT_SET_SLICE, GT_SET_VIEWS, GT_SET_OUTSIDE, GT_SETTINGS
} gt_setting;

typedef struct {
	char *text[GT_SETTINGS];        /* as given; NULL: not set */
	/* Parsed texts; the default if there is none. */
	int preset, margin, unit, precision;    /* gt_preset, gt_z_margin_mode, gt_unit, 1: double */
	int outside;                    /* gt_outside_mode */
	int check, force;               /* 1: compares conjugate rays; 1: accepts all values */
	int balance, reproducible;      /* gt_balance_mode; 1: bit-identical on any number of ranks */
	int keep, overlap, slabs;       /* gt_view_cache_place; 1: stages overlap; 1: by slabs even if all fits */
	gt_method method;
	gt_weights_spec weights;
	gt_penalty_spec penalty;
	gt_stop_rule stop;
	gt_grid grid;
	size_t across;                  /* voxels along x and y, if the grid sets only that; else 0 */
	double voxel;                   /* mm; 0: not requested */
	double device_memory, host_memory;      /* bytes; 0: no limit */
	double water;                   /* mm^-1; 0: not requested */
} gt_recon_settings;

void gt_recon_settings_init(gt_recon_settings *s);
void gt_recon_settings_free(gt_recon_settings *s);
/* NULL: the default. GT_ERR_UNKNOWN, GT_ERR_ARG: see gt_recon_set(). */
gt_status   gt_recon_settings_set(gt_recon_settings *s, const char *key, const char *value);
const char *gt_recon_settings_key(size_t i);                    /* NULL at the end */
/* Refuses settings that cannot be combined. method: set or chosen; empty: not known yet. started: 1 if a start array
 * was given. */
gt_status gt_recon_settings_check(const gt_recon_settings *s, const gt_method *method, int started);
/* 1: init names a file of a volume. */
int gt_recon_starts_from_file(const char *init);
/* The key init, or its default. */
const char *gt_recon_init(const gt_recon_settings *s);
#endif
