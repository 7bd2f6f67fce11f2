// Search, opening and closing, and printing; the page can be read without it.
"use strict";
(() => {
  const MOST_MARKS = 1000;
  const items = [...document.querySelectorAll("[data-item]")].map((element) => ({
    element,
    text: null, // read at the first search: a result may be a megabyte
    wasOpen: null, // before the search opened it
  }));
  const runs = [...document.querySelectorAll("section.run")];
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  document.querySelector(".tools").hidden = false;

  function mark(query, elements) {
    if (!window.Highlight || !CSS.highlights) return;
    CSS.highlights.delete("found");
    const ranges = [];
    for (const element of query ? elements : []) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && ranges.length < MOST_MARKS) {
        const text = walker.currentNode.data.toLowerCase();
        // A letter that gets longer in lower case shifts all that follow; such a text is found, and not marked.
        if (text.length !== walker.currentNode.data.length) continue;
        for (let at = text.indexOf(query); at >= 0 && ranges.length < MOST_MARKS; at = text.indexOf(query, at + 1)) {
          const range = new Range();
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + query.length);
          ranges.push(range);
        }
      }
    }
    if (ranges.length) CSS.highlights.set("found", new Highlight(...ranges));
  }

  function openFor(item, query) {
    const { element } = item;
    if (element.tagName !== "DETAILS") return;
    if (item.wasOpen === null) item.wasOpen = element.open;
    // Not only where the line itself does not have it: the end of a line may be cut off.
    element.open = item.wasOpen || element.querySelector(".body").textContent.toLowerCase().includes(query);
    for (const more of element.querySelectorAll("details.more")) {
      more.open = more.textContent.toLowerCase().includes(query);
    }
  }

  function restore(item) {
    if (item.wasOpen !== null) item.element.open = item.wasOpen;
    item.wasOpen = null;
  }

  function filter() {
    const query = search.value.trim().toLowerCase();
    const matching = [];
    for (const item of items) {
      item.text ??= item.element.textContent.toLowerCase();
      const matches = !query || item.text.includes(query);
      item.element.hidden = !matches;
      if (!query || !matches) restore(item);
      else {
        openFor(item, query);
        matching.push(item.element);
      }
    }
    for (const run of runs) run.hidden = Boolean(query) && !run.querySelector("[data-item]:not([hidden])");
    found.textContent = query ? `${matching.length} of ${items.length}` : "";
    mark(query, matching);
  }

  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(filter, 100);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    search.value = "";
    filter();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === search) return;
    event.preventDefault();
    search.focus();
  });

  const folds = [...document.querySelectorAll("details[data-item]")];
  const setAll = (open) => folds.forEach((fold) => { fold.open = open; });
  document.getElementById("open").addEventListener("click", () => setAll(true));
  document.getElementById("close").addEventListener("click", () => setAll(false));

  // What is folded away would be missing on paper.
  let before = [];
  window.addEventListener("beforeprint", () => {
    before = folds.map((fold) => fold.open);
    setAll(true);
  });
  window.addEventListener("afterprint", () => folds.forEach((fold, index) => { fold.open = before[index]; }));
})();
