#ifndef GT_IO_METAIMAGE_H
#define GT_IO_METAIMAGE_H
/* The text head of MetaImage files; private to io/. */
#include <stdio.h>
#include "io/format.h"

/* The types of elements: name, C type, bits, what integers of unknown unit are (see docs/files.md). */
#define GT_MET_LIST(X)                                  \
	X("MET_CHAR",       int8_t,   met_char,   0)    \
	X("MET_UCHAR",      uint8_t,  met_uchar,  0)    \
	X("MET_SHORT",      int16_t,  met_short,  1)    \
	X("MET_USHORT",     uint16_t, met_ushort, 2)    \
	X("MET_INT",        int32_t,  met_int,    1)    \
	X("MET_UINT",       uint32_t, met_uint,   2)    \
	X("MET_LONG_LONG",  int64_t,  met_llong,  1)    \
	X("MET_ULONG_LONG", uint64_t, met_ullong, 2)    \
	X("MET_FLOAT",      float,    met_float,  3)    \
	X("MET_DOUBLE",     double,   met_double, 3)
/* Nothing can be said; CT numbers; CT numbers + 1024; mm^-1. */
enum { GT_MET_UNKNOWN, GT_MET_CT, GT_MET_CT_1024, GT_MET_PER_MM };

/* Elements to float, swapping their bytes first (in place) if asked. */
typedef struct {
	const char *name;
	size_t size;
	int meaning, is_real;
	void (*convert)(void *from, size_t n, int swap, float *to);
} gt_met_type;
extern const gt_met_type gt_met_types[];        /* ends with name = NULL */

typedef struct {
	gt_grid grid;
	int flip[3];                    /* axes along which the file runs downwards */
	const gt_met_type *type;
	int swap;
	char *data_file;                /* with folder; NULL: in the same file */
	long long data_at;              /* offset; -1: the last bytes of the file */
	gt_unit unit;                   /* of our own files; GT_UNIT_AUTO: not said */
	gt_provenance from;
	double water;
} gt_met_head;

int       gt_met_is(const char *path);
/* Refuses, naming the key: what is missing, malformed or cannot be read here. Clear it in any case. */
gt_status gt_met_read_head(const char *path, gt_met_head *h);
void      gt_met_clear(gt_met_head *h);
int       gt_met_host_is_msb(void);
#endif
