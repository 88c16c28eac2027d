/* Comment lines that describe a volume and its provenance. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/volume.h"
#include "io/write_kit/gantry_comment.h"

/* Value of a "key=value" line of Gantry's comment; NULL: missing. The caller frees it. */
static gt_status line_of(const char *comment, const char *key, char **line)
{
	const char *at = comment ? strstr(comment, key) : NULL;
	*line = NULL;
	if (!at || (at > comment && at[-1] != '\n'))
		return GT_OK;
	at += strlen(key);
	*line = strndup(at, strcspn(at, "\n"));
	return *line ? GT_OK : gt_fail(GT_ERR_MEMORY, "comment: out of memory");
}

gt_status gt_comment_grid(const char *comment, gt_grid *grid)
{
	gt_grid exact;
	char *text;
	const gt_status st = line_of(comment, "grid=", &text);
	if (text && gt_grid_parse(text, &exact) == GT_OK && gt_grid_same(&exact, grid))
		*grid = exact;
	free(text);
	return st;
}

gt_status gt_comment_provenance(const char *comment, gt_provenance *from)
{
	gt_status st;
	char *hash = NULL;
	GT_TRY(line_of(comment, "command=", &from->command));
	GT_TRY(line_of(comment, "parameters=", &from->parameters));
	GT_TRY(line_of(comment, "scan_hash=", &hash));
	from->scan_hash = hash ? strtoull(hash, NULL, 16) : 0;
done:
	free(hash);
	return st;
}

void gt_comment_stated(const char *comment, gt_stated *said)
{
	*said = (gt_stated){ .unit = GT_UNIT_AUTO, .position = GT_POSITION_AUTO };
	if (comment)
		gt_stated_parse(comment, said);
}

static void put_line(char *text, size_t size, size_t *at, const char *key, const char *value)
{
	*at += (size_t)snprintf(text + *at, size - *at, "%s", key);
	for (; *value; value++)
		text[(*at)++] = *value == '\n' ? ' ' : *value;
	text[(*at)++] = '\n';
	text[*at] = 0;
}

char *gt_comment_of(const gt_write_options *o, int hu, const gt_volume *v)
{
	const char *command = v->from.command ? v->from.command : "", *parameters = v->from.parameters ? v->from.parameters : "";
	const size_t size = GT_STATED + 400 + strlen(command) + strlen(parameters);
	char said[GT_STATED], grid[256], hash[24], *text = malloc(size);
	size_t at = 0;
	if (!text)
		return NULL;
	gt_stated_print(o, hu, v, said);
	gt_grid_print(&v->grid, grid, sizeof grid);
	snprintf(hash, sizeof hash, "%016" PRIx64, v->from.scan_hash);
	put_line(text, size, &at, "", said);
	put_line(text, size, &at, "grid=", grid);
	if (*command)
		put_line(text, size, &at, "command=", command);
	if (*parameters)
		put_line(text, size, &at, "parameters=", parameters);
	if (v->from.scan_hash)
		put_line(text, size, &at, "scan_hash=", hash);
	return text;
}
