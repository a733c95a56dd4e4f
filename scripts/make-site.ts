import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { buildSite } from './site/build-site.js';

// Usage: node dist/scripts/make-site.js. Writes the pages as a site into dist/site; the site needs no
// server.

const folder = join(PROJECT_ROOT, 'dist/site');
rmSync(folder, { recursive: true, force: true });
const site = await buildSite();
for (const [path, content] of site) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
const pages = [...site.keys()].filter((path) => path.endsWith('.html')).length;
console.log(`${pages} pages in dist/site; open dist/site/index.html`);
