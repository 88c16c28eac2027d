/* The names of teams: cpu:1x4, cuda:0,2, cuda:0-3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/team/team_impl.h"
#include "core/try.h"

int gt_team_is_spec(const char *spec)
{
	if (!spec)
		return 0;
	if (!strncmp(spec, "cpu:", 4))
		return strchr(spec + 4, 'x') != NULL;
	return !strncmp(spec, "cuda:", 5) && strpbrk(spec + 5, ",-") != NULL;
}

static gt_status no_team(const char *spec)
{
	return gt_fail(GT_ERR_ARG,
	               "backend '%s': expected cpu:THREADSxMEMBERS as cpu:1x4, or cuda:FIRST-LAST or cuda:NUMBER,NUMBER as cuda:0-3", spec);
}

static gt_status parse_cpu(const char *spec, int *n, char name[GT_TEAM_MAX][32])
{
	int threads = 0, members = 0, end = 0;
	if (sscanf(spec, "cpu:%4dx%4d%n", &threads, &members, &end) != 2 || spec[end] || threads < 1 || members < 1)
		return no_team(spec);
	if (members > GT_TEAM_MAX)
		return gt_fail(GT_ERR_ARG, "backend '%s': %d members: expected at most %d", spec, members, GT_TEAM_MAX);
	for (*n = 0; *n < members; ++*n)
		snprintf(name[*n], 32, "cpu:%d", threads);
	return GT_OK;
}

static gt_status add_device(const char *spec, int device, int *n, int *number)
{
	for (int i = 0; i < *n; i++)
		if (number[i] == device)
			return gt_fail(GT_ERR_ARG, "backend '%s': device %d is named twice", spec, device);
	if (*n == GT_TEAM_MAX)
		return gt_fail(GT_ERR_ARG, "backend '%s': expected at most %d devices", spec, GT_TEAM_MAX);
	number[(*n)++] = device;
	return GT_OK;
}

static gt_status parse_cuda(const char *spec, int *n, char name[GT_TEAM_MAX][32])
{
	int number[GT_TEAM_MAX];
	gt_status st = GT_OK;
	for (const char *p = spec + 5; *n >= 0; p++) {
		char *end;
		const long first = *p >= '0' && *p <= '9' ? strtol(p, &end, 10) : -1;
		long last = first;
		if (first < 0 || first > 1023)
			return no_team(spec);
		if (*end == '-')
			last = end[1] >= '0' && end[1] <= '9' ? strtol(end + 1, &end, 10) : -1;
		if (last < first || last > 1023)
			return no_team(spec);
		for (long d = first; d <= last; d++)
			GT_TRY(add_device(spec, (int)d, n, number));
		if (!*end)
			break;
		if (*end != ',')
			return no_team(spec);
		p = end;
	}
	for (int i = 0; i < *n; i++)
		snprintf(name[i], 32, "cuda:%d", number[i]);
done:
	return st;
}

gt_status gt_team_parse(const char *spec, int *n, char name[GT_TEAM_MAX][32])
{
	if (!gt_team_is_spec(spec))
		return no_team(spec ? spec : "NULL");
	return !strncmp(spec, "cpu:", 4) ? parse_cpu(spec, n, name) : parse_cuda(spec, n, name);
}
