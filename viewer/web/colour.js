// Colour maps as 256 pixels of a canvas each. "cubehelix": D. A. Green, Bull. Astron. Soc. India 39 (2011) 289, start 0.5, -1.5 turns.

const NOT_A_NUMBER = 0xffff00ff;        // magenta: no grey is taken for it

function helix(t) {
	const angle = 2 * Math.PI * (0.5 / 3 + 1 - 1.5 * t), a = t * (1 - t) / 2, c = Math.cos(angle), s = Math.sin(angle);
	return [t + a * (-0.14861 * c + 1.78277 * s), t + a * (-0.29227 * c - 0.90649 * s), t + a * 1.97294 * c];
}

const colourMaps = {
	grey: t => [t, t, t],
	inverse: t => [1 - t, 1 - t, 1 - t],
	hot: t => [3 * t, 3 * t - 1, 3 * t - 2],
	cubehelix: helix,
	"blue-white-red": t => t < 0.5 ? [2 * t, 2 * t, 1] : [1, 2 - 2 * t, 2 - 2 * t],
};

function colourTable(name) {
	const table = new Uint32Array(256), byte = v => Math.round(255 * Math.min(1, Math.max(0, v)));
	for (let i = 0; i < 256; i++) {
		const [r, g, b] = colourMaps[name](i / 255);
		table[i] = 0xff000000 | byte(b) << 16 | byte(g) << 8 | byte(r);
	}
	return table;
}

// plane: { w, h, data, scale, offset, missing }; low, high: black and white, in what scale and offset make of the data.
function paint(plane, low, high, table, flip, image) {
	const { w, h, data, missing } = plane, pixels = new Uint32Array(image.data.buffer);
	const a = 256 * plane.scale / (high - low), b = 256 * (plane.offset - low) / (high - low);
	for (let y = 0; y < h; y++) {
		let to = (flip ? h - 1 - y : y) * w;
		for (let k = y * w; k < y * w + w; k++, to++) {
			const v = data[k], t = a * v + b;
			pixels[to] = v === missing || v !== v ? NOT_A_NUMBER : table[t <= 0 ? 0 : t >= 255 ? 255 : t | 0];
		}
	}
}
