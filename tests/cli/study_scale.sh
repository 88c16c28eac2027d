#!/bin/bash
# A quick study of several ranks on the CPU: complete lines, consistent speed-ups, the published figures of the paper,
# and a complete report that is drawn again from its tables.
. "$(dirname "$0")/support/lib.sh"
gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || exit 77

refused 2 "is for the study 'accuracy'" study scale scan.nc -o never
refused 2 "is for the study 'accuracy'" study scale -o never --grid 8x8x8@1x1x1
refused 2 "--members=2,4: expected 1, then up to 7 greater numbers" study scale -o never --members 2,4
refused 2 "--members=1,x: expected" study scale -o never --members 1,x
refused 2 "is for the study 'scale'" study accuracy -o never --members 1,2
nothing_left never "a study that was refused"

ok study scale -o small --quick --backend cpu:1 --members 1,2
says "small/report.html"
[ "$(wc -l <small/speed.csv)" = 7 ] || fail "not 3 methods on 1 and 2 members: $(cat small/speed.csv small/left-out.csv)"
[ "$(wc -l <small/table-4.csv)" = 7 ] || fail "not 3 numbers of views on 1 and 2 members: $(cat small/table-4.csv)"
for name in speed-up table-4; do
	[ "$(head -c 8 small/$name.png | od -An -c | tr -d ' ')" = '211PNG\r\n032\n' ] || fail "small/$name.png is no PNG"
done
# The times and the text of os-sart.
mapfile -t line < <(grep '"os-sart"' small/speed.csv | sed 's/"[^"]*",//g')
IFS=, read -r _ one one_up _ _ _ <<<"${line[0]}"
IFS=, read -r members two two_up efficiency model off <<<"${line[1]}"
[ "$members" = 2 ] || fail "the second line is of $members members"
holds "$one > 0 && $two > 0 && $one_up == 1" "times $one, $two ms"
holds "($two_up / ($one / $two) - 1)^2 < 1e-8 && ($efficiency / ($two_up / 2) - 1)^2 < 1e-8" "speed-up $two_up, efficiency $efficiency"
holds "$model > 0 && ($off - ($model / $two - 1))^2 < 1e-8" "model $model ms, off $off"
grep -q '^3936,246,2,.*,6.267,1.3186' small/table-4.csv || fail "not the numbers of the paper: $(cat small/table-4.csv)"
grep -q "The model is within 20 % of [0-6] of 6 measured times" small/report.html || fail "no claim in the report"
ok study scale --from small -o again
cmp small/table-4.csv again/table-4.csv || fail "other tables drawn again"
[ -s again/speed-up.png ] || fail "no figure drawn again"
finish
