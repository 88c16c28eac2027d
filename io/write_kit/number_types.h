#ifndef GT_IO_WRITE_KIT_NUMBER_TYPES_H
#define GT_IO_WRITE_KIT_NUMBER_TYPES_H
/* Sample types in volume files of other programs; private to io/. */
#include <stddef.h>
#include <stdint.h>

/* MetaImage name, NIfTI code and name, C type, conversion, meaning of values without a unit (docs/files.md). */
#define GT_NUMBER_TYPE_LIST(X)                                                             \
	X("MET_CHAR",       256,  "int8",    int8_t,   of_int8,   GT_MEANS_NOTHING)    \
	X("MET_UCHAR",      2,    "uint8",   uint8_t,  of_uint8,  GT_MEANS_NOTHING)    \
	X("MET_SHORT",      4,    "int16",   int16_t,  of_int16,  GT_MEANS_CT)         \
	X("MET_USHORT",     512,  "uint16",  uint16_t, of_uint16, GT_MEANS_CT_1024)    \
	X("MET_INT",        8,    "int32",   int32_t,  of_int32,  GT_MEANS_CT)         \
	X("MET_UINT",       768,  "uint32",  uint32_t, of_uint32, GT_MEANS_CT_1024)    \
	X("MET_LONG_LONG",  1024, "int64",   int64_t,  of_int64,  GT_MEANS_CT)         \
	X("MET_ULONG_LONG", 1280, "uint64",  uint64_t, of_uint64, GT_MEANS_CT_1024)    \
	X("MET_FLOAT",      16,   "float32", float,    of_float,  GT_MEANS_PER_MM)     \
	X("MET_DOUBLE",     64,   "float64", double,   of_double, GT_MEANS_PER_MM)
/* none; CT numbers; CT numbers + 1024; mm^-1 */
typedef enum { GT_MEANS_NOTHING, GT_MEANS_CT, GT_MEANS_CT_1024, GT_MEANS_PER_MM } gt_meaning;

typedef struct {
	const char *met, *nifti_name;
	int nifti;
	size_t size;
	gt_meaning meaning;
	void (*convert)(void *from, size_t n, int swap, float *to);     /* swaps the bytes of `from` in place first, if
	                                                                 * swap is set */
} gt_number_type;
/* Terminated by met = NULL. float16 has neither a MetaImage name nor a NIfTI code. */
extern const gt_number_type gt_number_types[];

int gt_host_is_msb(void);
#endif
