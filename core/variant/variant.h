#ifndef GT_CORE_VARIANT_VARIANT_H
#define GT_CORE_VARIANT_VARIANT_H
/* Variants of kernels: compiled by NVRTC from the sources that the library holds, with other values of their macros,
 * and loaded by the driver. NVRTC and the driver are opened when they are first needed: nothing links them, and without
 * them there are the built-in kernels, which nvcc made. A variant is a line of text, "NAME=value NAME=value". */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What an operator asks for when it is made. */
typedef struct {
	const char *kernel;     /* "dd-forward" */
	const char *about;      /* the class of its problem: "NAME=value ..." */
	const char *built_in;   /* what the built-in kernel is, in the words of a variant */
} gt_variant_wish;

/* The value of NAME in "NAME=value ..."; `otherwise` if it is not there. */
long gt_variant_value(const char *text, const char *name, long otherwise);

/* Writes the variant for the current CUDA device to text: what gt_variant_try() names, else that of the cache. */
enum { GT_VARIANT_NONE, GT_VARIANT_KEPT, GT_VARIANT_TRIED };
int gt_variant_find(const gt_variant_wish *w, char *text, size_t size);
/* From here on operators of this thread that ask for that kernel get that variant; text NULL: as before; "": the
 * built-in kernel. Texts are not copied. */
void gt_variant_try(const char *kernel, const char *text);
/* The last wish for that kernel in this thread: returns 0 if there was none. */
int gt_variant_asked(const char *kernel, char *about, char *built_in, size_t size);
/* "KERNEL NAME=value ..." of the last operator of this thread, "" where it took no variant. kernel NULL: it is
 * about to be made. */
const char *gt_variant_taken(void);
void gt_variant_took(const char *kernel, const char *text);

/* What is compiled: a source of the library, the instantiation of a template in it, macros ("-DA=1" each, NULL
 * ends). */
typedef struct {
	const char *source, *instance;
	const char *const *macros;
} gt_variant_code;
/* A kernel on the current CUDA device. */
typedef struct gt_variant gt_variant;
/* Compiles, or finds compiled: GT_ERR_UNSUPPORTED without NVRTC or a driver, with a sentence; else what was wrong. */
gt_status gt_variant_new(const gt_variant_code *code, size_t shared_bytes, gt_variant **v);
void gt_variant_free(gt_variant *v);
/* Registers of a thread, and bytes that it keeps in local memory. */
void gt_variant_size(const gt_variant *v, int *registers, int *local_bytes);
/* queue: a cudaStream_t. Returns 0, or the driver's number. */
int gt_variant_launch(const gt_variant *v, unsigned blocks, unsigned threads, size_t shared_bytes, void *queue, void **arguments);

/* Compiles alone, for "sm_90" say, without a device. *name: the kernel's in the code. Both malloc'ed. */
gt_status gt_variant_compile(const gt_variant_code *code, const char *arch, char **name, void **image, size_t *bytes);
/* The same, from the cache of compiled code if it is there, and into it if it is not. */
gt_status gt_variant_image(const gt_variant_code *code, const char *arch, char **name, void **image, size_t *bytes);
/* For tests, which plant faults: from here on `to` is compiled in the place of `from`, which stands once in the source;
 * NULL: as it is. Texts are not copied. */
void gt_variant_plant(const char *from, const char *to);
const char *gt_variant_planted(void);
/* NULL if NVRTC can be used; else a sentence. */
const char *gt_variant_no_compiler(void);
/* Of the current device: "NAME" its architecture ("sm_90") and the driver's version. GT_ERR_UNSUPPORTED: no driver. */
gt_status gt_variant_device(char *name, size_t name_size, char arch[16], int *driver);
#ifdef __cplusplus
}
#endif
#endif
