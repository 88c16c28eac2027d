#!/bin/bash
# Pages of studies, reports and a running reconstruction in a headless browser, driven by support/more_pages.py. $GT_CHROMIUM names the
# browser, $GT_AXE the script of axe-core (else axe/axe.min.js next to the command), $GT_PICTURES a folder for pictures.
. "$(dirname "$0")/support/lib.sh"

# Without a browser.
ok simulate --phantom water-cylinder --reduce 32 -o s.nc --truth t.nc --grid 9x8x5@20x20x20
refused 2 "--port needs --watch" recon s.nc -o none.nc --port 80
refused 2 "--watch: fdk is an analytic method, which has no iterations" recon s.nc -o none.nc --solver fdk --watch
nothing_left none "a reconstruction that was refused"
# Without visitors it ends with a bit-identical result.
ok recon s.nc -o alone.mha --like t.nc --solver os-sart:iterations=3,subsets=4
ok recon s.nc -o watched.mha --like t.nc --solver os-sart:iterations=3,subsets=4 --watch -q
grep -qE '^watch: http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$' stderr.txt || fail "no address: $(cat stderr.txt)"
ok compare alone.mha watched.mha --max 0mm-1

command -v python3 >/dev/null || skip "no python3"
# An occupied port, and values that are not numbers.
python3 - "$gantry" <<'END' || fail "a port that is taken, or values that are no numbers"
import array, socket, subprocess, sys
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(1)
def says(text, *arguments):
    done = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)
    if done.returncode != 1 or text not in done.stderr:
        sys.exit(f"{arguments}: {done.returncode}, {done.stderr}")
says("is taken by another program", "recon", "s.nc", "-o", "none.nc", "--solver", "os-sart", "--watch", "--port", str(s.getsockname()[1]))
head = "ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementSpacing = 1 1 1\nElementType = MET_FLOAT\nBinaryDataByteOrderMSB = False\nElementDataFile = LOCAL\n"
open("nan.mha", "wb").write(head.encode() + array.array("f", [0, 1, float("nan"), 3, 4, 5, 6, 7]).tobytes())
says("nan.mha", "view", "nan.mha", "-o", "none.html")
END
nothing_left none "what was refused"
# A browser with an open request receives the end, however long it takes; tests/viewer/test_live.c tests the last slices.
python3 - "$gantry" <<'END' || fail "the end of a page of a reconstruction"
import http.client, json, re, signal, subprocess, sys, time
command = subprocess.Popen([sys.argv[1], "recon", "s.nc", "-o", "end.nc", "--like", "t.nc", "--solver", "os-sart:iterations=1000000,subsets=4", "--watch", "-q"],
                           stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
port, token = re.search(r"127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)", command.stderr.readline()).groups()
def asks(path):
    c = http.client.HTTPConnection("127.0.0.1", int(port), timeout=600)
    c.request("GET", token + path)
    return c
while json.load(asks("state/0").getresponse())["iteration"] < 3:
    time.sleep(0.05)
waiting = asks("end")
asks("state/0").getresponse().read() # by now the request before is read too
command.send_signal(signal.SIGINT)
state = json.load(waiting.getresponse())
if "stopped after" not in state["ending"] or len(state["points"]) != state["iteration"]:
    sys.exit(f"the end: {state}")
if command.wait(600) != 1:
    sys.exit(f"{command.returncode}: {command.stderr.read()}")
END
python3 -c "import sys; sys.path.insert(0, '$support'); import browser; sys.exit(not browser.find())" ||
	skip "no Chromium: 'apt-get install chromium' brings one, GT_CHROMIUM names another"
gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || skip "no gnuplot that draws PNG"
axe=${GT_AXE:-$(dirname "$gantry")/axe/axe.min.js}
[ -f "$axe" ] || axe=-
mkdir pages
timeout 3000 python3 -B "$support/more_pages.py" "$gantry" "$PWD/pages" "$axe" ${GT_PICTURES:+"$GT_PICTURES"} || fail "a page in the browser"
[ "$axe" != - ] || echo "axe-core was not to be had: the pages were looked at without it"
finish
