/* Limit of the shared memory of a block, from the backend name. */
#include "core/device/shared_limit.h"
#include <stdatomic.h>
#include <string.h>
#include <gantry/author/params.h>
#include "core/params.h"
#include "core/text.h"

enum { DEVICES = 64, LEAST = 16 << 10, MOST = 1 << 20 };
static _Atomic int limit[DEVICES]; /* 0: none */

gt_status gt_shared_limit_read(const char *arg, char device[16], int *bytes)
{
	static const char key[] = ",shared=", unit[] = "KiB";
	const char *at = strstr(arg, key);
	char number[16];
	long long value = 0;
	*bytes = 0;
	gt_snprintf(device, 16, "%.*s", (int)(at ? at - arg : (long)strlen(arg)), arg);
	if (!at)
		return GT_OK;
	at += strlen(key);
	const size_t n = strlen(at), in_kib = n > strlen(unit) && !strcmp(at + n - strlen(unit), unit);
	gt_snprintf(number, sizeof number, "%.*s", (int)(n - (in_kib ? strlen(unit) : 0)), at);
	if (gt_parse_int("shared", number, 0, MOST, &value) == GT_OK)
		value *= in_kib ? 1024 : 1;
	if (value < LEAST || value > MOST)
		return gt_fail(GT_ERR_ARG, "backend cuda:%s: expected shared=BYTES or shared=NKiB, of %d to %d KiB", arg, LEAST >> 10,
		               MOST >> 10);
	*bytes = (int)value;
	return GT_OK;
}

void gt_shared_limit_set(int device, int bytes)
{
	if (device >= 0 && device < DEVICES)
		limit[device] = bytes;
}

int gt_shared_limit(int device, int max)
{
	const int own = device >= 0 && device < DEVICES ? limit[device] : 0;
	return own && own < max ? own : max;
}

static _Thread_local char left[512];

int gt_shared_suffices(const char *kernel, size_t needs, int max)
{
	char name[64];
	const size_t n = strlen(left);
	if (needs <= (size_t)(max > 0 ? max : 0))
		return 1;
	gt_snprintf(name, sizeof name, "%s needs ", kernel);
	if (!strstr(left, name))
		gt_snprintf(left + n, sizeof left - n, "%s%s%.3g KiB of %.3g", n ? "; " : "", name, (double)needs / 1024,
		            (double)max / 1024);
	return 0;
}

const char *gt_shared_left(void) { return left; }
void gt_shared_left_forget(void) { *left = 0; }
