#ifndef GT_IO_RABBITCT_RABBITCT_H
#define GT_IO_RABBITCT_RABBITCT_H
/* Data sets of the benchmark RabbitCT (Rohkohl et al., Med. Phys. 36 (2009) 3940): projections that are filtered
 * already, each with its 3x4 matrix, and reference volumes. docs/files.md tells the layouts to the byte. */
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
/* Row-major (the file has columns). */
gt_status gt_rabbitct_matrix(gt_rabbitct *f, size_t view, double matrix[12]);
/* [row][column]; GT_ERR_FORMAT for values that are not finite. */
gt_status gt_rabbitct_image(gt_rabbitct *f, size_t view, float *image);
/* HU, [size][size][size]; GT_ERR_UNSUPPORTED if the file has none of that size. */
gt_status gt_rabbitct_reference(gt_rabbitct *f, size_t size, uint16_t *hu);

/* A reference of its own: 16-bit numbers and nothing else. GT_ERR_FORMAT if the file has another size. */
gt_status gt_rabbitct_read_volume (const char *path, size_t size, uint16_t *hu);
gt_status gt_rabbitct_write_volume(const char *path, size_t size, const uint16_t *hu);
/* Only layout, sizes and scale of the head count. matrix row-major. */
gt_status gt_rabbitct_write(const char *path, const gt_rabbitct_head *head, const double (*matrix)[12], const float *images);
/* Puts the next reference behind those that are there (original layout; GT_ERR_UNSUPPORTED unless it is that one's
 * turn). The file as it was stays if that fails. */
gt_status gt_rabbitct_append(const char *path, size_t size, const uint16_t *hu);
gt_status gt_rabbitct_can_append(const char *path, const gt_rabbitct_head *head, size_t size);

/* The benchmark's cube of 256 mm: size^3 voxels around the origin. */
void gt_rabbitct_grid(size_t size, gt_grid *grid);
/* 0 where f is not positive, rounded, at most 4095. */
uint16_t gt_rabbitct_hu(float f, const float scale[2]);
/* 1 if the contents may be such a file, whole or damaged. */
int gt_rabbitct_probe(const char *path);

#ifdef __cplusplus
}
#endif
#endif
