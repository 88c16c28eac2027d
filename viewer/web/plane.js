// One canvas: a plane of one source, or of two with a divider, with cross lines, scale and what is measured drawn over it.

const PLANE_NAMES = { volume: ["sagittal", "coronal", "axial"], projections: ["column", "sinogram", "view"] };

// Unit of lengths of an item, and its number per mm.
function lengthUnit(item) {
	const fine = Math.min(...item.shown);
	return fine < 1e-5 ? ["nm", 1e6] : fine < 0.02 ? ["µm", 1e3] : ["mm", 1];
}

// A length in mm, to a hundredth of a pixel or, for pixels near 1 mm, to 0.01 mm.
function lengthNumber(mm, item) {
	const [, per] = lengthUnit(item), fine = Math.min(...item.shown) * per;
	return (mm * per).toFixed(fine < 0.1 ? 4 : fine < 1 ? 3 : 2);
}

function lengthText(mm, item) { return `${lengthNumber(mm, item)} ${lengthUnit(item)[0]}`; }

class Pane {
	constructor(viewer, source, axis, second) {
		Object.assign(this, { viewer, source, axis, second, hover: null });
		const { item } = source, name = PLANE_NAMES[item.kind][axis];
		this.canvas = el("canvas", { tabIndex: 0, role: "img", className: "plane", dataset: { axis } });
		this.caption = el("span", { className: "caption" });
		this.slider = el("input", { type: "range", min: 0, max: item.n[axis] - 1, step: 1, ariaLabel: `${name}, number of the slice`,
			title: "Slice (wheel, Page Up, Page Down)" });
		this.slider.hidden = item.n[axis] < 2 || !!item.live;
		this.slider.addEventListener("input", () => viewer.setIndex(item, axis, +this.slider.value));
		this.figure = el("figure", { className: "pane" }, this.canvas, el("figcaption", {}, this.caption, this.slider));
		this.drawn = [{ key: "" }, { key: "" }];
		listenToPane(this);
	}

	get index() { return this.viewer.indexOf(this.source.item, this.axis); }

	// Rectangle of the whole image on the canvas in CSS pixels, its numbers of pixels, and CSS pixels per mm.
	whole() {
		const { item } = this.source, [right, up] = AXES[this.axis], width = this.canvas.clientWidth, height = this.canvas.clientHeight;
		const extent = this.viewer.extentOf(item, this.axis);
		let w = item.n[right] * item.shown[right], h = item.n[up] * item.shown[up];
		if (!extent)
			[w, h] = [width, height];
		const scale = extent ? Math.min(width / extent[0], height / extent[1]) : 1, flip = item.kind === "volume" || this.axis === 2;
		return { x: (width - w * scale) / 2, y: (height - h * scale) / 2, w: w * scale, h: h * scale, nx: item.n[right], ny: item.n[up], flip,
			mm: scale };
	}

	// The same after zoom and pan.
	place() { return zoomed(this, this.whole()); }

	// The part of this rectangle on the canvas.
	visible() {
		const p = this.place(), x = Math.max(p.x, 0), y = Math.max(p.y, 0);
		return { x, y, w: Math.min(p.x + p.w, this.canvas.clientWidth) - x, h: Math.min(p.y + p.h, this.canvas.clientHeight) - y, mm: p.mm };
	}

	// Fractional indices [along right, along up] of a point of the canvas, and back.
	indexAt(x, y) {
		const p = this.place(), v = (y - p.y) / p.h * p.ny - 0.5;
		return [(x - p.x) / p.w * p.nx - 0.5, p.flip ? p.ny - 1 - v : v];
	}

	pointOf(i, j) {
		const p = this.place();
		return [p.x + (i + 0.5) / p.nx * p.w, p.y + ((p.flip ? p.ny - 1 - j : j) + 0.5) / p.ny * p.h];
	}

	// The voxel at a point of the canvas, or null.
	voxelAt(x, y) {
		const { item } = this.source, [right, up] = AXES[this.axis], [i, j] = this.indexAt(x, y).map(Math.round), at = [0, 0, 0];
		if (i < 0 || j < 0 || i >= item.n[right] || j >= item.n[up])
			return null;
		at[right] = i;
		at[up] = j;
		at[this.axis] = this.index;
		return at;
	}

	// The picture of a source's plane, painted anew where something changed.
	picture(source, which) {
		const { viewer } = this, { low, high } = viewer.windowOf(source), { mode } = viewer.state, [from, to] = viewer.slab(source.item, this.axis);
		const plane = source.plane(this.axis, this.index, mode, from, to), drawn = this.drawn[which];
		if (!plane)
			return null;
		const colours = viewer.coloursOf(source), key = `${low}/${high}/${colours}`;
		if (drawn.plane !== plane.data || drawn.key !== key || drawn.at !== this.index) {
			if (!drawn.canvas || drawn.canvas.width !== plane.w || drawn.canvas.height !== plane.h) {
				drawn.canvas = el("canvas", { width: plane.w, height: plane.h });
				drawn.image = new ImageData(plane.w, plane.h);
			}
			paint(plane, low, high, viewer.table(colours), this.place().flip, drawn.image);
			drawn.canvas.getContext("2d").putImageData(drawn.image, 0, 0);
			Object.assign(drawn, { plane: plane.data, key, at: this.index });
		}
		return { canvas: drawn.canvas, wider: plane.width || 1, higher: plane.height || 1, coarse: plane.coarse };
	}

	drawPicture(context, picture, p) {
		const w = p.w * picture.wider, h = p.h * picture.higher;
		context.imageSmoothingEnabled = this.viewer.state.smooth || !!picture.coarse;
		context.drawImage(picture.canvas, p.x, p.flip ? p.y + p.h - h : p.y, w, h);
	}

	// The canvas has the shape of the picture where the style leaves its height open.
	shape() {
		const extent = this.viewer.extentOf(this.source.item, this.axis);
		this.canvas.toggleAttribute("data-tall", !extent);
		if (extent)
			this.canvas.style.aspectRatio = `${extent[0]} / ${extent[1]}`;
	}

	draw() {
		const { canvas } = this, ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
		if (!width || !height)
			return;
		if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(height * ratio);
		}
		const context = canvas.getContext("2d"), p = this.place(), picture = this.picture(this.source, 0);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.clearRect(0, 0, width, height);
		context.save();
		context.beginPath();
		context.rect(p.x, p.y, p.w, p.h);
		context.clip();
		if (picture)
			this.drawPicture(context, picture, p);
		if (this.second)
			this.drawSecond(context, p);
		context.restore();
		this.drawOver(context, p);
		this.describe(!!picture && !picture.coarse);
	}

	drawSecond(context, p) {
		const picture = this.picture(this.second, 1), v = this.visible(), at = v.x + v.w * this.viewer.state.swipe;
		context.save();
		context.beginPath();
		context.rect(at, v.y, v.x + v.w - at, v.h);
		context.clip();
		context.fillRect(at, v.y, v.x + v.w - at, v.h);
		if (picture)
			this.drawPicture(context, picture, p);
		context.restore();
		context.fillStyle = "#ffd84d";
		context.fillRect(at - 1, v.y, 2, v.h);
	}

	drawOver(context, p) {
		const { item } = this.source, [right, up] = AXES[this.axis], { viewer } = this;
		if (viewer.state.cross) {
			const [x, y] = this.pointOf(viewer.indexOf(item, right), viewer.indexOf(item, up)), gap = 9;
			context.fillStyle = "rgba(255, 216, 77, 0.85)";
			for (const [ax, ay, bx, by] of [[p.x, y, x - gap, y], [x + gap, y, p.x + p.w, y], [x, p.y, x, y - gap], [x, y + gap, x, p.y + p.h]])
				if (bx > ax || by > ay)
					context.fillRect(ax - (ax === bx ? 0.5 : 0), ay - (ay === by ? 0.5 : 0), Math.max(bx - ax, 1), Math.max(by - ay, 1));
		}
		if (item.kind === "volume") {
			const visible = this.visible();
			drawScaleBar(context, visible, item);
			drawLetters(context, visible, item, this.axis);
		}
		drawMeasure(context, this);
	}

	describe(fine) {
		const { item } = this.source, { index, axis } = this, name = PLANE_NAMES[item.kind][axis], n = item.n[axis];
		const factor = this.viewer.zoom.axes[axis].factor;
		let where = `${name},${n > 1 ? ` slice ${index} (0 to ${n - 1}),` : ""} ${"xyz"[axis]} = ${lengthText(item.first[axis] + index * item.pitch[axis], item)}`;
		if (item.kind === "projections") {
			const angle = item.angles?.[index];
			where = axis === 2 ? `view ${index} (0 to ${n - 1})${angle === null || angle === undefined ? "" : `, ${angle.toFixed(1)}°`}`
				: axis === 1 ? `sinogram of row ${index} (0 to ${n - 1})` : `column ${index} (0 to ${n - 1}), all views`;
		}
		const sides = item.letters ? `; left ${item.letters[AXES[axis][0]][0]}, right ${item.letters[AXES[axis][0]][1]}, ` +
			`above ${item.letters[AXES[axis][1]][1]}, below ${item.letters[AXES[axis][1]][0]} of the patient` : "";
		if (this.viewer.state.mode !== "slice")
			where += `, ${this.viewer.state.mode}`;
		if (factor > 1)
			where += `, ${factor.toFixed(1)} times enlarged`;
		if (this.source.difference)
			where += `, white 0, full colour ±${this.viewer.text(this.viewer.windowOf(this.source).high, item, true)}`;
		if (this.caption.textContent !== where) {
			this.caption.textContent = where;
			this.canvas.ariaLabel = `${item.name}: ${where}${sides}`;
		}
		this.slider.value = index;
		this.canvas.dataset.fine = fine;
	}
}

// What the ends of the axes are in the patient, where that is known: R L A P H F. Pictures of volumes have their second axis upwards.
function drawLetters(context, p, item, axis) {
	if (!item.letters || p.w < 60 || p.h < 60)
		return;
	const [across, upwards] = AXES[axis].map(a => item.letters[a]), middle = [p.x + p.w / 2, p.y + p.h / 2];
	context.save();
	context.font = "bold 14px sans-serif";
	context.textAlign = "center";
	context.textBaseline = "middle";
	context.lineWidth = 3;
	context.strokeStyle = "#000";
	context.fillStyle = "#ffd84d";
	for (const [letter, x, y] of [[across[0], p.x + 11, middle[1]], [across[1], p.x + p.w - 11, middle[1]], [upwards[1], middle[0], p.y + 12],
		[upwards[0], middle[0], p.y + p.h - 12]]) {
		context.strokeText(letter, x, y);
		context.fillText(letter, x, y);
	}
	context.restore();
}

function drawScaleBar(context, p, item) {
	const most = p.w / 3 / p.mm, power = 10 ** Math.floor(Math.log10(most)), mm = power * (most / power >= 5 ? 5 : most / power >= 2 ? 2 : 1);
	const [unit, per] = lengthUnit(item), text = `${+(mm * per).toPrecision(1)} ${unit}`, x = p.x + 8, y = p.y + p.h - 10;
	if (p.w < 90 || p.h < 60)
		return;
	context.font = "12px sans-serif";
	context.lineWidth = 3;
	context.strokeStyle = "#000";
	context.strokeRect(x, y, mm * p.mm, 1);
	context.strokeText(text, x, y - 6);
	context.fillStyle = "#fff";
	context.fillRect(x, y - 0.5, mm * p.mm, 2);
	context.fillText(text, x, y - 6);
}
