// Search in pages that were opened from the disk, where browsers let a page neither read the index nor start a worker.
// The index comes as a script, search/search_index.js, and the worker's script runs in a hidden frame. Loaded before the
// theme's own script, with the site's root in data-root.
if (location.protocol === "file:") {
  const root = new URL(document.currentScript.dataset.root + "/", location);

  const load = (into, url) => {
    const script = into.createElement("script");
    script.src = url;
    into.head.append(script);
    return script;
  };

  window.__search = {
    index: new Promise((resolve) => {
      window.search_index_from_disk = resolve;
      load(document, new URL("search/search_index.js", root));
    }),
  };

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.early = []; // what is posted before the script is there
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      load(frame.contentDocument, url).addEventListener("load", () => {
        const early = this.early;
        this.early = null;
        early.forEach((data) => this.postMessage(data));
      });
    }

    postMessage(data) {
      if (this.early) this.early.push(data);
      else this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
