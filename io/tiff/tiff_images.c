/* TIFF files with more images than pages. In stacks of ImageJ and tifffile only the first image has a directory; the
 * other images follow without gaps. MetaMorph stores planes under a tag, and SGI's ImageDepth puts a volume into one
 * page: both are refused. */
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "io/tiff/tiff_images.h"

enum { UIC2 = 33629 }; /* MetaMorph: one entry per plane */

/* Product of the shape in tifffile's description: {"shape": [40, 12, 48], "truncated": true}. 0: no such text. Without
 * "truncated" the shape may be left over from a stack that another program split. */
static double elements_of_shape(const char *text)
{
	cJSON *root = *text == '{' ? cJSON_Parse(text) : NULL;
	const cJSON *shape = cJSON_GetObjectItemCaseSensitive(root, "shape"), *length;
	double elements = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "truncated")) && cJSON_IsArray(shape);
	cJSON_ArrayForEach(length, shape) elements *= cJSON_IsNumber(length) && length->valuedouble >= 0 ? length->valuedouble : 0;
	cJSON_Delete(root);
	return elements;
}

double gt_tiff_images(TIFF *t, double pixels)
{
	char *about = NULL;
	const char *images;
	if (!TIFFGetField(t, TIFFTAG_IMAGEDESCRIPTION, &about) || !about)
		return 1;
	if (!strncmp(about, "ImageJ=", 7) && (images = strstr(about, "\nimages=")))
		return strtod(images + 8, NULL);
	return elements_of_shape(about) / pixels;
}

gt_status gt_tiff_check_depth(const char *path, TIFF *t)
{
	uint32_t depth = 1, tile_depth = 1, planes = 0;
	void *plane = NULL;
	TIFFGetField(t, TIFFTAG_IMAGEDEPTH, &depth);
	if (TIFFIsTiled(t))
		TIFFGetField(t, TIFFTAG_TILEDEPTH, &tile_depth);
	if (depth > 1 || tile_depth > 1)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: holds a volume in one page (ImageDepth %u, TileDepth %u): save one page each", path,
		               depth, tile_depth);
	if (TIFFFindField(t, UIC2, TIFF_ANY) && TIFFGetField(t, UIC2, &planes, &plane) && planes > 1)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: holds %u planes of MetaMorph in one page: save one page each", path, planes);
	return GT_OK;
}

int gt_tiff_is_contiguous(TIFF *t, uint64_t bytes, uint64_t *begin)
{
	uint64_t end;
	uint16_t compression = COMPRESSION_NONE;
	TIFFGetFieldDefaulted(t, TIFFTAG_COMPRESSION, &compression);
	if (TIFFIsTiled(t) || compression != COMPRESSION_NONE)
		return 0;
	*begin = end = TIFFGetStrileOffset(t, 0);
	for (uint32_t i = 0; i < TIFFNumberOfStrips(t); i++) {
		if (TIFFGetStrileOffset(t, i) != end)
			return 0;
		end += TIFFGetStrileByteCount(t, i);
	}
	return end - *begin == bytes;
}
