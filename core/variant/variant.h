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
} gt_variant_request;

/* The value of NAME in "NAME=value ..."; `otherwise` if it is not there. */
long gt_variant_value(const char *text, const char *name, long otherwise);

/* Writes the variant for the current CUDA device to text: what gt_variant_try() names, else that of the cache. */
enum { GT_VARIANT_NONE, GT_VARIANT_CACHED, GT_VARIANT_TRIED };
int gt_variant_find(const gt_variant_request *w, char *text, size_t size);
/* From here on operators of this thread that ask for that kernel get that variant; text NULL: as before; "": the
 * built-in kernel. Texts are not copied. */
void gt_variant_try(const char *kernel, const char *text);
/* The last wish for that kernel in this thread: returns 0 if there was none. */
int gt_variant_asked(const char *kernel, char *about, char *built_in, size_t size);
/* "KERNEL[NAME=value,...]" of the last operator of this thread, ";" between several, "" where it took no variant.
 * kernel NULL: it is about to be made. */
const char *gt_variant_taken(void);
void gt_variant_took(const char *kernel, const char *text);

/* The numbers by which a kernel's variants differ, NULL ends: each is a macro, PREFIX NAME, unless it is own: then the
 * host alone, or a template, knows it. */
typedef struct {
	const char *name;
	int min, max, own;
} gt_variant_number;
typedef struct {
	const char *kernel, *source, *prefix;
	const gt_variant_number *number;
} gt_variant_family;
enum { GT_VARIANT_NUMBERS = 16 };
/* "NAME=value NAME=value" */
void gt_variant_write(const gt_variant_family *f, const int *value, char *text, size_t size);
/* For an operator that is being made. value: the built-in kernel's numbers; those of the variant for that class take
 * their places. GT_ERR_UNSUPPORTED: a variant that is being tried has a number beyond its bounds; one that is kept is
 * then none, and value as it was. *found: GT_VARIANT_NONE ... */
gt_status gt_variant_choose(const gt_variant_family *f, const char *about, int *value, int *found);
/* After that variant was compiled, or refused with st: an operator took it; a kept one that cannot be had is none
 * (GT_OK); one that is being tried is a failure. */
gt_status gt_variant_settle(const gt_variant_family *f, const int *value, int found, gt_status st);
/* Powers of two and the middle between them, up to 128 multiples of 8: sizes of problems that are one class. */
int gt_variant_bin(double n);
int gt_variant_fine_bin(int n);

/* What is compiled: a source of the library, the instantiation of a template in it, macros ("-DA=1" each, NULL
 * ends); NULL or an expression of that source, the dynamic shared memory of a block, in bytes. */
typedef struct {
	const char *source, *instance;
	const char *const *macros;
	const char *bytes;
} gt_variant_code;
/* A kernel on the current CUDA device. */
typedef struct gt_variant gt_variant;
/* Compiles, or finds compiled: GT_ERR_UNSUPPORTED without NVRTC or a driver, with a sentence; else what was wrong.
 * shared_bytes: of a block, where the code does not say it. */
gt_status gt_variant_new(const gt_variant_code *code, size_t shared_bytes, gt_variant **v);
/* With the macros of a family; bytes: as in gt_variant_code. */
gt_status gt_variant_build(const gt_variant_family *f, const int *value, const char *instance, const char *bytes, size_t shared_bytes,
                           gt_variant **v);
void gt_variant_free(gt_variant *v);
/* Registers of a thread, and bytes that it keeps in local memory. */
void gt_variant_size(const gt_variant *v, int *registers, int *local_bytes);
/* queue: a cudaStream_t. early: it may begin before the launch that came before it has ended. */
typedef struct {
	size_t blocks;
	unsigned threads[2];
	int early;
	void *queue;
} gt_variant_grid;
/* Returns 0, or the driver's number. */
int gt_variant_launch(const gt_variant *v, const gt_variant_grid *grid, void **arguments);
/* Of this thread, so far: whether a variant really runs. */
size_t gt_variant_launches(void);

/* The name in compiled code of what gt_variant_code.bytes comes to. */
#define GT_VARIANT_BYTES "gt_variant_bytes"
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
/* Bytes of shared memory that a block of the current device may have; 0: no device. */
int gt_variant_max_shared(void);
#ifdef __cplusplus
}
#endif
#endif
