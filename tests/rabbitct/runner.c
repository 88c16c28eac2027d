/* A runner of RabbitCT modules, written from the interface description alone: runner MODULE DATASET SIZE OUT
 * [BUFFERS]. Reads the original layout and passes images in subsets of BUFFERS (default a quarter). Overwrites the
 * buffers of a subset after its last call, and writes the volume as 16-bit HU. */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The interface, not copied from the module's header. */
struct RabbitCtGlobalData {
	unsigned L, S_x, S_y;
	double *A_n;
	float *I_n, R_L, O_L, *f_L;
	unsigned adv_numProjBuffers;
	float **adv_pProjBuffers;
	unsigned adv_N, adv_projNumber;
	double **adv_ppProjMatrixBuffers;
	unsigned adv_numAvailProjs, adv_firstProjOfSubset;
};

typedef bool function(struct RabbitCtGlobalData *r);
typedef struct {
	function *prepare, *load, *backproject, *finish, *unload;
} module;

static int complain(const char *what)
{
	fprintf(stderr, "runner: %s failed\n", what);
	return 1;
}

/* A function from a data pointer, as in POSIX. */
static function *find(void *library, const char *name)
{
	function *f = NULL;
	void *symbol = dlsym(library, name);
	memcpy(&f, &symbol, sizeof f);
	return f;
}

static int load_module(const char *path, module *m)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "runner: %s\n", dlerror());
		return 0;
	}
	m->prepare = find(library, "RCTPrepareAlgorithm");
	m->load = find(library, "RCTLoadAlgorithm");
	m->backproject = find(library, "RCTAlgorithmBackprojection");
	m->finish = find(library, "RCTFinishAlgorithm");
	m->unload = find(library, "RCTUnloadAlgorithm");
	return m->load && m->backproject && m->finish && m->unload;
}

static int read_subset(FILE *f, struct RabbitCtGlobalData *r, size_t n, double *matrices)
{
	for (size_t i = 0; i < n; i++)
		if (fread(matrices + 12 * i, sizeof(double), 12, f) != 12 ||
		    fread(r->adv_pProjBuffers[i], sizeof(float), (size_t)r->S_x * r->S_y, f) != (size_t)r->S_x * r->S_y)
			return 0;
	return 1;
}

static int run_subsets(FILE *f, const module *m, struct RabbitCtGlobalData *r, double *matrices)
{
	for (unsigned first = 0; first < r->adv_N; first += r->adv_numProjBuffers) {
		const unsigned rest = r->adv_N - first, n = rest < r->adv_numProjBuffers ? rest : r->adv_numProjBuffers;
		if (!read_subset(f, r, n, matrices + 12 * (size_t)first))
			return complain("reading");
		for (unsigned i = 0; i < n; i++) {
			r->A_n = r->adv_ppProjMatrixBuffers[first + i];
			r->I_n = r->adv_pProjBuffers[i];
			r->adv_projNumber = first + i;
			r->adv_numAvailProjs = n;
			r->adv_firstProjOfSubset = first;
			if (!m->backproject(r))
				return complain("backprojection");
		}
		for (unsigned i = 0; i < n; i++)
			memset(r->adv_pProjBuffers[i], 0xff, (size_t)r->S_x * r->S_y * sizeof(float));
	}
	return 0;
}

static int write_volume(const char *path, const struct RabbitCtGlobalData *r, const float scale[2])
{
	FILE *f = fopen(path, "wb");
	int good = f != NULL;
	for (size_t i = 0; good && i < (size_t)r->L * r->L * r->L; i++) {
		const double hu = r->f_L[i] > 0 ? round((double)scale[0] * (double)r->f_L[i] + (double)scale[1]) : 0;
		const uint16_t stored = (uint16_t)fmin(fmax(hu, 0), 4095);
		good = fwrite(&stored, sizeof stored, 1, f) == 1;
	}
	return (f && fclose(f) != 0) || !good ? complain("writing") : 0;
}

/* The runner allocates the volume if the module does not. */
static int run_module(FILE *f, const module *m, struct RabbitCtGlobalData *r, const float scale[2], const char *output)
{
	const size_t cells = (size_t)r->S_x * r->S_y;
	float **buffers = calloc(r->adv_numProjBuffers, sizeof *buffers);
	double *matrices = calloc(r->adv_N, 12 * sizeof *matrices), **matrix = calloc(r->adv_N, sizeof *matrix);
	int failed = !buffers || !matrices || !matrix;
	for (unsigned i = 0; i < r->adv_N && !failed; i++)
		matrix[i] = matrices + 12 * (size_t)i;
	r->adv_ppProjMatrixBuffers = matrix;
	failed = failed || (m->prepare && !m->prepare(r)) || !m->load(r);
	if (!failed)
		printf("%s buffers\n", r->adv_pProjBuffers ? "module's" : "runner's");
	const int owns = !failed && !r->adv_pProjBuffers;
	for (unsigned i = 0; i < r->adv_numProjBuffers && owns; i++)
		failed |= !(buffers[i] = malloc(cells * sizeof **buffers));
	if (owns)
		r->adv_pProjBuffers = buffers;
	failed = failed || run_subsets(f, m, r, matrices) || !m->finish(r) || write_volume(output, r, scale);
	if (owns)
		r->adv_pProjBuffers = NULL;
	m->unload(r);
	for (unsigned i = 0; i < r->adv_numProjBuffers && owns; i++)
		free(buffers[i]);
	free(buffers);
	free(matrices);
	free(matrix);
	return failed;
}

int main(int argc, char **argv)
{
	uint32_t head[4];
	float scale[2];
	module m;
	struct RabbitCtGlobalData r;
	if (argc < 5)
		return complain("runner MODULE DATASET SIZE OUT [BUFFERS]:");
	FILE *f = fopen(argv[2], "rb");
	if (!f || fread(head, sizeof head, 1, f) != 1 || fread(scale, sizeof scale, 1, f) != 1 || head[0] != 2)
		return complain("the data set");
	if (!load_module(argv[1], &m))
		return complain("the module");
	memset(&r, 0, sizeof r);
	r.L = (unsigned)strtoul(argv[3], NULL, 10);
	r.S_x = head[1];
	r.S_y = head[2];
	r.adv_N = head[3];
	r.R_L = 256.f / (float)r.L;
	r.O_L = -.5f * r.R_L * ((float)r.L - 1);
	r.adv_numProjBuffers = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : r.adv_N / 4;
	const int failed = run_module(f, &m, &r, scale, argv[4]);
	fclose(f);
	return failed;
}
