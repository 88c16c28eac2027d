#ifndef GT_ANALYTIC_FBP_BACK_PUBLISHED_PUBLISHED_SPACE_CUH
#define GT_ANALYTIC_FBP_BACK_PUBLISHED_PUBLISHED_SPACE_CUH
/* Search space of the published backprojections; nothing is compiled for it.
 *
 * Parameters of `gantry tune`, read by tuner/space.c and all applied at run time. FORM: 0 to 12 from strided on, as in
 * forms.def; the last three support any number of VIEWS per launch (0: as published). BLOCK: index of fdk's option.
 * SLAB: slices per launch.
 *
 * tune fdk-published
 * FORM 0 1 2 3 4 5 6 7 8 9 10 11 12
 * VIEWS 0 1 2 4 8 12 16 20 24 32
 * BLOCK 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14
 * SLAB 16 32 64 128 256 512
 * keep VIEWS == 0 || FORM >= 10
 * keep SLAB <= slices
 * keep FORM < 10 || tilted == 0
 * end */
#endif
