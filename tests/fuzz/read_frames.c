/* A folder of images of counts. The first part holds file names, one per line; angles.txt and fields may be among
 * them. A line that begins with "=" is an option: a letter and its value. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

enum { PATH = 300 };

/* Path of a file in the folder. */
static const char *within(const char *name, char path[PATH])
{
	snprintf(path, PATH, "%s/%.40s", gt_fuzz_folder(), name);
	return path;
}

static double number(const char *text, double max)
{
	const double x = strtod(text, NULL);
	return isfinite(x) && fabs(x) <= max ? x : 1;
}

static void say(const char *said, gt_frames_options *f, gt_read_options *o, char path[4][PATH])
{
	switch (*said++) {
	case 'r':
		f->raw = strstr(said, ".json") ? within(said, path[3]) : said;
		break;
	case 'a':
		f->angles = strstr(said, "..") || strchr(said, ':') ? said : within(said, path[0]);
		break;
	case 'f':
		f->flat = strcmp(said, "none") ? within(said, path[1]) : said;
		break;
	case 'd':
		f->dark = "none";
		break;
	case 'l':
		f->flat_after = within(said, path[2]);
		break;
	case 'w':
		f->white = number(said, 1e9);
		break;
	case 'i':
		f->air = said;
		break;
	case 'g':
		f->gaps = 1;
		break;
	case 'v':
		f->values = GT_FRAMES_LINE_INTEGRALS;
		break;
	case 's':
		f->sinogram = 1;
		break;
	case 'x':
		o->axis = number(said, 1e6);
		break;
	case 'p':
		o->pixel = number(said, 1e6);
		break;
	case 'c':
		f->source_to_axis = number(said, 1e6);
		f->source_to_detector = 2 * f->source_to_axis;
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_frames_options f = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	char names[256], *rest = names, path[4][PATH], only[PATH];
	size_t n = 0, files = 0;
	gt_fuzz_clear();
	size_t length = gt_fuzz_byte(&in);
	for (; n < length && in.size; n++)
		names[n] = (char)gt_fuzz_byte(&in);
	names[n] = 0;
	for (char *c = names; *c; c++)
		if (*c == '/')
			*c = '_';
	for (char *name = strsep(&rest, "\n"); name && (in.size || *name == '='); name = strsep(&rest, "\n"))
		if (*name == '=')
			say(name + 1, &f, &o, path);
		else if (*name && *name != '.' && strlen(name) < 100) {
			gt_fuzz_part(&in, name);
			snprintf(only, sizeof only, "%s/%s", gt_fuzz_folder(), name);
			files++;
		}
	o.frames = &f;
	gt_fuzz_read(&gt_format_frames, files == 1 ? only : gt_fuzz_folder(), &o);
	return 0;
}
