#ifndef GT_APPS_RABBITCT_MODULE_H
#define GT_APPS_RABBITCT_MODULE_H
/* The interface between the benchmark's runner and a module, as its version 2 has it. The runner loads libgantry_rabbitct.so and
 * calls, in this order: Prepare, Load, Backprojection once per image, Finish, Unload. Each returns false for a failure (the
 * reason is on stderr). GT_RABBITCT_BACKEND names the backend (default auto), GT_RABBITCT_BATCH the images per pass. */
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

struct RabbitCtGlobalData {
	unsigned int L;                 /* voxels along each edge */
	unsigned int S_x, S_y;          /* columns and rows of an image */
	double *A_n;                    /* its matrix, 3x4, column by column */
	float  *I_n;                    /* the image, row by row */
	float   R_L, O_L;               /* mm: size of a voxel, position of the centre of the first along each axis */
	float  *f_L;                    /* the volume; the module's, complete after Finish */
	unsigned int adv_numProjBuffers;
	float **adv_pProjBuffers;       /* buffers for images: the module's if memory can be page-locked */
	unsigned int adv_N;             /* images in all */
	unsigned int adv_projNumber;    /* current image */
	double **adv_ppProjMatrixBuffers;
	unsigned int adv_numAvailProjs; /* images in the buffers */
	unsigned int adv_firstProjOfSubset;
};

bool RCTPrepareAlgorithm(struct RabbitCtGlobalData *r);
bool RCTLoadAlgorithm(struct RabbitCtGlobalData *r);
bool RCTAlgorithmBackprojection(struct RabbitCtGlobalData *r);
bool RCTFinishAlgorithm(struct RabbitCtGlobalData *r);
bool RCTUnloadAlgorithm(struct RabbitCtGlobalData *r);

#ifdef __cplusplus
}
#endif
#endif
