// The scan drawn to scale: along the axis and from the side, the path of the source, the detector of the view that is looked at, and what all views see.

function drawScan(canvas, scan, view, boxes) {
	const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, context = canvas.getContext("2d");
	if (!width)
		return;
	canvas.width = width * ratio;
	canvas.height = height * ratio;
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	const half = width > 560 ? width / 2 : width, tall = width > 560 ? height : height / 2;
	const shown = scan.views[Math.min(Math.floor(view / scan.stride), scan.views.length - 1)];
	drawScanSide(context, { x: 0, y: 0, w: half, h: tall }, scan, shown, boxes, 0, 1, "along the rotation axis (x right, y up)");
	drawScanSide(context, width > 560 ? { x: half, y: 0, w: half, h: tall } : { x: 0, y: tall, w: half, h: tall }, scan, shown, boxes, 1, 2,
		"from the side (y right, z up)");
}

function pointsOf(list) {
	const points = [];
	for (let i = 0; i < list.length; i += 3)
		points.push(list.slice(i, i + 3));
	return points;
}

function drawScanSide(context, area, scan, view, boxes, right, up, title) {
	const all = scan.views.flatMap(v => [v.source, ...pointsOf(v.row), ...pointsOf(v.column)]);
	const low = a => Math.min(...all.map(p => p[a]), 0), high = a => Math.max(...all.map(p => p[a]), 0);
	const [x0, x1, y0, y1] = [low(right), high(right), low(up), high(up)], margin = 26;
	const scale = Math.min((area.w - 2 * margin) / (x1 - x0 || 1), (area.h - 2 * margin) / (y1 - y0 || 1));
	const at = p => [area.x + area.w / 2 + (p[right] - (x0 + x1) / 2) * scale, area.y + area.h / 2 - (p[up] - (y0 + y1) / 2) * scale];
	const line = (points, colour, thick, closed) => {
		context.strokeStyle = colour;
		context.lineWidth = thick;
		context.beginPath();
		points.map(at).forEach(([x, y], i) => i ? context.lineTo(x, y) : context.moveTo(x, y));
		if (closed)
			context.closePath();
		context.stroke();
	};
	line(scan.views.map(v => v.source), "#7f8ea3", 1.5);
	for (const box of boxes)
		line(boxCorners(box, right, up), "#8fd18f", 1.5, true);
	if (up === 1 && scan.radius > 0)
		line(Array.from({ length: 72 }, (_, i) => [scan.radius * Math.cos(i * Math.PI / 36), scan.radius * Math.sin(i * Math.PI / 36), 0]),
			"#5aa9e6", 1, true);
	const row = pointsOf(view.row), column = pointsOf(view.column), ends = up === 1 ? [row[0], row[row.length - 1]] : column;
	for (const end of ends)
		line([view.source, end], "#caa53a", 1);
	line(up === 1 ? row : column, "#ff9f5a", 3);
	const [sx, sy] = at(view.source), [ox, oy] = at([0, 0, 0]);
	context.fillStyle = "#ffd84d";
	context.beginPath();
	context.arc(sx, sy, 5, 0, 7);
	context.fill();
	context.fillStyle = "#e8e8e8";
	context.fillRect(ox - 4, oy - 0.5, 9, 1);
	context.fillRect(ox - 0.5, oy - 4, 1, 9);
	context.font = "12px sans-serif";
	context.fillText(title, area.x + 8, area.y + 14);
}

function boxCorners(item, right, up) {
	const edge = (a, end) => item.first[a] + (end ? item.n[a] - 0.5 : -0.5) * item.pitch[a];
	return [[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) => {
		const p = [0, 0, 0];
		p[right] = edge(right, x);
		p[up] = edge(up, y);
		return p;
	});
}
