#ifndef GT_GEOMETRY_DATA_FIELDS_H
#define GT_GEOMETRY_DATA_FIELDS_H
/* What projections and volumes have in common: values that are owned or borrowed, the record of how they came to be, checked settings. */
#include <gantry/data.h>
#include "core/device/tag.h"

/* All 0: the memory is the library's. */
typedef struct {
	int borrowed;
	gt_release release;     /* NULL: nobody is told */
	void *owner;
} gt_loan;

/* n zeros. what: "the volume", for messages. GT_ERR_MEMORY. */
gt_status gt_zeros_new(size_t n, const char *what, float **values);
/* The values are not used any more: they are freed, or their owner is told. */
void      gt_loan_end(const gt_loan *loan, float *values);

/* Copies the texts, which may be those that are there; NULL: none. GT_ERR_MEMORY, and nothing is changed. */
gt_status gt_provenance_set(gt_provenance *from, const char *command, const char *parameters, uint64_t scan_hash);
void      gt_provenance_clear(gt_provenance *from);

/* GT_ERR_ARG if the argument is NULL. function: its name; what: "a scan"; both for the message. */
gt_status gt_need_argument(const char *function, const char *what, const void *argument);
/* The same of a handle, which begins with a gt_tag: GT_ERR_ARG also where that is another one. */
gt_status gt_need_handle(const char *function, const char *what, const void *handle, gt_tag tag);
/* GT_ERR_ARG if water is below 0 or not finite, or the position none of the four; then nothing is changed. */
gt_status gt_water_set(double water, double *field);
gt_status gt_position_set(gt_position position, gt_position *field);

#endif
