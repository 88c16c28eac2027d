/* Loads compiled kernels by the CUDA driver into the current context, the runtime device's. The driver is opened on
 * first use. */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/shared_limit.h"
#include "core/text.h"
#include "core/try.h"
#include "core/variant/symbols.h"
#include "core/variant/variant.h"

/* Constants of the driver's stable interface (cuda.h). */
enum { MAJOR = 75, MINOR = 76, MAX_SHARED = 97, STATIC_SHARED = 1, MAX_DYNAMIC_SHARED = 8 };
enum { SHARED_OF_9_0 = 232448, MAX_MACROS = 32 };

static struct {
	int (*init)(unsigned flags);
	int (*version)(int *version);
	int (*device)(int *device);
	int (*device_name)(char *name, int size, int device);
	int (*device_attribute)(int *value, int attribute, int device);
	int (*load)(void **module, const void *image);
	int (*unload)(void *module);
	int (*function)(void **function, void *module, const char *name);
	int (*get)(int *value, int attribute, void *function);
	int (*set)(void *function, int attribute, int value);
	int (*global)(uint64_t *address, size_t *bytes, void *module, const char *name);
	int (*copy)(void *to, uint64_t from, size_t bytes);
	int (*launch)(const void *config, void *function, void **arguments, void **extra);
} driver;
static char why[160];
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct gt_variant {
	void *module, *function;
	unsigned shared;
};

enum { PROGRAMMATIC_SERIALIZATION = 6 };
struct attribute {
	int id, unused;
	union {
		char room[64];
		int number;
	} value;
};
struct config {
	unsigned blocks[3], threads[3], shared;
	void *queue;
	struct attribute *attribute;
	unsigned attributes;
};

static const gt_symbol symbols[] = {
	{ "cuInit", &driver.init },
	{ "cuDriverGetVersion", &driver.version },
	{ "cuCtxGetDevice", &driver.device },
	{ "cuDeviceGetName", &driver.device_name },
	{ "cuDeviceGetAttribute", &driver.device_attribute },
	{ "cuModuleLoadData", &driver.load },
	{ "cuModuleUnload", &driver.unload },
	{ "cuModuleGetFunction", &driver.function },
	{ "cuFuncGetAttribute", &driver.get },
	{ "cuFuncSetAttribute", &driver.set },
	{ "cuModuleGetGlobal_v2", &driver.global },
	{ "cuMemcpyDtoH_v2", &driver.copy },
	{ "cuLaunchKernelEx", &driver.launch },
};

static void open_once(void)
{
	static const char *const libraries[] = { "libcuda.so.1", NULL };
	const enum gt_symbols_found found = gt_symbols_open(libraries, symbols, sizeof symbols / sizeof *symbols);
	if (found == GT_SYMBOLS_NO_LIBRARY)
		gt_snprintf(why, sizeof why, "there is no driver of CUDA (libcuda.so.1)");
	else if (found == GT_SYMBOLS_MISSING)
		gt_snprintf(why, sizeof why, "the driver of CUDA lacks functions that load kernels");
	else if (driver.init(0))
		gt_snprintf(why, sizeof why, "the driver of CUDA finds no device");
}

gt_status gt_variant_device(char *name, size_t name_size, char arch[16], int *version)
{
	int device, major, minor;
	pthread_once(&once, open_once);
	if (*why)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s", why);
	if (driver.device(&device) || driver.device_name(name, (int)name_size, device) || driver.device_attribute(&major, MAJOR, device) ||
	    driver.device_attribute(&minor, MINOR, device) || driver.version(version))
		return gt_fail(GT_ERR_UNSUPPORTED, "no CUDA device is current");
	gt_snprintf(arch, 16, "sm_%d%d", major, minor);
	if (gt_shared_limit(device, INT_MAX) < INT_MAX) { /* a limited device has its own class of tuned kernels */
		const size_t n = strlen(name);
		gt_snprintf(name + n, name_size - n, ", shared=%d", gt_shared_limit(device, INT_MAX));
	}
	return GT_OK;
}

static int max_shared(void)
{
	int device, max = 0;
	return driver.device(&device) || driver.device_attribute(&max, MAX_SHARED, device) ? 0 : gt_shared_limit(device, max);
}

int gt_variant_max_shared(void)
{
	pthread_once(&once, open_once);
	return *why ? 0 : max_shared();
}

/* Below the shared memory of compute capability 9.0 a macro passes the limit to the code. */
static gt_status image_for(const gt_variant_code *code, const char *arch, char **name, void **image, size_t *bytes)
{
	char min[40];
	const char *macros[MAX_MACROS] = { NULL };
	gt_variant_code all = *code;
	int n = 0;
	if (max_shared() >= SHARED_OF_9_0)
		return gt_variant_image(code, arch, name, image, bytes);
	for (; code->macros[n] && n < MAX_MACROS - 2; n++)
		macros[n] = code->macros[n];
	gt_snprintf(min, sizeof min, "-DGT_MAX_SHARED=%d", max_shared());
	macros[n] = min;
	all.macros = macros;
	return gt_variant_image(&all, arch, name, image, bytes);
}

gt_status gt_variant_new(const gt_variant_code *code, size_t shared_bytes, gt_variant **out)
{
	char device[128], arch[16], *name = NULL;
	void *image = NULL;
	size_t bytes;
	uint64_t address;
	int version, fixed = 0;
	gt_variant *v = calloc(1, sizeof *v);
	gt_status st = v ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a kernel");
	if (st != GT_OK)
		return st;
	GT_TRY(gt_variant_device(device, sizeof device, arch, &version));
	GT_TRY(image_for(code, arch, &name, &image, &bytes));
	if (driver.load(&v->module, image) || driver.function(&v->function, v->module, name))
		GT_TRY(gt_fail(GT_ERR_DEVICE, "the driver does not load %s as it was compiled for %s", code->instance, arch));
	v->shared = (unsigned)shared_bytes;
	if (code->bytes && (driver.global(&address, &bytes, v->module, GT_VARIANT_BYTES) || bytes != sizeof v->shared ||
	                    driver.copy(&v->shared, address, bytes)))
		GT_TRY(gt_fail(GT_ERR_DEVICE, "%s does not state its shared memory", code->instance));
	driver.get(&fixed, STATIC_SHARED, v->function);
	if ((int64_t)fixed + v->shared > max_shared() || driver.set(v->function, MAX_DYNAMIC_SHARED, (int)v->shared))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s needs %u bytes of shared memory, more than the %d available to a block of %s",
		               code->instance, (unsigned)fixed + v->shared, max_shared(), device));
	*out = v;
done:
	free(name);
	free(image);
	if (st != GT_OK)
		gt_variant_free(v);
	return st;
}

void gt_variant_free(gt_variant *v)
{
	if (v && v->module)
		driver.unload(v->module);
	free(v);
}

static _Thread_local size_t launches;
size_t gt_variant_launches(void) { return launches; }

int gt_variant_launch(const gt_variant *v, const gt_variant_grid *g, void **arguments)
{
	struct attribute early = { .id = PROGRAMMATIC_SERIALIZATION, .value = { .number = 1 } };
	const struct config c = {
		{ (unsigned)g->blocks, 1, 1 }, { g->threads[0], g->threads[1], 1 }, v->shared, g->queue, &early, g->early ? 1u : 0u
	};
	const int e = driver.launch(&c, v->function, arguments, NULL);
	launches += !e;
	return e;
}
