// Where values come from: a file's slices, a server's planes, or two of these. A plane is an object for paint() and valueIn(); its pixels
// run along the axes AXES[across].
const AXES = [[1, 2], [0, 2], [0, 1]];

function valueIn(plane, k) {
	const v = plane.data[k];
	return v === plane.missing ? NaN : plane.offset + plane.scale * v;
}

// Greatest, least or mean value of the slices from..to across an axis. get(i): the plane of slice i.
function combine(get, from, to, mode) {
	const first = get(from), n = first.data.length, out = new Float32Array(n).fill(NaN), count = mode === "mean" ? new Uint16Array(n) : null;
	for (let i = from; i <= to; i++) {
		const plane = get(i), { data, missing } = plane;
		for (let k = 0; k < n; k++) {
			const v = data[k];
			if (v === missing || v !== v)
				continue;
			if (count)
				out[k] = count[k]++ ? out[k] + v : v;
			else if (!(mode === "maximum" ? out[k] >= v : out[k] <= v))
				out[k] = v;
		}
	}
	for (let k = 0; count && k < n; k++)
		out[k] /= count[k];
	return { ...first, data: out, missing: NaN };
}

class Source {
	constructor(item) {
		this.item = item;
		this.changed = () => {};
		this.kept = new Map();
	}

	// The newest planes stay.
	keep(key, plane) {
		this.kept.delete(key);
		this.kept.set(key, plane);
		if (this.kept.size > 48)
			this.kept.delete(this.kept.keys().next().value);
		return plane;
	}
}

// All slices of a file, decoded one by one; until they are all there the means of blocks stand in.
class FileSource extends Source {
	constructor(item) {
		super(item);
		const kind = item.bits === 16 ? Uint16Array : Uint8Array, [w, h, d] = item.n;
		this.codes = new kind(w * h * d);
		this.ready = new Uint8Array(d);
		this.left = d;
		this.missing = (1 << item.bits) - 1;
		this.coarse = null;
		this.last = [null, null, null];
		this.wanted = d >> 1;
	}

	get complete() { return this.left === 0; }

	async loadCoarse() {
		const { item } = this;
		if (!item.coarse)
			return;
		const [w, h, d] = item.coarse, codes = new this.codes.constructor(w * h * d);
		await Promise.all(Array.from({ length: d }, (_, z) =>
			decodeSlice(document.getElementById(`c${item.id}-${z}`), w, h, item.bits, codes, z * w * h)));
		this.coarse = codes;
		this.changed();
	}

	// The slice nearest to the one that is looked at, of those that have arrived whole: something stands behind them.
	next() {
		const { item, ready, wanted } = this, d = item.n[2];
		for (let far = 0; far < d; far++)
			for (const z of [wanted + far, wanted - far]) {
				const element = z >= 0 && z < d && !ready[z] ? document.getElementById(`s${item.id}-${z}`) : null;
				if (element && (element.nextSibling || document.readyState !== "loading"))
					return [z, element];
			}
		return null;
	}

	async load() {
		await this.loadCoarse();
		await Promise.all([this.decodeSome(), this.decodeSome()]);
		this.changed();
	}

	async decodeSome() {
		const { item } = this, [w, h] = item.n;
		let since = performance.now();
		while (this.left) {
			const found = this.next();
			if (!found && document.readyState !== "loading")
				break;
			if (!found) {
				await pause(15);
				continue;
			}
			// Of a file that is cut off the last slice is none.
			if (!await decodeSlice(found[1], w, h, item.bits, this.codes, found[0] * w * h).then(() => true, () => false))
				continue;
			this.ready[found[0]] = 1;
			this.left--;
			if (found[0] === this.wanted)
				this.changed();
			if (performance.now() - since > 12) {
				await pause(0);
				since = performance.now();
			}
		}
	}

	cut(codes, n, axis, index) {
		const [right, up] = AXES[axis], w = n[right], h = n[up], step = [1, n[0], n[0] * n[1]];
		let data;
		if (axis === 2)
			data = codes.subarray(index * w * h, (index + 1) * w * h);
		else {
			data = new codes.constructor(w * h);
			for (let y = 0, k = 0; y < h; y++)
				for (let x = 0, from = index * step[axis] + y * step[up]; x < w; x++, k++, from += step[right])
					data[k] = codes[from];
		}
		return { w, h, data, scale: this.item.step, offset: this.item.offset, missing: this.missing };
	}

	// The last plane of each axis stays, so that what is shown already is not painted again.
	cutAnew(axis, index) {
		const plane = this.cut(this.codes, this.item.n, axis, index);
		this.last[axis] = { index, plane };
		return plane;
	}

	plane(axis, index, mode, from, to) {
		const { item } = this;
		if (this.complete || (axis === 2 && this.ready[index] && mode === "slice")) {
			if (mode === "slice")
				return this.last[axis]?.index === index ? this.last[axis].plane : this.cutAnew(axis, index);
			const key = `${axis}/${from}/${to}/${mode}`;
			return this.keep(key, this.kept.get(key) || combine(i => this.cut(this.codes, item.n, axis, i), from, to, mode));
		}
		if (!this.coarse)
			return null;
		const [right, up] = AXES[axis], { by, n } = item;
		const get = i => this.cut(this.coarse, item.coarse, axis, i);
		const plane = mode === "slice" ? get(Math.floor(index / by[axis]))
			: combine(get, Math.floor(from / by[axis]), Math.floor(to / by[axis]), mode);
		return { ...plane, coarse: true, width: plane.w * by[right] / n[right], height: plane.h * by[up] / n[up] };
	}

	// NaN where there is no number; null where it is not known yet.
	value(i, j, k) {
		const [w, h] = this.item.n;
		if (!this.ready[k])
			return null;
		const code = this.codes[(k * h + j) * w + i];
		return code === this.missing ? NaN : this.item.offset + this.item.step * code;
	}
}

// Planes of exact values that the server sends when they are looked at.
class ServedSource extends Source {
	constructor(item) {
		super(item);
		this.asked = new Set();
		this.last = [null, null, null];
		this.lost = false;
	}

	get complete() { return true; }

	async load() {}

	plane(axis, index, mode, from, to) {
		const key = mode === "slice" ? `${axis}/${index}/${index}/slice` : `${axis}/${from}/${to}/${mode}`;
		if (this.kept.has(key))
			this.last[axis] = this.keep(key, this.kept.get(key));
		else
			this.fetch(axis, key);
		return this.last[axis];
	}

	async fetch(axis, key) {
		if (this.asked.has(key) || this.lost)
			return;
		this.asked.add(key);
		try {
			const reply = await fetch(`plane/${this.item.id}/${key}`);
			if (!reply.ok)
				throw new Error(reply.status);
			const data = new Float32Array(await reply.arrayBuffer()), [right, up] = AXES[axis];
			this.keep(key, { w: this.item.n[right], h: this.item.n[up], data, scale: 1, offset: 0, missing: NaN });
		} catch (error) {
			this.lost = true;
		}
		this.asked.delete(key);
		this.changed();
	}

	value(...at) {
		for (let axis = 2; axis >= 0; axis--) {
			const plane = this.kept.get(`${axis}/${at[axis]}/${at[axis]}/slice`), [right, up] = AXES[axis];
			if (plane)
				return valueIn(plane, at[up] * plane.w + at[right]);
		}
		return null;
	}
}

// The second of two volumes on the grid of the first, or the first less the second.
class PairSource extends Source {
	constructor(a, b, difference) {
		super(a.item);
		this.a = a;
		this.b = b;
		this.difference = difference;
		this.same = sameGrid(a.item, b.item);
	}

	get complete() { return this.a.complete && this.b.complete; }

	plane(axis, index, mode, from, to) {
		const key = `${axis}/${index}/${mode}/${from}/${to}/${this.complete}`;
		if (this.kept.has(key))
			return this.kept.get(key);
		const a = this.a.plane(axis, index, mode, from, to);
		const b = a && (this.same ? this.b.plane(axis, index, mode, from, to) : this.resampled(a, axis, index));
		if (!a || !b || (this.difference && a.data.length !== b.data.length))
			return null;
		const plane = this.difference ? this.less(a, b) : b;
		return this.complete && !this.a.item.served ? this.keep(key, plane) : plane;
	}

	less(a, b) {
		const data = new Float32Array(a.data.length);
		for (let k = 0; k < data.length; k++)
			data[k] = valueIn(a, k) - valueIn(b, k);
		return { ...a, data, scale: 1, offset: 0, missing: NaN };
	}

	resampled(a, axis, index) {
		if (a.coarse || !this.b.complete)
			return null;
		const { item } = this, [right, up] = AXES[axis], data = new Float32Array(a.w * a.h), at = [0, 0, 0];
		at[axis] = item.first[axis] + index * item.pitch[axis];
		for (let y = 0, k = 0; y < a.h; y++)
			for (let x = 0; x < a.w; x++, k++) {
				at[right] = item.first[right] + x * item.pitch[right];
				at[up] = item.first[up] + y * item.pitch[up];
				data[k] = sample(this.b, at);
			}
		return { ...a, data, scale: 1, offset: 0, missing: NaN };
	}

	value(i, j, k) {
		const { item } = this, at = [i, j, k];
		const b = this.same ? this.b.value(i, j, k) : this.b.complete ? sample(this.b, at.map((v, a) => item.first[a] + v * item.pitch[a])) : null;
		const a = this.difference ? this.a.value(i, j, k) : 0;
		return a === null || b === null ? null : this.difference ? a - b : b;
	}
}

function sameGrid(a, b) {
	return [0, 1, 2].every(k => a.n[k] === b.n[k] && Math.abs(a.pitch[k] - b.pitch[k]) <= 1e-3 * a.pitch[k] / a.n[k] &&
		Math.abs(a.first[k] - b.first[k]) <= 1e-3 * a.pitch[k]);
}

// Trilinear interpolation between the centres of voxels; within half a voxel beyond the outermost ones their value; outside not a number.
function sample(source, at) {
	const { n, first, pitch } = source.item, low = [0, 0, 0], part = [0, 0, 0];
	for (let a = 0; a < 3; a++) {
		const i = (at[a] - first[a]) / pitch[a];
		if (i < -0.5 || i > n[a] - 0.5)
			return NaN;
		low[a] = Math.min(Math.max(Math.floor(i), 0), Math.max(n[a] - 2, 0));
		part[a] = Math.min(Math.max(i - low[a], 0), n[a] > 1 ? 1 : 0);
	}
	let sum = 0;
	for (let c = 0; c < 8; c++) {
		const w = (c & 1 ? part[0] : 1 - part[0]) * (c & 2 ? part[1] : 1 - part[1]) * (c & 4 ? part[2] : 1 - part[2]);
		if (w > 0)
			sum += w * source.value(low[0] + (c & 1), low[1] + (c >> 1 & 1), low[2] + (c >> 2 & 1));
	}
	return sum;
}
