/* The search of a page that is opened as a file: browsers start no worker there, so that its script runs in a hidden frame. */
if (location.protocol === "file:")
	window.Worker = class extends EventTarget {
		constructor(url) {
			super();
			this.waiting = [];
			this.frame = document.createElement("iframe");
			this.frame.hidden = true;
			this.frame.title = "search";
			document.body.append(this.frame);
			const inside = this.frame.contentWindow, page = this.frame.contentDocument;
			const load = (src) =>
				new Promise((done, failed) => {
					const script = page.createElement("script");
					script.src = new URL(src, url);
					script.onload = done;
					script.onerror = failed;
					page.head.append(script);
				});
			inside.importScripts = (...urls) => urls.reduce((before, src) => before.then(() => load(src)), Promise.resolve());
			inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
			load(url).then(() => {
				const waiting = this.waiting;
				this.waiting = null;
				waiting.forEach((data) => this.postMessage(data));
			});
		}
		postMessage(data) {
			if (this.waiting) this.waiting.push(data);
			else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
		}
		terminate() {
			this.frame.remove();
		}
	};
