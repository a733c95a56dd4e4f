// Search, the choice of light or dark, and copies of commands. The pages can be read without it.
const { root, search: searchIndex } = document.currentScript.dataset;
const page = document.documentElement;

const kept = (() => {
  try {
    return localStorage.getItem('flotilla-theme');
  } catch {
    return null;
  }
})();
if (kept === 'dark' || kept === 'light') page.dataset.theme = kept;
document.querySelector('.theme').addEventListener('click', () => {
  const isDark = page.dataset.theme ? page.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  page.dataset.theme = isDark ? 'light' : 'dark';
  try {
    localStorage.setItem('flotilla-theme', page.dataset.theme);
  } catch {
    // Without storage the choice is for this page alone.
  }
});

// The list of pages is open beside the text, and closed above it.
const list = document.querySelector('.pages details');
const besides = matchMedia('(min-width: 50.01rem)');
const fold = () => {
  list.open = besides.matches;
};
besides.addEventListener('change', fold);
fold();
const current = document.querySelector('.pages [aria-current]');
if (current && besides.matches) current.closest('.pages').scrollTop = current.offsetTop - innerHeight / 3;

/** What of a code block a shell takes: the lines after "$ ", or all where there is none. */
const commandsOf = (text) => {
  const lines = text.split('\n');
  if (!lines.some((line) => line.startsWith('$ '))) return text;
  let goesOn = false;
  const taken = lines.filter((line) => {
    const isCommand = goesOn || line.startsWith('$ ');
    goesOn = isCommand && line.endsWith('\\');
    return isCommand;
  });
  return taken.map((line) => line.replace(/^\$ /, '')).join('\n');
};
for (const block of document.querySelectorAll('main pre')) {
  if (!navigator.clipboard) break;
  const frame = document.createElement('div');
  frame.className = 'block';
  block.replaceWith(frame);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(commandsOf(block.textContent));
    button.textContent = 'Copied';
  });
  frame.append(block, button);
}

// Search: the index is a script, since a page that was opened as a file may not fetch.
const input = document.querySelector('#search');
const found = document.querySelector('#found');
const MOST = 12;
const scriptOf = (name) =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${root}assets/${name}`;
    script.addEventListener('load', resolve);
    script.addEventListener('error', reject);
    document.head.append(script);
  });
let opening;
const open = () => {
  opening ??= scriptOf('minisearch.js')
    .then(() => scriptOf(searchIndex))
    .then(() => {
      const { betweenWords, ...options } = globalThis.FLOTILLA_SEARCH;
      const tokenize = (text) => text.split(new RegExp(betweenWords, 'u'));
      return MiniSearch.loadJSON(globalThis.FLOTILLA_INDEX, { ...options, tokenize });
    });
  return opening;
};
const show = (query, hits) => {
  found.hidden = query === '';
  if (query === '') return;
  const items = hits.slice(0, MOST).map(({ path, slug, page: title, heading, start }) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = `${root}${path}#${slug}`;
    link.textContent = heading === title ? title : `${title}: ${heading}`;
    link.addEventListener('click', () => {
      found.hidden = true;
    });
    const text = document.createElement('p');
    text.textContent = start;
    item.append(link, text);
    return item;
  });
  if (items.length === 0) {
    found.textContent = `Nothing has "${query}".`;
    return;
  }
  const ordered = document.createElement('ol');
  ordered.append(...items);
  found.replaceChildren(ordered);
};
input.addEventListener('focus', open);
input.addEventListener('input', async () => {
  const index = await open();
  show(input.value.trim(), index.search(input.value, { boostDocument: (_id, _term, { weight }) => weight }));
});
document.querySelector('.search').addEventListener('submit', (event) => {
  event.preventDefault();
  found.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') found.hidden = true;
});
