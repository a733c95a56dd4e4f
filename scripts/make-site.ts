import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { buildSite } from './site/build-site.js';

// Usage: node dist/scripts/make-site.js [--edit URL] [--version NAME=URL]… Writes the pages as a site into
// dist/site; the site needs no server. `--edit` is the address of the editor, before the path of a file.
// `--version` names the site of another version.
const { values } = parseArgs({
  options: { edit: { type: 'string' }, version: { type: 'string', multiple: true, default: [] } },
});
const versions = values.version.map((one) => {
  const [name = '', ...url] = one.split('=');
  return { name, url: url.join('=') };
});

const folder = join(PROJECT_ROOT, 'dist/site');
rmSync(folder, { recursive: true, force: true });
const site = await buildSite({ versions, ...(values.edit === undefined ? {} : { edit: values.edit }) });
for (const [path, content] of site) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
const pages = [...site.keys()].filter((path) => path.endsWith('.html')).length;
console.log(`${pages} pages in dist/site; open dist/site/index.html`);
