// Zoom and pan. Each direction of view has one zoom for all items: the factor to the whole image, and the coordinates at the centre of the canvas.

const PIXEL_LIMIT = 64;         // CSS pixels of the largest image pixel

class Zoom {
	constructor() { this.fit(); }

	fit() { this.axes = [0, 1, 2].map(() => ({ factor: 1, at: null })); }

	get fitted() { return this.axes.every(axis => axis.factor === 1); }
}

// The part of a whole image of size `whole` that begins at `begin` on a canvas of size `all`: no margin on one side while the other side is hidden.
function within(begin, whole, all) {
	return whole <= all ? (all - whole) / 2 : Math.min(0, Math.max(all - whole, begin));
}

// Rectangle of the zoomed image, from the rectangle of the whole image.
function zoomed(pane, whole) {
	const { factor, at } = pane.viewer.zoom.axes[pane.axis], { clientWidth: width, clientHeight: height } = pane.canvas;
	if (factor === 1)
		return whole;
	const w = whole.w * factor, h = whole.h * factor, [i, j] = toIndex(pane.source.item, pane.axis, at);
	const across = (i + 0.5) / whole.nx, down = ((whole.flip ? whole.ny - 1 - j : j) + 0.5) / whole.ny;
	return { ...whole, w, h, x: within(width / 2 - across * w, w, width), y: within(height / 2 - down * h, h, height), mm: whole.mm * factor };
}

// Keeps the image point at (x, y) in its position.
function zoomBy(pane, factor, x, y) {
	const { viewer, axis } = pane, state = viewer.zoom.axes[axis], fixed = pane.indexAt(x, y), whole = pane.whole();
	const limit = Math.max(PIXEL_LIMIT / Math.min(whole.w / whole.nx, whole.h / whole.ny), 8);
	const next = Math.min(Math.max(state.factor * factor, 1), limit);
	state.factor = next < 1.01 ? 1 : next;
	const [i, j] = fixed, { clientWidth: width, clientHeight: height } = pane.canvas, w = whole.w * state.factor, h = whole.h * state.factor;
	const left = x - (i + 0.5) / whole.nx * w, top = y - ((whole.flip ? whole.ny - 1 - j : j) + 0.5) / whole.ny * h;
	centreOn(pane, (width / 2 - within(left, w, width)) / w, (height / 2 - within(top, h, height)) / h);
}

function panBy(pane, dx, dy) {
	const { clientWidth: width, clientHeight: height } = pane.canvas, p = pane.place();
	centreOn(pane, (width / 2 - within(p.x + dx, p.w, width)) / p.w, (height / 2 - within(p.y + dy, p.h, height)) / p.h);
}

// across, down: the fraction of the image at the centre of the canvas.
function centreOn(pane, across, down) {
	const { nx, ny, flip } = pane.whole(), v = down * ny - 0.5;
	pane.viewer.zoom.axes[pane.axis].at = toPlace(pane.source.item, pane.axis, [across * nx - 0.5, flip ? ny - 1 - v : v]);
	pane.viewer.refresh();
}

function zoomAtCentre(pane, factor) {
	zoomBy(pane, factor, pane.canvas.clientWidth / 2, pane.canvas.clientHeight / 2);
}

// Two fingers: their distance zooms, their centre pans.
class Pinch {
	constructor(pane) {
		this.pane = pane;
		this.fingers = new Map();
	}

	get active() { return this.fingers.size > 1; }

	down(event) {
		if (event.pointerType === "touch")
			this.fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
	}

	up(event) { this.fingers.delete(event.pointerId); }

	// Returns whether the movement belongs to two fingers.
	move(event) {
		if (!this.active || !this.fingers.has(event.pointerId))
			return false;
		const [x, y, apart] = this.shape();
		this.fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
		const [x2, y2, apart2] = this.shape();
		panBy(this.pane, x2 - x, y2 - y);
		zoomBy(this.pane, apart2 / Math.max(apart, 1), x2, y2);
		return true;
	}

	shape() {
		const [a, b] = [...this.fingers.values()];
		return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, Math.hypot(a[0] - b[0], a[1] - b[1])];
	}
}

// Ctrl and wheel, which a touchpad also sends for a pinch.
function zoomByWheel(pane, event) {
	const by = event.deltaY * (event.deltaMode ? 16 : 1);
	zoomBy(pane, Math.exp(-Math.min(Math.max(by, -25), 25) / 100), event.offsetX, event.offsetY);
}

// + - 0, and Shift with an arrow.
function zoomByKey(viewer, pane, event) {
	const steps = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }, step = steps[event.key];
	if (event.key === "0")
		viewer.zoom.fit();
	else if (pane && event.shiftKey && step)
		panBy(pane, step[0] * pane.canvas.clientWidth / 8, step[1] * pane.canvas.clientHeight / 8);
	else if (pane && "+=-".includes(event.key))
		zoomAtCentre(pane, event.key === "-" ? 1 / 1.25 : 1.25);
	else
		return false;
	return true;
}
