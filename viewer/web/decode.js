// Slices as viewer/tiles.h describes them: base64, zlib, remainders of a prediction.

function bytesOf(text) {
	const packed = atob(text), bytes = new Uint8Array(packed.length);
	for (let i = 0; i < packed.length; i++)
		bytes[i] = packed.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Codes of a slice of w x h pixels, from raw remainders, to out at `at`.
function undoPrediction(raw, w, h, bits, out, at) {
	const wide = bits === 16, pixels = w * h, mask = wide ? 0xffff : 0xff;
	let i = 0, behind = pixels + 1 >> 1;
	for (let y = 0; y < h; y++)
		for (let x = 0; x < w; x++, i++) {
			const k = at + i;
			const before = x ? out[k - 1] : y ? out[k - w] : 0;
			const above = y ? out[k - w] : before;
			const half = wide ? 0 : i & 1 ? raw[i >> 1] & 15 : raw[i >> 1] >> 4;
			const folded = wide ? raw[i] | raw[pixels + i] << 8 : half < 15 ? half : raw[behind++];
			out[k] = ((before + above >> 1) + (folded >>> 1 ^ -(folded & 1))) & mask;
		}
}

async function decodeSlice(element, w, h, bits, out, at) {
	const text = element.textContent;
	element.remove();
	undoPrediction(await inflate(bytesOf(text)), w, h, bits, out, at);
}

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
