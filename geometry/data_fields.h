#ifndef GT_GEOMETRY_DATA_FIELDS_H
#define GT_GEOMETRY_DATA_FIELDS_H
/* Common fields of projections and volumes: owned or borrowed values, provenance, checked settings. */
#include <gantry/data.h>
#include "core/device/tag.h"

/* Owner of borrowed values; all 0 if the library owns them. */
typedef struct {
	int borrowed;
	gt_release release;     /* NULL: no callback */
	void *owner;
} gt_loan;

/* Allocates n zeros. what: "the volume", for messages. GT_ERR_MEMORY. */
gt_status gt_zeros_new(size_t n, const char *what, float **values);
/* Frees the values, or calls release() if they are borrowed. */
void      gt_loan_end(const gt_loan *loan, float *values);

/* Copies the texts, which may alias the current ones; NULL clears them. GT_ERR_MEMORY changes nothing. */
gt_status gt_provenance_set(gt_provenance *from, const char *command, const char *parameters, uint64_t scan_hash);
void      gt_provenance_clear(gt_provenance *from);

/* GT_ERR_ARG if the argument is NULL. function: its name; what: "a scan"; both for the message. */
gt_status gt_need_argument(const char *function, const char *what, const void *argument);
/* GT_ERR_ARG if the handle is NULL or begins with another gt_tag. */
gt_status gt_need_handle(const char *function, const char *what, const void *handle, gt_tag tag);
/* GT_ERR_ARG if water is negative or not finite, or the position is invalid; nothing is changed then. */
gt_status gt_water_set(double water, double *field);
gt_status gt_position_set(gt_position position, gt_position *field);

#endif
