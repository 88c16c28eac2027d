/* Parses team specs: cpu:1x4, cuda:0,2, cuda:0-3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "team/processes.h"

static gt_status no_team(const char *spec)
{
	return gt_fail(GT_ERR_ARG,
	               "backend '%s': expected cpu:THREADSxMEMBERS as cpu:1x4, cuda:FIRST-LAST or cuda:NUMBER,NUMBER as cuda:0-3, or "
	               "several of one kind with + between as cpu:1+cpu:2",
	               spec);
}

static gt_status parse_cpu(const char *spec, int *n, char name[GT_TEAM_MAX][32])
{
	int threads = 0, ranks = 0, end = 0;
	if (sscanf(spec, "cpu:%4dx%4d%n", &threads, &ranks, &end) != 2 || spec[end] || threads < 1 || ranks < 1)
		return no_team(spec);
	if (ranks > GT_TEAM_MAX)
		return gt_fail(GT_ERR_ARG, "backend '%s': %d ranks: expected at most %d", spec, ranks, GT_TEAM_MAX);
	for (*n = 0; *n < ranks; ++*n)
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

static gt_status parse_one(const char *spec, int *n, char name[GT_TEAM_MAX][32])
{
	int number = -1, end = 0;
	const int is_cpu = !strncmp(spec, "cpu:", 4);
	if (sscanf(strchr(spec, ':') + 1, "%4d%n", &number, &end) != 1 || strchr(spec, ':')[1 + end] || number < is_cpu)
		return no_team(spec);
	snprintf(name[0], 32, "%s:%d", is_cpu ? "cpu" : "cuda", number);
	*n = 1;
	return GT_OK;
}

static gt_status parse_part(const char *spec, int *n, char name[GT_TEAM_MAX][32])
{
	*n = 0;
	if (!gt_team_is_spec(spec))
		return strncmp(spec, "cpu:", 4) && strncmp(spec, "cuda:", 5) ? no_team(spec) : parse_one(spec, n, name);
	return !strncmp(spec, "cpu:", 4) ? parse_cpu(spec, n, name) : parse_cuda(spec, n, name);
}

/* Appends a part, which must be of the same kind and use other devices. */
static gt_status append(const char *spec, char part[GT_TEAM_MAX][32], int parts, int *n, char name[GT_TEAM_MAX][32])
{
	const int is_cpu = !strncmp(part[0], "cpu:", 4);
	if (*n + parts > GT_TEAM_MAX)
		return gt_fail(GT_ERR_ARG, "backend '%s': expected at most %d ranks", spec, GT_TEAM_MAX);
	for (int i = 0; i < parts; i++) {
		if (*n && is_cpu != !strncmp(name[0], "cpu:", 4))
			return gt_fail(GT_ERR_ARG, "backend '%s': %s and %s: expected devices of one kind", spec, name[0], part[i]);
		for (int k = 0; k < *n && !is_cpu; k++)
			if (!strcmp(name[k], part[i]))
				return gt_fail(GT_ERR_ARG, "backend '%s': device %s is named twice", spec, part[i] + 5);
		memcpy(name[(*n)++], part[i], 32);
	}
	return GT_OK;
}

gt_status gt_team_parse(const char *spec, int *n, char name[GT_TEAM_MAX][32])
{
	char part[GT_TEAM_MAX][32];
	gt_status st = GT_OK;
	int parts;
	*n = 0;
	if (!gt_team_is_spec(spec) || gt_processes_are_spec(spec))
		return no_team(spec ? spec : "NULL");
	char *copy = strdup(spec), *rest = copy;
	if (!copy)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (const char *one; (one = strsep(&rest, "+"));) {
		GT_TRY(parse_part(one, &parts, part));
		GT_TRY(append(spec, part, parts, n, name));
	}
done:
	free(copy);
	return st;
}

gt_status gt_team_distribute(const char *spec, int n, char name[GT_TEAM_MAX][32], int ranks, char distributed[GT_TEAM_MAX][32])
{
	if (ranks % n && n % ranks)
		return gt_fail(GT_ERR_ARG, "backend '%s': found %d devices: expected a divisor or a multiple of %d", spec, n, ranks);
	for (int i = 0; i < ranks; i++)
		memcpy(distributed[i], name[i * n / ranks], sizeof distributed[i]);
	return GT_OK;
}

gt_status gt_team_name_alone(const char *name, int ranks, int *n, char names[GT_TEAM_MAX][32])
{
	gt_backend *be = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(name ? name : "auto", &be));
	const int threads = gt_pool_threads(gt_backend_pool(be)) / ranks;
	if (gt_backend_is_gpu(be))
		snprintf(names[0], 32, "%s", gt_backend_name(be));
	else
		snprintf(names[0], 32, "cpu:%d", threads > 1 ? threads : 1);
	*n = 1;
done:
	gt_backend_close(be);
	return st;
}
