#ifndef GANTRY_DATA_H
#define GANTRY_DATA_H
/* Projections and volumes in the host's memory, with what is known of them. */
#include <gantry/grid.h>
#include <gantry/params.h>
#ifdef __cplusplus
extern "C" {
#endif

/* How a file came to be; written to every output. Texts are owned by the struct that holds it. */
typedef struct {
	char *command;          /* the command line that made it */
	char *parameters;       /* "solver=... projector=..." */
	uint64_t scan_hash;     /* of the input's geometry; 0: none */
} gt_provenance;

/* How the patient lay: head or feet first (into the gantry, towards +z), supine or prone. It says where the scanner's axes point in
 * the patient (docs/geometry.md). AUTO, readers only: as the file says, else HFS. */
typedef enum { GT_HFS, GT_HFP, GT_FFS, GT_FFP, GT_POSITION_AUTO } gt_position;
GT_API extern const char *const gt_position_names[];           /* "HFS", "HFP", "FFS", "FFP", NULL */
GT_API gt_position gt_position_find(const char *name);         /* GT_POSITION_AUTO if it is none of them */
/* Coordinates of the patient, to his right, front (anterior) and head, are sign times those of the scanner: 1 or -1. */
GT_API int         gt_position_sign(gt_position position, int axis);
/* What an axis (direction 1, or against it: -1) points to: R L A P H F. */
GT_API char        gt_position_letter(gt_position position, int axis, int direction);

/* Projections on the host. */
typedef struct {
	gt_scan *scan;
	float *data;            /* [view][row][column], line integrals; NULL: geometry alone */
	float *weight;          /* may be NULL */
	float *photons;         /* unattenuated counts per cell; may be NULL */
	gt_position position;
	double water;           /* attenuation of water that the scanner states, mm^-1; 0: not known */
	gt_provenance from;
} gt_projections;
GT_API void gt_projections_free(gt_projections *p);            /* the contents and p; NULL is fine */

/* GT_UNIT_AUTO: as the file says or as its format's rule says; writers: the format's usual one (docs/files.md). */
typedef enum { GT_PER_MM, GT_HU, GT_UNIT_AUTO } gt_unit;

/* A volume on the host, always in mm^-1 in memory. */
typedef struct {
	gt_grid grid;
	float *data;            /* [z][y][x], mm^-1 */
	double water;           /* attenuation of water, mm^-1, for HU; 0: not known */
	gt_position position;
	gt_provenance from;
	gt_unit unit;           /* of the numbers in the file that it was read from, for reports; writers go by their options */
} gt_volume;
/* Voxels of the grid, 0 to begin with. GT_ERR_MEMORY says how much is needed. */
GT_API gt_status gt_volume_new(const gt_grid *grid, gt_volume **v);
GT_API void gt_volume_free(gt_volume *v);
/* HU = 1000 (mu - water)/water */
#define GT_WATER_DEFAULT GT_MU_WATER

#ifdef __cplusplus
}
#endif
#endif
