/* Stored integers and floats of 1 to 8 bytes, converted to float in a loop. Types with unused bits, and those of other
 * sizes, are left to libhdf5. */
#include <stdint.h>
#include <string.h>
#include "io/hdf5/hdf5_numbers.h"

#define CONVERSION(name, number)                                        \
	static void from_##name(const void *from, size_t n, float *out) \
	{                                                               \
		const number *x = from;                                 \
		for (size_t i = 0; i < n; i++)                          \
			out[i] = (float)x[i];                           \
	}

CONVERSION(i8, int8_t)
CONVERSION(u8, uint8_t)
CONVERSION(i16, int16_t)
CONVERSION(u16, uint16_t)
CONVERSION(i32, int32_t)
CONVERSION(u32, uint32_t)
CONVERSION(i64, int64_t)
CONVERSION(u64, uint64_t)
CONVERSION(f64, double)

static void from_f32(const void *from, size_t n, float *out) { memcpy(out, from, n * sizeof *out); }

gt_hdf5_numbers_type gt_hdf5_numbers_of(hid_t data_set)
{
	const gt_hdf5_numbers_type known[2][2][4] = {
		{ { { H5T_NATIVE_UINT8, 1, from_u8 },
		    { H5T_NATIVE_UINT16, 2, from_u16 },
		    { H5T_NATIVE_UINT32, 4, from_u32 },
		    { H5T_NATIVE_UINT64, 8, from_u64 } },
		  { { H5T_NATIVE_INT8, 1, from_i8 },
		    { H5T_NATIVE_INT16, 2, from_i16 },
		    { H5T_NATIVE_INT32, 4, from_i32 },
		    { H5T_NATIVE_INT64, 8, from_i64 } } },
		{ { { H5T_NATIVE_FLOAT, 4, from_f32 }, { H5T_NATIVE_DOUBLE, 8, from_f64 } } },
	};
	const hid_t type = H5Dget_type(data_set);
	const size_t size = H5Tget_size(type);
	const int floats = H5Tget_class(type) == H5T_FLOAT, sign = !floats && H5Tget_sign(type) == H5T_SGN_2;
	gt_hdf5_numbers_type found = { H5T_NATIVE_FLOAT, sizeof(float), from_f32 };
	for (int i = 0; i < 4; i++) {
		const gt_hdf5_numbers_type *k = &known[floats][sign][i];
		if (k->bytes == size && H5Tget_precision(type) == 8 * size)
			found = *k;
	}
	H5Tclose(type);
	return found;
}
