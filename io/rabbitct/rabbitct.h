#ifndef GT_IO_RABBITCT_RABBITCT_H
#define GT_IO_RABBITCT_RABBITCT_H
/* Data sets of the benchmark RabbitCT (Rohkohl et al., Med. Phys. 36 (2009) 3940): filtered projections
 * with one 3x4 matrix each, and reference volumes. docs/files.md defines the layouts. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_RCT_ORIGINAL, GT_RCT_REPACKAGED } gt_rabbitct_layout;
typedef struct {
	gt_rabbitct_layout layout;
	size_t columns, rows, views;
	float scale[2];                 /* HU = scale[0] f + scale[1] */
	int has_matrices, has_images;   /* the repackaged layout may hold one without the other */
	size_t references;              /* number of reference volumes at the end: 128, 256, 512, 1024 voxels wide */
} gt_rabbitct_head;

typedef struct gt_rabbitct gt_rabbitct;
/* Opens a file and checks its size against the header. geometry: file of the matrices, NULL if they are in path.
 * GT_ERR_FORMAT names the file, the value found and the value expected: version, zero sizes, size of the file,
 * missing matrices. */
gt_status gt_rabbitct_open (const char *path, const char *geometry, gt_rabbitct **f);
void      gt_rabbitct_close(gt_rabbitct *f);
const gt_rabbitct_head *gt_rabbitct_info(const gt_rabbitct *f);
/* Row-major; the file stores columns. */
gt_status gt_rabbitct_matrix(gt_rabbitct *f, size_t view, double matrix[12]);
/* [row][column]; GT_ERR_FORMAT for values that are not finite. */
gt_status gt_rabbitct_image(gt_rabbitct *f, size_t view, float *image);
/* HU, [size][size][size]; GT_ERR_UNSUPPORTED: no reference of this size. */
gt_status gt_rabbitct_reference(gt_rabbitct *f, size_t size, uint16_t *hu);

/* Error measures of the benchmark for n voxels. */
enum { GT_RCT_BINS = 11 };
typedef struct {
	double mse, rmse, max, psnr;    /* HU; psnr in dB, INFINITY for equal volumes */
	size_t bin[GT_RCT_BINS];       /* voxels that differ by 0, 1, ... 9, 10 or more */
} gt_rabbitct_score;
gt_rabbitct_score gt_rabbitct_judge(const uint16_t *hu, const uint16_t *reference, size_t n);

/* A reference in a separate file of 16-bit integers, without a header. GT_ERR_FORMAT: another file size. */
gt_status gt_rabbitct_read_volume (const char *path, size_t size, uint16_t *hu);
gt_status gt_rabbitct_write_volume(const char *path, size_t size, const uint16_t *hu);
/* Uses layout, sizes and scale of the header. matrix: row-major. */
gt_status gt_rabbitct_write(const char *path, const gt_rabbitct_head *head, const double (*matrix)[12], const float *images);
/* Appends the next reference; the sizes must ascend. GT_ERR_UNSUPPORTED: another layout or size. A failure leaves the
 * file unchanged. */
gt_status gt_rabbitct_append(const char *path, size_t size, const uint16_t *hu);
gt_status gt_rabbitct_can_append(const char *path, const gt_rabbitct_head *head, size_t size);

/* Grid of the benchmark: size^3 voxels in a cube of 256 mm around the origin. */
void gt_rabbitct_grid(size_t size, gt_grid *grid);
/* Rounds to 12 bits, 0 to 4095; values f that are not positive give 0. */
uint16_t gt_rabbitct_hu(float f, const float scale[2]);
/* 1 if the contents may be a RabbitCT file, complete or damaged. */
int gt_rabbitct_probe(const char *path);

#ifdef __cplusplus
}
#endif
#endif
