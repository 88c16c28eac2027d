// Profiles along lines, means of regions, and how both are drawn. What is measured is kept in the coordinates of the items (mm of volumes), so
// that it lies at the same place in all of them.

function toPlace(item, axis, [i, j]) {
	const [right, up] = AXES[axis];
	return [item.first[right] + i * item.pitch[right], item.first[up] + j * item.pitch[up]];
}

function toIndex(item, axis, [u, v]) {
	const [right, up] = AXES[axis];
	return [(u - item.first[right]) / item.pitch[right], (v - item.first[up]) / item.pitch[up]];
}

function drawMeasure(context, pane) {
	const { measure } = pane.viewer.state;
	if (!measure || measure.axis !== pane.axis)
		return;
	const [a, b] = [measure.a, measure.b].map(p => pane.pointOf(...toIndex(pane.source.item, pane.axis, p)));
	for (const [colour, width] of [["#000", 3.5], ["#62e0ff", 1.5]]) {
		context.strokeStyle = colour;
		context.lineWidth = width;
		context.beginPath();
		if (measure.kind === "line") {
			context.moveTo(...a);
			context.lineTo(...b);
		} else {
			context.rect(a[0], a[1], b[0] - a[0], b[1] - a[1]);
		}
		context.stroke();
	}
}

// Mean, standard deviation (of a sample) and extremes over the pixels whose centres lie in a rectangle of fractional indices.
function statistics(plane, a, b) {
	const from = k => Math.max(Math.ceil(Math.min(a[k], b[k]) - 1e-9), 0), to = (k, n) => Math.min(Math.floor(Math.max(a[k], b[k]) + 1e-9), n - 1);
	let n = 0, mean = 0, squares = 0, least = Infinity, most = -Infinity;
	for (let y = from(1); y <= to(1, plane.h); y++)
		for (let x = from(0); x <= to(0, plane.w); x++) {
			const v = valueIn(plane, y * plane.w + x);
			if (v !== v)
				continue;
			const away = v - mean;
			mean += away / ++n;
			squares += away * (v - mean);
			least = Math.min(least, v);
			most = Math.max(most, v);
		}
	return { n, mean: n ? mean : NaN, sd: n > 1 ? Math.sqrt(squares / (n - 1)) : NaN, least, most };
}

// Values at equal distances along a line, linear between the centres of pixels.
function profile(plane, a, b, points) {
	const out = [];
	for (let i = 0; i < points; i++) {
		const t = points > 1 ? i / (points - 1) : 0, x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
		const x0 = Math.floor(x), y0 = Math.floor(y), at = (k, l) => {
			const inside = k >= 0 && l >= 0 && k < plane.w && l < plane.h;
			return inside ? valueIn(plane, l * plane.w + k) : NaN;
		};
		const mix = (p, q, f) => f > 0 ? f < 1 ? p + f * (q - p) : q : p;
		out.push(mix(mix(at(x0, y0), at(x0 + 1, y0), x - x0), y > y0 ? mix(at(x0, y0 + 1), at(x0 + 1, y0 + 1), x - x0) : NaN, y - y0));
	}
	return out;
}

const CURVE_COLOURS = ["#62e0ff", "#ff9f5a", "#8fd18f", "#e58fe0", "#ffd84d", "#b0b0ff", "#ffffff", "#ff7d7d"];

// log: values are logarithms to the base 10.
function drawCurves(canvas, curves, length, unit, log) {
	const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, context = canvas.getContext("2d");
	const all = curves.flatMap(c => c.values).filter(Number.isFinite), left = 70, bottom = 30;
	if (!width || !all.length)
		return;
	canvas.width = width * ratio;
	canvas.height = height * ratio;
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	let low = Math.min(...all), high = Math.max(...all);
	if (low === high)
		[low, high] = [low - Math.max(Math.abs(low) * 0.1, 1e-9), high + Math.max(Math.abs(high) * 0.1, 1e-9)];
	const at = (t, v) => [left + t * (width - left - 10), height - bottom - (v - low) / (high - low) * (height - bottom - 14)];
	context.font = "12px sans-serif";
	context.fillStyle = "#d8dce2";
	context.strokeStyle = "#4a5260";
	context.textAlign = "right";
	for (let i = 0; i <= 4; i++) {
		const v = low + i / 4 * (high - low), [, y] = at(0, v);
		context.strokeRect(left, y, width - left - 10, 0);
		context.fillText((log ? 10 ** v : v).toPrecision(log ? 2 : 4), left - 6, y + 4);
	}
	context.textAlign = "center";
	for (let i = 0; i <= 4; i++)
		context.fillText(+(i / 4 * length).toPrecision(3) + (i === 4 ? ` ${unit}` : ""), Math.min(at(i / 4, 0)[0], width - 26), height - 10);
	curves.forEach((curve, k) => {
		context.strokeStyle = CURVE_COLOURS[k % CURVE_COLOURS.length];
		context.lineWidth = 1.5;
		context.beginPath();
		let pen = false;
		curve.values.forEach((v, i) => {
			if (Number.isFinite(v))
				pen ? context.lineTo(...at(i / (curve.values.length - 1), v)) : context.moveTo(...at(i / (curve.values.length - 1), v));
			pen = Number.isFinite(v);
		});
		context.stroke();
	});
}
