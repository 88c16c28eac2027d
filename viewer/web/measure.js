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
		} else if (measure.kind === "ellipse") {
			context.ellipse((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, Math.abs(b[0] - a[0]) / 2, Math.abs(b[1] - a[1]) / 2, 0, 0, 2 * Math.PI);
		} else {
			context.rect(a[0], a[1], b[0] - a[0], b[1] - a[1]);
		}
		context.stroke();
	}
}

// Mean, standard deviation (of a sample) and extremes over the pixels with centres in a rectangle of fractional indices, or in the ellipse within it.
function statistics(plane, a, b, ellipse) {
	const from = k => Math.max(Math.ceil(Math.min(a[k], b[k]) - 1e-9), 0), to = (k, n) => Math.min(Math.floor(Math.max(a[k], b[k]) + 1e-9), n - 1);
	const out = (p, k) => ((p - (a[k] + b[k]) / 2) / Math.max(Math.abs(b[k] - a[k]) / 2, 1e-9)) ** 2;
	let n = 0, mean = 0, squares = 0, least = Infinity, most = -Infinity;
	for (let y = from(1); y <= to(1, plane.h); y++)
		for (let x = from(0); x <= to(0, plane.w); x++) {
			const v = valueIn(plane, y * plane.w + x);
			if (v !== v || (ellipse && out(x, 0) + out(y, 1) > 1))
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

// Least and greatest; of more values than a call takes arguments.
function extremes(values) {
	return values.reduce(([low, high], v) => [v < low ? v : low, v > high ? v : high], [Infinity, -Infinity]);
}

// Multiples of 1, 2 or 5 times a power of ten, with at most so many steps between both ends.
function roundTicks(low, high, most = 5) {
	const power = 10 ** Math.floor(Math.log10((high - low) / most)), step = power * [1, 2, 5, 10].find(m => m * power * most >= (high - low) * (1 - 1e-9));
	const first = Math.ceil(low / step - 1e-6), last = Math.floor(high / step + 1e-6);
	return Array.from({ length: last - first + 1 }, (_, k) => +((first + k) * step).toPrecision(12));
}

// Of a logarithmic axis, by the logarithms of its ends: decades, with 2 and 5 between where they are few; round values within a decade.
function decadeTicks(low, high) {
	if (high - low < 1)
		return roundTicks(10 ** low, 10 ** high);
	const stride = Math.ceil((high - low) / 6), between = high - low < 2.5 ? [1, 2, 5] : [1], first = Math.floor(low), out = [];
	for (let k = first; k <= high + 1e-9; k++)
		out.push(...((k - first) % stride ? [] : between.map(m => +`${m}e${k}`)));
	return out.filter(v => Math.log10(v) > low - 1e-9 && Math.log10(v) < high + 1e-9);
}

function tickText(v) {
	return v && (Math.abs(v) >= 1e6 || Math.abs(v) < 1e-3) ? v.toExponential().replace("e+", "e") : String(v);
}

// Colour and name of each curve, below the name of the values; returns the height.
function drawLegend(context, curves, width, what) {
	const names = curves.filter(c => c.name), line = 17;
	let x = 14, y = 14;
	context.textAlign = "left";
	if (what)
		context.fillText(what, x, y);
	x += what ? context.measureText(what).width + 24 : 0;
	names.forEach((curve, k) => {
		const text = shortened(curve.name, 48), wide = context.measureText(text).width + 26;
		if (x + wide > width - 10 && x > 14) {
			x = 14;
			y += line;
		}
		context.save();
		context.fillStyle = CURVE_COLOURS[k % CURVE_COLOURS.length];
		context.fillRect(x, y - 5, 18, 3);
		context.restore();
		context.fillText(text, x + 24, y);
		x += wide + 14;
	});
	return what || names.length ? y + 10 : 0;
}

// The end of a long name.
function shortened(name, most) { return name.length > most ? `…${name.slice(1 - most)}` : name; }

// log: values are logarithms to the base 10. what: name and unit of the values.
function drawCurves(canvas, curves, length, unit, log, what) {
	const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, context = canvas.getContext("2d");
	const all = curves.flatMap(c => c.values).filter(Number.isFinite), bottom = 30;
	if (!width || !all.length)
		return;
	canvas.width = width * ratio;
	canvas.height = height * ratio;
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	let [low, high] = extremes(all);
	if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high)))
		[low, high] = [low - Math.max(Math.abs(low) * 0.1, 1e-9), high + Math.max(Math.abs(high) * 0.1, 1e-9)];
	context.font = "12px sans-serif";
	const ticks = log ? decadeTicks(low, high) : roundTicks(low, high), left = 14 + Math.max(30, ...ticks.map(v => context.measureText(tickText(v)).width));
	context.fillStyle = "#d8dce2";
	const top = 14 + drawLegend(context, curves, width, what);
	const at = (t, v) => [left + t * (width - left - 10), height - bottom - (v - low) / (high - low) * (height - bottom - top)];
	context.strokeStyle = "#4a5260";
	context.textAlign = "right";
	for (const v of ticks) {
		const [, y] = at(0, log ? Math.log10(v) : v);
		context.strokeRect(left, y, width - left - 10, 0);
		context.fillText(tickText(v), left - 6, y + 4);
	}
	context.textAlign = "center";
	const along = length > 0 ? roundTicks(0, length, width < 500 ? 5 : 10) : [0];
	along.forEach((v, k) => {
		const text = tickText(v) + (k === along.length - 1 && unit ? ` ${unit}` : ""), half = context.measureText(text).width / 2;
		context.fillText(text, Math.min(at(length > 0 ? v / length : 0, 0)[0], width - half - 2), height - 10);
	});
	canvas.ticks = ticks;
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
