/* The search of a page that is opened as a file: browsers start no worker there, so that its script runs in a hidden frame. */
if (location.protocol === "file:")
	window.Worker = class extends EventTarget {
		constructor(url) {
			super();
			const script = new URL(url, location);
			this.waiting = [];
			this.frame = document.createElement("iframe");
			this.frame.hidden = true;
			this.frame.title = "search";
			document.body.append(this.frame);
			const inside = this.frame.contentWindow, page = this.frame.contentDocument;
			const load = (src) =>
				new Promise((done, failed) => {
					const element = page.createElement("script");
					element.src = new URL(src, script);
					element.onload = done;
					element.onerror = failed;
					page.head.append(element);
				});
			inside.importScripts = (...urls) => urls.reduce((before, src) => before.then(() => load(src)), Promise.resolve());
			inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
			load(script).then(() => {
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
