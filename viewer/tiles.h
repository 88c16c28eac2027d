#ifndef GT_VIEWER_TILES_H
#define GT_VIEWER_TILES_H
/* Quantised slices, compressed independently. A value is offset + step * code; the largest code marks a value that is
 * not finite. The mean of the left and upper pixels predicts a code. The residual is mapped to an unsigned number
 * (0, -1, 1, -2 ... become 0, 1, 2, 3 ...). With 16 bits, the low bytes of a slice precede the high bytes. With 8 bits,
 * two pixels share a byte, the first one in the upper half; 15 marks a residual stored in the bytes that follow, in the
 * order of the pixels. zlib (RFC 1950) compresses them. */
#include <stddef.h>
#include <gantry/status.h>
#include <gantry/threads.h>

struct gt_page_tiles {
	const float *data;              /* [n[2]][n[1]][n[0]] */
	size_t n[3];
	double min, max;                /* over the finite values; 0 if there are none */
	double offset, step;
	int bits;                       /* bits of a code: 8 or 16 */
	size_t missing;                 /* values that are not finite */
	double packed;                  /* estimated bytes of all slices, from a sample */
};

/* Scratch and result of one slice. */
struct gt_tile {
	unsigned short *code, *rest;    /* rest: prediction residuals */
	unsigned char *raw, *packed;
	size_t room, bytes;             /* size of packed: allocated, used */
	int failed;
};
gt_status gt_tile_new(const size_t n[3], struct gt_tile *t);
void      gt_tile_free(struct gt_tile *t);

/* Sets min, max and missing from data and n. */
void      gt_tiles_range(gt_pool *pool, struct gt_page_tiles *t);
/* Chooses the smallest step, range / 65520 times a power of the fourth root of two, with which all slices take at most
 * `bytes`. GT_ERR_UNSUPPORTED: even the largest usable step needs more. */
gt_status gt_tiles_plan(gt_pool *pool, const float *data, const size_t n[3], double bytes, struct gt_page_tiles *t);
/* Packs slice z, from `slice` if it is not NULL, else from t->data. */
void      gt_tiles_pack(const struct gt_page_tiles *t, const float *slice, struct gt_tile *out);
/* Computes slice z of the coarse volume: means of the finite values of blocks of by[] voxels. */
void      gt_tiles_coarse(const struct gt_page_tiles *t, const size_t by[3], size_t z, float *out);
void      gt_tiles_coarse_size(const size_t n[3], size_t by[3], size_t size[3]);
#endif
