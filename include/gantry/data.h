#ifndef GANTRY_DATA_H
#define GANTRY_DATA_H
/* Projections and volumes in the host's memory, with what is known of them. Both are handles: what they hold is reached by the functions below, and
 * their values lie in memory of the library's or of the caller's, so that arrays of other programs go in and come out without a copy. Values are float
 * in C order. One thread at a time may use a handle that another changes.
 * Functions that return a status refuse NULL (GT_ERR_ARG, naming the argument); those that return what a handle holds give NULL or 0 for it. */
#include <gantry/grid.h>
#include <gantry/params.h>
#ifdef __cplusplus
extern "C" {
#endif

/* How projections or a volume came to be; written to every output. Texts belong to the handle that they are asked of. */
typedef struct {
	char *command;          /* the command line that made it; NULL: not known */
	char *parameters;       /* "solver=... projector=..."; NULL: not known */
	uint64_t scan_hash;     /* gt_scan_hash() of the geometry that it was made from; 0: none */
} gt_provenance;

/* Tells the owner of borrowed memory that it is not used any more. Called from the thread that frees the handle. */
typedef void (*gt_release)(void *owner);

/* How the patient lay: head or feet first (into the gantry, towards +z), supine or prone. It says where the scanner's axes point in
 * the patient (docs/geometry.md). AUTO, readers only: as the file says, else HFS. */
typedef enum { GT_HFS, GT_HFP, GT_FFS, GT_FFP, GT_POSITION_AUTO } gt_position;
GT_API extern const char *const gt_position_names[];           /* "HFS", "HFP", "FFS", "FFP", NULL */
GT_API gt_position gt_position_find(const char *name);         /* GT_POSITION_AUTO if it is none of them */
/* Coordinates of the patient, to his right, front (anterior) and head, are sign times those of the scanner: 1 or -1. */
GT_API int         gt_position_sign(gt_position position, int axis);
/* What an axis (direction 1, or against it: -1) points to: R L A P H F. */
GT_API char        gt_position_letter(gt_position position, int axis, int direction);

/* Projections: a scan and its line integrals. All of their arrays are [view][row][column] of that scan, gt_scan_size() values. */
typedef struct gt_projections gt_projections;
/* Memory of the library's for a copy of the scan and its line integrals, which are 0 to begin with. GT_ERR_FORMAT: gt_scan_check() refuses the scan;
 * GT_ERR_MEMORY says how much is needed and how much is available. */
GT_API gt_status gt_projections_new (const gt_scan *scan, gt_projections **p);
/* The same around line integrals that lie in the caller's memory, at `data`, and are neither copied nor looked at; NULL: the geometry alone. They must
 * stay until release(owner), which is called exactly once: when p is freed, or before this returns if it fails. release NULL: nobody is told. */
GT_API gt_status gt_projections_wrap(const gt_scan *scan, float *data, gt_release release, void *owner, gt_projections **p);
GT_API void      gt_projections_free(gt_projections *p);       /* NULL is fine */
/* The scan, which belongs to p. It may be changed in place but for its sizes. */
GT_API gt_scan  *gt_projections_scan(const gt_projections *p);
/* Line integrals, without unit; NULL: geometry alone. They may be changed in place. */
GT_API float    *gt_projections_data(const gt_projections *p);
/* Statistical weights of the line integrals, and counts of photons that each cell would have had without a body; NULL: none. */
GT_API const float *gt_projections_weights(const gt_projections *p);
GT_API const float *gt_projections_photons(const gt_projections *p);
/* 1: weighted and filtered already, as the file said: not line integrals, though they are where those would be. */
GT_API int       gt_projections_filtered(const gt_projections *p);
/* Copies an array of the scan's size; NULL removes what there is. GT_ERR_ARG names the first value that is not finite or below 0, and p stays as it is. */
GT_API gt_status gt_projections_set_weights(gt_projections *p, const float *weights);
GT_API gt_status gt_projections_set_photons(gt_projections *p, const float *photons);
/* Attenuation of water that the scanner states, mm^-1; 0: not known. GT_ERR_ARG: below 0 or not finite. */
GT_API double    gt_projections_water(const gt_projections *p);
GT_API gt_status gt_projections_set_water(gt_projections *p, double water);
/* GT_HFS to begin with. GT_ERR_ARG: none of the four. */
GT_API gt_position gt_projections_position(const gt_projections *p);
GT_API gt_status gt_projections_set_position(gt_projections *p, gt_position position);
/* 1: a file or gt_projections_set_position() said so; 0: GT_HFS is assumed. */
GT_API int       gt_projections_position_known(const gt_projections *p);
GT_API const gt_provenance *gt_projections_provenance(const gt_projections *p);
/* Copies the texts; NULL: none. scan: what they were made from, of which the hash is kept; NULL: nothing. */
GT_API gt_status gt_projections_set_provenance(gt_projections *p, const char *command, const char *parameters, const gt_scan *scan);
/* Bits GT_CONJUGATE_COLUMNS, _ROWS and _TURN of <gantry/consistency.h>. Columns, rows: the other way round in line integrals (in the caller's memory
 * too), weights and photons; column_center and row_center stay as they are. Turn: every view is mirrored in x = 0, so that the gantry turns the other
 * way, and its columns are counted from the same side as before. Twice is as before. GT_ERR_ARG: another bit, and nothing is changed. */
GT_API gt_status gt_projections_flip(gt_projections *p, unsigned what);

/* GT_UNIT_AUTO: as the file says or as its format's rule says; writers: the format's usual one (docs/files.md). */
typedef enum { GT_PER_MM, GT_HU, GT_UNIT_AUTO } gt_unit;

/* A volume: a grid and its voxels [z][y][x], always in mm^-1. */
typedef struct gt_volume gt_volume;
/* Memory of the library's for the voxels of the grid, which are 0 to begin with; the attenuation of water is GT_WATER_DEFAULT. GT_ERR_ARG:
 * gt_grid_check() refuses the grid; GT_ERR_MEMORY says how much is needed and how much is available. */
GT_API gt_status gt_volume_new (const gt_grid *grid, gt_volume **v);
/* The same around voxels that lie in the caller's memory, at `data`, and are neither copied nor looked at; NULL: the grid alone, for
 * gt_slice_writer_create(). They must stay until release(owner), which is called exactly once: when v is freed, or before this returns if it fails.
 * release NULL: nobody is told. */
GT_API gt_status gt_volume_wrap(const gt_grid *grid, float *data, gt_release release, void *owner, gt_volume **v);
GT_API void      gt_volume_free(gt_volume *v);                 /* NULL is fine */
GT_API const gt_grid *gt_volume_grid(const gt_volume *v);
GT_API float    *gt_volume_data(const gt_volume *v);           /* mm^-1; NULL: the grid alone. It may be changed in place. */
/* Attenuation of water for HU, mm^-1; 0: not known. GT_ERR_ARG: below 0 or not finite. */
GT_API double    gt_volume_water(const gt_volume *v);
GT_API gt_status gt_volume_set_water(gt_volume *v, double water);
/* GT_HFS to begin with. GT_ERR_ARG: none of the four. */
GT_API gt_position gt_volume_position(const gt_volume *v);
GT_API gt_status gt_volume_set_position(gt_volume *v, gt_position position);
/* 1: a file or gt_volume_set_position() said so; 0: GT_HFS is assumed. */
GT_API int       gt_volume_position_known(const gt_volume *v);
/* Unit of the numbers in the file that it was read from, for reports: GT_PER_MM or GT_HU. Writers go by their options. */
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
