#ifndef PYTHON_DLPACK_H
#define PYTHON_DLPACK_H
/* Structs of the DLPack specification (dmlc/dlpack, version 0.8). */
#include <stdint.h>

enum { DLPACK_CPU = 1, DLPACK_CUDA = 2, DLPACK_FLOAT = 2 };
typedef struct {
	void *data;
	struct {
		int32_t type, id;
	} device;
	int32_t dimensions;
	struct {
		uint8_t code, bits;
		uint16_t lanes;
	} element;
	int64_t *shape, *strides; /* in elements; strides NULL: C order */
	uint64_t byte_offset;
} dlpack_tensor;
typedef struct dlpack_managed {
	dlpack_tensor tensor;
	void *owner;
	void (*deleter)(struct dlpack_managed *self);
} dlpack_managed;
#endif
