#ifndef GT_CORE_DEVICE_TAG_H
#define GT_CORE_DEVICE_TAG_H

/* Tag in the first word of an object, so that a wrong or freed pointer is rejected. */
typedef enum {
	GT_FREED,
	GT_IS_BACKEND = 0x47746265,
	GT_IS_ARRAY = 0x47746172,
	GT_IS_LINOP = 0x47746c6f,
	GT_IS_PENALTY = 0x47747065,
	GT_IS_PROJECTIONS = 0x47747072,
	GT_IS_VOLUME = 0x4774766f,
	GT_IS_RECON = 0x47747265
} gt_tag;

#endif
