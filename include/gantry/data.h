#ifndef GANTRY_DATA_H
#define GANTRY_DATA_H
/* Projections and volumes in host memory, with their metadata, as handles. Values are float in C order, in memory of
 * the library or of the caller, so that other programs exchange arrays without a copy. One thread at a time may use a
 * handle that is being changed. Functions that return a status refuse NULL (GT_ERR_ARG names the argument). Getters
 * return NULL or 0 for a NULL handle. */
#include <gantry/grid.h>
#include <gantry/author/params.h>
#ifdef __cplusplus
extern "C" {
#endif

/* How projections or a volume were made; written to every output. Texts belong to the handle whose function returns
 * them. */
typedef struct {
	char *command;          /* the command line that made it; NULL: not known */
	char *parameters;       /* "solver=... projector=..."; NULL: not known */
	uint64_t scan_hash;     /* gt_scan_hash() of the geometry that it was made from; 0: none */
} gt_provenance;

/* Releases borrowed memory, which is not used any more. Called in the thread that frees the handle. */
typedef void (*gt_release)(void *owner);

/* Position of the patient: head or feet first (into the gantry, towards +z), supine or prone. It determines the
 * directions of the scanner's axes in the patient (docs/geometry.md). AUTO, readers only: from the file, else HFS. */
typedef enum { GT_HFS, GT_HFP, GT_FFS, GT_FFP, GT_POSITION_AUTO } gt_position;
GT_API extern const char *const gt_position_names[];           /* "HFS", "HFP", "FFS", "FFP", NULL */

/* Projections: a scan and its line integrals. All of their arrays are [view][row][column] of that scan,
 * gt_scan_size() values. */
typedef struct gt_projections gt_projections;
/* Allocates a copy of the scan and its line integrals, which are 0. GT_ERR_FORMAT: gt_scan_check() refuses the scan.
 * GT_ERR_MEMORY states the required and the available memory. */
GT_API gt_status gt_projections_new (const gt_scan *scan, gt_projections **p);
/* Wraps line integrals in the caller's memory at `data`, without copying or checking them; NULL: geometry only. They
 * must stay until release(owner), which is called exactly once: when p is freed, or before this call fails. release
 * NULL: no callback. */
GT_API gt_status gt_projections_wrap(const gt_scan *scan, float *data, gt_release release, void *owner, gt_projections **p);
GT_API void      gt_projections_free(gt_projections *p);       /* NULL is fine */
/* The scan, which belongs to p. It may be changed in place but for its sizes. */
GT_API gt_scan  *gt_projections_scan(const gt_projections *p);
/* Line integrals, without unit; NULL: geometry alone. They may be changed in place. */
GT_API float    *gt_projections_data(const gt_projections *p);
/* Statistical weights of the line integrals; blank-scan (I0) counts of each pixel and view; NULL: none. */
GT_API const float *gt_projections_weights(const gt_projections *p);
GT_API const float *gt_projections_photons(const gt_projections *p);
/* Returns 1 if the file states that the values are already weighted and filtered, so not line integrals. */
GT_API int       gt_projections_filtered(const gt_projections *p);
/* Copies an array of the scan's size; NULL removes the old one. GT_ERR_ARG names the first value that is not finite or
 * below 0; p is unchanged then. */
GT_API gt_status gt_projections_set_weights(gt_projections *p, const float *weights);
GT_API gt_status gt_projections_set_photons(gt_projections *p, const float *photons);
/* Attenuation of water that the scanner states, mm^-1; 0: not known. GT_ERR_ARG: below 0 or not finite. */
GT_API double    gt_projections_water(const gt_projections *p);
GT_API gt_status gt_projections_set_water(gt_projections *p, double water);
/* GT_HFS to begin with. GT_ERR_ARG: none of the four. */
GT_API gt_position gt_projections_position(const gt_projections *p);
GT_API gt_status gt_projections_set_position(gt_projections *p, gt_position position);
/* 1: stated by a file or gt_projections_set_position(); 0: GT_HFS is assumed. */
GT_API int       gt_projections_position_known(const gt_projections *p);
GT_API const gt_provenance *gt_projections_provenance(const gt_projections *p);
/* Copies the texts; NULL: none. scan: what they were made from, of which the hash is kept; NULL: nothing. */
GT_API gt_status gt_projections_set_provenance(gt_projections *p, const char *command, const char *parameters, const gt_scan *scan);
/* Faults of a scan that conjugate rays show (<gantry/consistency.h>). */
enum { GT_CONJUGATE_COLUMNS = 1, GT_CONJUGATE_DIRECTION = 2, GT_CONJUGATE_ROWS = 4, GT_CONJUGATE_CENTER = 8 };
/* Reverses columns, rows or rotation direction: bits GT_CONJUGATE_COLUMNS, _ROWS and _DIRECTION. Columns and rows are
 * reversed in line integrals (also in the caller's memory), weights and photons; column_center and row_center stay.
 * Direction: views are mirrored in x = 0, and columns keep their order. The same call twice restores p. GT_ERR_ARG:
 * another bit; p is unchanged. */
GT_API gt_status gt_projections_flip(gt_projections *p, unsigned what);

/* GT_UNIT_AUTO: from the file, or by the rule of its format; writers: the usual unit of the format (docs/files.md). */
typedef enum { GT_PER_MM, GT_HU, GT_UNIT_AUTO } gt_unit;

/* A volume: a grid and its voxels [z][y][x], always in mm^-1. */
typedef struct gt_volume gt_volume;
/* Allocates the voxels of the grid, which are 0; the attenuation of water is GT_WATER_DEFAULT. GT_ERR_ARG:
 * gt_grid_check() refuses the grid. GT_ERR_MEMORY states the required and the available memory. */
GT_API gt_status gt_volume_new (const gt_grid *grid, gt_volume **v);
/* Wraps voxels in the caller's memory at `data`, without copying or checking them; NULL: grid only, for
 * gt_slice_writer_create(). They must stay until release(owner), which is called exactly once: when v is freed, or
 * before this call fails. release NULL: no callback. */
GT_API gt_status gt_volume_wrap(const gt_grid *grid, float *data, gt_release release, void *owner, gt_volume **v);
GT_API void      gt_volume_free(gt_volume *v);                 /* NULL is fine */
GT_API const gt_grid *gt_volume_grid(const gt_volume *v);
GT_API float    *gt_volume_data(const gt_volume *v);           /* mm^-1, may be changed; NULL: grid only */
/* Attenuation of water for HU, mm^-1; 0: not known. GT_ERR_ARG: below 0 or not finite. */
GT_API double    gt_volume_water(const gt_volume *v);
GT_API gt_status gt_volume_set_water(gt_volume *v, double water);
/* GT_HFS to begin with. GT_ERR_ARG: none of the four. */
GT_API gt_position gt_volume_position(const gt_volume *v);
GT_API gt_status gt_volume_set_position(gt_volume *v, gt_position position);
/* 1: stated by a file or gt_volume_set_position(); 0: GT_HFS is assumed. */
GT_API int       gt_volume_position_known(const gt_volume *v);
/* Unit of the numbers in the file that it was read from, for reports: GT_PER_MM or GT_HU. Writers go by their
 * options. */
GT_API gt_unit   gt_volume_unit(const gt_volume *v);
GT_API const gt_provenance *gt_volume_provenance(const gt_volume *v);
/* Copies the texts; NULL: none. scan: what the volume was made from, of which the hash is kept; NULL: nothing. */
GT_API gt_status gt_volume_set_provenance(gt_volume *v, const char *command, const char *parameters, const gt_scan *scan);
/* The command alone, for a volume that is handed on as it is. */
GT_API gt_status gt_volume_set_command(gt_volume *v, const char *command);
/* HU = 1000 (mu - water)/water */
#define GT_WATER_DEFAULT GT_MU_WATER
/* No water attenuates more, mm^-1, at any energy that a tube makes. */
#define GT_WATER_MAX 1e3

#ifdef __cplusplus
}
#endif
#endif
