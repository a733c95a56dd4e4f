import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyPackages, importedPackages } from '../supply-chain/copy-packages.js';
import type { ArchivedFile } from './fixed-archive.js';

/** Files that the command reads from next to its programs, and files that people read. */
const TAKEN = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'k8s/crds',
  'k8s/joining',
  'k8s/base/managed-cluster',
  'k8s/overlays/fleet',
  'examples',
  'dist/programs',
  'dist/console',
];

const COMMANDS = {
  flotilla: 'bin/flotilla.js',
  'kubectl-flotilla': 'bin/flotilla.js',
  'kubectl_complete-flotilla': 'bin/kubectl-complete.js',
};

type PackageParts = Readonly<{
  /** Man pages and completions. */
  texts: readonly ArchivedFile[];
  /** Absent if the checkout has changes that no commit has. */
  commit?: string | undefined;
}>;

/**
 * Lays out the npm package of the command in an empty folder. The packages that its programs import are in
 * it, so that an installation asks no registry.
 */
export function writePackageFolder(root: string, folder: string, { texts, commit }: PackageParts): void {
  for (const path of TAKEN) {
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      dereference: true,
      filter: (source) => !source.endsWith('.js.map'),
    });
  }
  const isPage = (name: string): boolean => /\.(md|svg)$/.test(name);
  for (const name of readdirSync(join(root, 'docs')).filter(isPage)) {
    cpSync(join(root, 'docs', name), join(folder, 'docs', name));
  }
  copyPackages(root, folder);
  for (const name of ['flotilla', 'kubectl-complete']) {
    const place = join(folder, `bin/${name}.js`);
    cpSync(join(root, `bin/${name}-in-package.js`), place);
    chmodSync(place, 0o755);
  }
  for (const { path, content } of texts) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  if (commit !== undefined) writeFileSync(join(folder, 'dist/COMMIT'), `${commit}\n`);
  const pages = texts.filter(({ path }) => path.startsWith('man/')).map(({ path }) => path);
  writeFileSync(join(folder, 'package.json'), packageJson(root, pages));
}

/**
 * Returns package.json without the parts that only a checkout has: scripts, packages for development, paths
 * of sources.
 */
function packageJson(root: string, pages: readonly string[]): string {
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name, version, description, license, type, engines } = project;
  const packages = importedPackages(root);
  const dependencies = Object.fromEntries(packages.map((one) => [one, project.dependencies[one]]));
  const manifest = { name, version, description, license, type, engines, bin: COMMANDS, man: pages };
  return `${JSON.stringify({ ...manifest, dependencies, bundleDependencies: packages }, null, 2)}\n`;
}
