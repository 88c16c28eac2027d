/* See the header. */
#include "tuner/near.h"
#include <string.h>

static int fine(int n) { return gt_variant_fine_bin(n); }
static int coarse(int n) { return gt_variant_bin(n); }
/* Numbers of a class by the bins that operators write; all others choose code, and must be the same. */
static const struct {
	const char *name;
	int (*bin)(int n);
} sizes[] = { { "rows", fine }, { "slices", fine }, { "views", coarse }, { "columns", coarse }, { "across", coarse } };
enum { SIZES = sizeof sizes / sizeof *sizes, MAX_BIN = 1 << 24 };

static int next_bin(int (*bin)(int n), int value)
{
	int n = value + 1;
	while (n < MAX_BIN && bin(n) <= value)
		n++;
	return bin(n);
}

static int are_next(int (*bin)(int n), long a, long b)
{
	const long low = a < b ? a : b, high = a < b ? b : a;
	return low >= 0 && high < MAX_BIN && next_bin(bin, (int)low) == high;
}

/* Of "NAME=text". */
static int size_of_name(const char *at)
{
	for (int i = 0; i < SIZES; i++)
		if (!strncmp(at, sizes[i].name, strlen(sizes[i].name)) && at[strlen(sizes[i].name)] == '=')
			return i;
	return -1;
}

int gt_near_classes(const char *about, const char *other)
{
	int differ = 0;
	while (*about && *other) {
		const size_t n = strcspn(about, " "), m = strcspn(other, " ");
		const int i = size_of_name(about);
		if (n != m || strncmp(about, other, n) != 0) {
			if (i < 0 || i != size_of_name(other) ||
			    !are_next(sizes[i].bin, gt_variant_value(about, sizes[i].name, -1), gt_variant_value(other, sizes[i].name, -1)))
				return -1;
			differ++;
		}
		about += n + (about[n] == ' ');
		other += m + (other[m] == ' ');
	}
	return *about || *other ? -1 : differ;
}

struct finding {
	const gt_space *s;
	const gt_store_entry *like;
	int apart; /* that are looked for */
	size_t n, max, *candidate;
};

static void look(void *self, const gt_store_entry *e)
{
	struct finding *f = self;
	uint8_t pick[GT_MAX_LAYERS];
	gt_store_entry as_here = *e;
	memcpy(as_here.about, f->like->about, sizeof as_here.about);
	if (f->n == f->max || !*e->variant || !gt_store_same(&as_here, f->like) || gt_near_classes(f->like->about, e->about) != f->apart ||
	    !gt_space_parse(f->s, e->variant, pick))
		return;
	const size_t candidate = gt_space_find(f->s, pick);
	for (size_t i = 0; i < f->n; i++)
		if (f->candidate[i] == candidate)
			return;
	if (candidate != SIZE_MAX)
		f->candidate[f->n++] = candidate;
}

size_t gt_near_find(const gt_space *s, const gt_store_entry *like, size_t max, size_t *candidate)
{
	struct finding f = { s, like, 0, 0, max, candidate };
	for (; f.apart <= SIZES; f.apart++) {
		gt_store_list(like->kernel, look, &f); /* a damaged file is as none */
		gt_store_list_shipped(like->kernel, look, &f);
	}
	return f.n;
}
