#!/bin/bash
# Pages of `gantry view` in a headless browser, driven by support/view_page.py; $GT_CHROMIUM names the browser, $GT_PICTURES a folder for pictures.
. "$(dirname "$0")/support/lib.sh"

# Without a browser.
ok simulate --phantom water-cylinder --reduce 32 -o s.nc --truth t.nc --grid 9x8x5@20x20x20
refused 2 "expected -o NAME.html or --serve" view t.nc s.nc -o none.png
refused 2 "--port needs --serve" view t.nc -o none.html --port 80
refused 2 "apply to pictures alone" view t.nc -o none.html --slice 2
refused 2 "cannot be combined with --output" view t.nc -o none.html --serve
refused 1 "nowhere/none.html" view t.nc -o nowhere/none.html
refused 1 "absent.nc" view t.nc absent.nc -o none.html
# Files beyond the limit of a page are refused by their headers, without reading, which would need 4 GB of memory.
truncate -s 4G big.raw
printf '%s\n' "ObjectType = Image" "NDims = 3" "DimSize = 1024 1024 1024" "ElementSpacing = 1 1 1" "ElementType = MET_FLOAT" "BinaryDataByteOrderMSB = False" \
	"ElementDataFile = big.raw" >big.mhd
(
	ulimit -v 3000000
	refused 1 "1.07e+09 values, a page in a browser holds 6e+08 at most: a page that is served (gantry view --serve)" view t.nc big.mhd -o none.html
	exit $failures
) || fail "a volume that no page holds"
rm big.raw
nothing_left none "a refused page"
ok view t.nc s.nc -o page.html
grep -qE "(src|href)=\"?[^d\"#]|https?://|@import" page.html && fail "the page asks for something outside"

command -v python3 >/dev/null || skip "no python3"
python3 -c "import sys; sys.path.insert(0, '$support'); import browser; sys.exit(not browser.find())" ||
	skip "no Chromium: 'apt-get install chromium' brings one, GT_CHROMIUM names another"
mkdir pages
timeout 3000 python3 -B "$support/view_page.py" "$gantry" "$PWD/pages" ${GT_PICTURES:+"$GT_PICTURES"} || fail "the page in the browser"
finish
