/* Kernel families with numeric parameters: as text, from text, and as compiler macros. */
#include <string.h>
#include "core/text.h"
#include "core/variant/variant.h"

void gt_variant_write(const gt_variant_family *f, const int *value, char *text, size_t size)
{
	size_t n = 0;
	*text = 0;
	for (int i = 0; f->number[i].name && n < size; i++)
		n += (size_t)gt_snprintf(text + n, size - n, "%s%s=%d", i ? " " : "", f->number[i].name, value[i]);
}

gt_status gt_variant_choose(const gt_variant_family *f, const char *about, int *value, int *found)
{
	char built_in[512], text[512];
	int chosen[GT_VARIANT_NUMBERS], n = 0;
	const gt_variant_request request = { f->kernel, about, built_in };
	gt_variant_write(f, value, built_in, sizeof built_in);
	*found = gt_variant_find(&request, text, sizeof text);
	for (; *found && n < GT_VARIANT_NUMBERS && f->number[n].name; n++) {
		const gt_variant_number *of = &f->number[n];
		const long v = gt_variant_value(text, of->name, value[n]);
		if ((v < of->min || v > of->max) && *found == GT_VARIANT_TRIED)
			return gt_fail(GT_ERR_UNSUPPORTED, "%s: %s is %ld, expected %d to %d", f->kernel, of->name, v, of->min, of->max);
		if (v < of->min || v > of->max)
			*found = GT_VARIANT_NONE;
		chosen[n] = (int)v;
	}
	if (*found)
		memcpy(value, chosen, (size_t)n * sizeof *value);
	return GT_OK;
}

gt_status gt_variant_settle(const gt_variant_family *f, const int *value, int found, gt_status st)
{
	char text[512];
	if (st != GT_OK)
		return found == GT_VARIANT_TRIED ? st : GT_OK;
	gt_variant_write(f, value, text, sizeof text);
	gt_variant_took(f->kernel, text);
	return GT_OK;
}

gt_status gt_variant_build(const gt_variant_family *f, const int *value, const char *instance, const char *bytes, size_t shared_bytes,
                           gt_variant **v)
{
	char text[GT_VARIANT_NUMBERS][64];
	const char *macros[GT_VARIANT_NUMBERS + 1];
	int n = 0;
	for (int i = 0; f->number[i].name && n < GT_VARIANT_NUMBERS; i++) {
		if (f->number[i].own)
			continue;
		gt_snprintf(text[n], sizeof text[n], "-D%s%s=%d", f->prefix, f->number[i].name, value[i]);
		macros[n] = text[n];
		n++;
	}
	macros[n] = NULL;
	const gt_variant_code code = { f->source, instance, macros, bytes };
	return gt_variant_new(&code, shared_bytes, v);
}

int gt_variant_bin(double n)
{
	double low = 1;
	while (2 * low <= n)
		low *= 2;
	return (int)(n >= 1.5 * low ? 1.5 * low : low);
}

int gt_variant_fine_bin(int n) { return n <= 128 ? (n + 7) / 8 * 8 : gt_variant_bin(n); }
