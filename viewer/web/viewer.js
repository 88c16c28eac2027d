// Items of one kind with linked cursors: volumes share a point in mm, projections a view, a row and a column.

// [level, width] in HU.
const PRESETS = { brain: [40, 80], "soft tissue": [40, 400], bone: [500, 2000], lung: [-600, 1500] };

class Viewer {
	constructor(root, items) {
		this.root = root;
		this.items = items;
		this.kind = items[0].kind;
		this.sources = items.map(item => item.live ? new LiveSource(item) : item.served ? new ServedSource(item) : new FileSource(item));
		this.tables = {};
		this.zoom = new Zoom();
		const first = items[0], water = items.every(item => item.water > 0);
		this.state = { at: first.n.map((n, a) => first.first[a] + (n >> 1) * first.pitch[a]), low: Math.min(...items.map(i => i.window[0])),
			high: Math.max(...items.map(i => i.window[1])), unit: first.unit === "HU" && !water ? "mm-1" : first.unit,
			colours: "grey", smooth: false, mode: "slice", thick: 0, layout: "side by side", pair: [0, 1], swipe: 0.5, tool: first.live ? "window" : "point", cross: true, measure: null,
			spread: null, playing: 0, alike: true };
		this.water = water ? first.water : NaN;
		this.presets = water;
		this.pending = false;
		this.hover = null;
		for (const source of this.sources)
			source.changed = () => this.refresh();
		buildControls(this);
		this.arrange();
		this.sources.forEach(source => source.load().then(() => this.refresh()));
		new ResizeObserver(() => this.refresh()).observe(this.grid);
	}

	table(name) { return this.tables[name] ||= colourTable(name); }

	// Window and colours of a source: differences have their own.
	windowOf(source) {
		const { low, high, spread } = this.state;
		if (!source.difference)
			return { low, high };
		const half = spread || (high - low) / 4;
		return { low: -half, high: half };
	}

	coloursOf(source) { return source.difference && this.state.colours === "grey" ? "blue-white-red" : this.state.colours; }

	indexOf(item, axis) {
		return Math.min(Math.max(Math.round((this.state.at[axis] - item.first[axis]) / item.pitch[axis]), 0), item.n[axis] - 1);
	}

	setIndex(item, axis, index) {
		if (item.live)
			return;
		const i = Math.min(Math.max(index, 0), item.n[axis] - 1);
		this.state.at[axis] = item.first[axis] + i * item.pitch[axis];
		this.hover = null;
		this.refresh();
	}

	setAt(item, voxel) {
		if (item.live)
			return;
		voxel.forEach((v, a) => { this.state.at[a] = item.first[a] + v * item.pitch[a]; });
		this.hover = null;
		this.refresh();
	}

	// Slices that a projection of `thick` mm around the point takes in; 0: all.
	slab(item, axis) {
		const { mode, thick } = this.state, index = this.indexOf(item, axis);
		if (mode === "slice")
			return [index, index];
		const half = thick > 0 ? Math.round(thick / item.pitch[axis] / 2) : item.n[axis];
		return [Math.max(index - half, 0), Math.min(index + half, item.n[axis] - 1)];
	}

	// The two that are compared.
	get pair() { return this.state.pair.map(i => this.items[i]); }

	// All volumes are single slices, which stand beside each other.
	get flat() { return this.kind === "volume" && this.items.every(item => item.n[2] === 1); }

	// [across, upwards] in mm of what a pane has room for: the largest volume, or with scales of their own each volume; of sinograms, whose axes have no
	// scale, null.
	extentOf(item, axis) {
		if (item.kind === "projections" && axis !== 2)
			return null;
		const all = item.kind === "volume" && this.state.alike && this.state.layout === "side by side" ? this.items : [item];
		return AXES[axis].map(a => Math.max(...all.map(i => i.n[a] * i.shown[a])));
	}

	// One volume of a few slices: two of its planes are lines beside the third.
	get thin() {
		const [x, y, z] = this.items[0].n.map((n, a) => n * this.items[0].shown[a]);
		return this.kind === "volume" && !this.flat && z < 0.45 * Math.min(x, y);
	}

	// Volumes beside each other of which one is larger than another.
	get unlike() {
		const extents = this.items.map(item => item.n.map((n, a) => n * item.shown[a]));
		return this.kind === "volume" && extents.some(e => e.some((mm, a) => Math.abs(mm - extents[0][a]) > 1e-3 * mm));
	}

	// Panes anew: one group for each item, or one for a pair. Volumes stand beside each other where the window is wide enough.
	arrange() {
		const { layout } = this.state, [a, b] = this.state.pair.map(i => this.sources[i]), pair = b && layout !== "side by side";
		const shown = !pair ? this.sources : layout === "difference" ? [new PairSource(a, b, true)] : [a];
		const second = pair && layout === "swipe" ? new PairSource(a, b, false) : null;
		this.panes = [];
		this.grid.replaceChildren();
		this.grid.className = "grid";
		this.grid.classList.toggle("flat", this.flat);
		this.grid.classList.toggle("beside", !this.flat && shown.length > 1);
		this.grid.classList.toggle("thin", shown.length === 1 && this.thin);
		this.grid.classList.toggle("single", !this.flat && shown.length === 1 && !this.thin);
		const own = this.unlike && !this.state.alike ? ", at a scale of its own" : "";
		const level = this.root.closest("section")?.querySelector(":scope > h2") ? "3" : "2";
		for (const source of shown) {
			const row = el("div", { className: "row" }, el("h3", { ariaLevel: level, textContent: pair ? this.pairName(layout) : source.item.name + own }));
			const panes = (this.flat ? [2] : [2, 1, 0]).map(axis => new Pane(this, source, axis, second));
			row.append(el("div", { className: "panes" }, ...panes.map(p => p.figure)));
			this.panes.push(...panes);
			this.grid.append(row);
		}
		this.panes.forEach(pane => pane.shape());
		const title = document.querySelector("h1")?.textContent;
		for (const heading of this.grid.querySelectorAll("h3"))
			heading.hidden = heading.textContent === title;
		this.alikeLine.hidden = !this.unlike || this.state.layout !== "side by side";
		this.swipeLine.hidden = layout !== "swipe" || !pair;
		this.pairLine.hidden = !pair || this.items.length < 3;
		this.refresh();
	}

	pairName(layout) {
		const [a, b] = this.pair, other = sameGrid(a, b) ? "" : "; the second is interpolated to the grid of the first";
		return (layout === "difference" ? `${a.name} less ${b.name}` : `left ${a.name}, right ${b.name}`) + other;
	}

	refresh() {
		if (this.pending)
			return;
		this.pending = true;
		requestAnimationFrame(() => {
			this.pending = false;
			this.draw();
		});
	}

	draw() {
		for (const source of this.sources)
			if (source.ready)
				source.wanted = this.indexOf(source.item, 2);
		this.panes.forEach(pane => pane.draw());
		this.showReadout();
		this.showMeasure();
		showState(this);
		const [item] = this.items;
		if (item.scan && this.scanCanvas && this.scanCanvas.clientWidth)
			drawScan(this.scanCanvas, item.scan, this.indexOf(item, 2), this.boxes || []);
	}

	// A number of mm^-1 (or a line integral) in the unit that is shown, right to half a step.
	text(value, item, difference) {
		const hu = this.state.unit === "HU", factor = hu ? 1000 / item.water : 1;
		if (value === null)
			return "…";
		if (value !== value)
			return "not a number";
		const v = value * factor - (hu && !difference ? 1000 : 0);
		return `${this.digits(v, item.served ? 0 : item.step * factor)}${this.unitName()}`;
	}

	digits(v, step) {
		if (!(step > 0))
			return String(+v.toPrecision(7));
		const places = Math.max(Math.ceil(-Math.log10(step)) + 1, 0);
		if (places > 8 && v !== 0 && Math.abs(v) < 1e-3)
			return v.toExponential(Math.min(Math.max(Math.floor(Math.log10(Math.abs(v))) + places, 0), 12));
		const text = v.toFixed(Math.min(places, 12));
		return /^-[0.]*$/.test(text) ? text.slice(1) : text;
	}

	unitName() { return this.state.unit === "mm-1" ? " mm⁻¹" : this.state.unit && ` ${this.state.unit}`; }

	// [voxel, source] under the pointer, else the point.
	pointed() {
		const { hover } = this;
		return hover && this.panes.includes(hover.pane) ? hover : null;
	}

	showReadout() {
		const hover = this.pointed(), lines = [], [first] = this.items;
		const at = hover ? hover.voxel.map((v, a) => hover.pane.source.item.first[a] + v * hover.pane.source.item.pitch[a]) : this.state.at;
		if (this.kind === "volume")
			lines.push(`${hover ? "Cursor" : "Point"}: x ${lengthNumber(at[0], first)}, y ${lengthNumber(at[1], first)}, z ${lengthText(at[2], first)}`);
		else
			lines.push(`${hover ? "Cursor" : "Point"}: column ${at[0]}, row ${at[1]}, view ${at[2]}`);
		const values = [];
		for (const source of this.sources) {
			const { item } = source, voxel = at.map((v, a) => Math.round((v - item.first[a]) / item.pitch[a]));
			const inside = voxel.every((v, a) => v >= 0 && v < item.n[a]), value = inside ? source.value(...voxel) : NaN;
			values.push(value);
			lines.push(`${item.name}: ${inside ? this.text(value, item) : "outside"}` +
				(this.kind === "volume" && inside ? ` (voxel ${voxel.join(", ")})` : ""));
			source.read = inside ? value : null;
		}
		const [a, b] = this.state.pair.map(i => values[i]);
		if (this.state.layout === "difference" && values.length > 1 && sameGrid(...this.pair))
			lines.push(`difference: ${a === null || b === null ? "…" : this.text(a - b, first, true)}`);
		const text = lines.join("\n");
		if (this.readout.textContent !== text)
			this.readout.textContent = text;
	}

	showMeasure() {
		const { measure } = this.state, done = [];
		this.result.hidden = !measure;
		if (!measure)
			return;
		for (const pane of this.panes.filter(p => p.axis === measure.axis)) {
			const { item } = pane.source, plane = pane.source.plane(pane.axis, pane.index, this.state.mode, ...this.slab(item, pane.axis));
			if (plane && !plane.coarse)
				done.push({ pane, item, plane, difference: !!pane.source.difference, ends: [measure.a, measure.b].map(p => toIndex(item, pane.axis, p)) });
		}
		this.curve.hidden = measure.kind !== "line";
		this.resultText.textContent = (measure.kind === "line" ? this.measureLine(done, measure) : this.measureRegion(done)) || "…";
	}

	measureRegion(done) {
		return done.map(({ item, plane, ends, difference }) => {
			const s = statistics(plane, ...ends, this.state.measure.kind === "ellipse");
			if (!s.n)
				return `${item.name}: the region contains no centre of a voxel`;
			const sd = this.text(s.sd, item, true);
			return `${item.name}: mean ${this.text(s.mean, item, difference)}, standard deviation ${sd}, ` +
				`minimum ${this.text(s.least, item, difference)}, maximum ${this.text(s.most, item, difference)}, ${s.n} ` +
				(this.kind === "volume" ? "voxels" : "pixels");
		}).join("\n");
	}

	measureLine(done, measure) {
		const length = Math.hypot(measure.b[0] - measure.a[0], measure.b[1] - measure.a[1]);
		const curves = done.map(({ item, plane, ends: [a, b], difference }) => {
			const points = Math.min(Math.ceil(2 * Math.hypot(a[0] - b[0], a[1] - b[1])) + 1, 2000), hu = this.state.unit === "HU";
			return { name: item.name, values: profile(plane, a, b, points).map(v => hu ? v * 1000 / item.water - (difference ? 0 : 1000) : v) };
		});
		const [first] = this.items, volume = this.kind === "volume", [unit, per] = volume ? lengthUnit(first) : ["pixels", 1];
		const name = curves.length === 1 && done[0].difference ? "difference" : volume || first.unit ? "value" : "line integral";
		drawCurves(this.curve, curves, length * per, unit, false, `${name}${this.unitName() && `,${this.unitName()}`}`);
		const range = curves.map((c, k) => {
			const numbers = c.values.filter(Number.isFinite);
			return `${done[k].item.name}: ${Math.min(...numbers).toPrecision(5)} to ${Math.max(...numbers).toPrecision(5)}${this.unitName()}`;
		});
		const long = volume ? lengthText(length, first) : `${length.toFixed(2)} pixels`;
		this.curve.ariaLabel = `profile of ${long}: ${range.join("; ")}`;
		return [`Profile, ${long}`, ...range].join("\n");
	}

	setWindow(low, high) {
		if (!(high > low) || !Number.isFinite(high - low))
			return;
		Object.assign(this.state, { low, high });
		this.refresh();
	}

	preset(name) {
		const ranges = this.items.map(i => name === "full" ? i.range : i.window);
		if (PRESETS[name] && this.presets) {
			const [level, width] = PRESETS[name];
			this.state.unit = "HU";
			this.setWindow(this.water * (1 + (level - width / 2) / 1000), this.water * (1 + (level + width / 2) / 1000));
		} else if (!PRESETS[name]) {
			const low = Math.min(...ranges.map(r => r[0])), high = Math.max(...ranges.map(r => r[1]));
			this.setWindow(low, high > low ? high : low + Math.max(1e-6, Math.abs(low)));
		}
		this.state.spread = null;
	}

	// A movie along an axis: 0 stops.
	play(on) {
		cancelAnimationFrame(this.state.playing);
		this.state.playing = 0;
		this.refresh();
		if (!on)
			return;
		let last = 0;
		const step = now => {
			const [item] = this.items, i = this.indexOf(item, 2);
			if (now - last >= 1000 / this.speed) {
				last = now;
				this.setIndex(item, 2, (i + 1) % item.n[2]);
			}
			this.state.playing = requestAnimationFrame(step);
		};
		this.state.playing = requestAnimationFrame(step);
	}

	get speed() { return Math.min(Math.max(this.items[0].n[2] / 8, 5), 30); }
}
