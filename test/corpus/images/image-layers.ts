import type { BesideFile, ExtraLayer, LayerShape } from '../bundles/bundle-draft.js';
import { utf8 } from '../bundles/bundle-draft.js';
import type { TarEntry } from './tar-archive.js';

/** Entries of the layers of an image, the lowest first: unpacked one over the other they give the files. */
export function layersOf(files: readonly BesideFile[], shape: LayerShape): TarEntry[][] {
  const ordered = inOrder(files, shape.first);
  let layers = shape.split === 'each' ? ordered.map((file) => [entryOf(file)]) : [ordered.map(entryOf)];
  for (const extra of shape.extra) layers = withExtra(layers, extra, files);
  return layers.map((entries) => placed(entries, shape));
}

const entryOf = ({ path, bytes }: BesideFile): TarEntry => ({ name: path, type: 'file', bytes });

function inOrder(files: readonly BesideFile[], first: readonly string[]): readonly BesideFile[] {
  const rank = ({ path }: BesideFile) => (first.includes(path) ? first.indexOf(path) : first.length);
  return files.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

const STALE = utf8('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stale}\n');

/** Adds layers that change nothing of the files in the end. */
function withExtra(layers: TarEntry[][], extra: ExtraLayer, files: readonly BesideFile[]): TarEntry[][] {
  const folder = folderOf(files);
  const stale: TarEntry = { name: `${folder}/stale.yaml`, type: 'file', bytes: STALE };
  switch (extra) {
    case 'empty':
      return [[], ...layers, []];
    case 'whiteout':
      return [[stale], [], ...layers, [{ name: `${folder}/.wh.stale.yaml`, type: 'file' }]];
    case 'opaque':
      return [[stale], [{ name: `${folder}/.wh..wh..opq`, type: 'file' }], ...layers];
    case 'overwritten':
      return [files.slice(0, 1).map(({ path }) => ({ name: path, type: 'file', bytes: STALE })), ...layers];
    case 'hard link':
      return withLink(layers, folder);
    case 'symbolic link':
      return [...layers, [{ name: 'usr/bin/manager', type: 'symbolic link', link: '../../bin/manager' }]];
  }
}

/** The first manifest lies elsewhere in its layer; a later one links it to its place. */
function withLink(layers: TarEntry[][], folder: string): TarEntry[][] {
  const linked = layers.flat().find(({ name }) => name.startsWith(`${folder}/`))?.name ?? '';
  const moved = layers.map((layer) =>
    layer.map((entry) => (entry.name === linked ? { ...entry, name: 'staging/linked' } : entry)),
  );
  return [...moved, [{ name: linked, type: 'hard link', link: 'staging/linked' }]];
}

/** The folder of the manifests, or of a catalog's files. */
const folderOf = (files: readonly BesideFile[]): string =>
  files.find(({ path }) => /^(manifests|deploy|configs)\//.test(path))?.path.split('/')[0] ?? 'manifests';

/** The entries as the shape names them, after those of their folders. */
function placed(entries: readonly TarEntry[], { prefix, directories }: LayerShape): TarEntry[] {
  const folders = directories ? [...new Set(entries.flatMap(({ name }) => ancestors(name)))] : [];
  const own: TarEntry[] = folders.map((name) => ({ name: `${name}/`, type: 'directory' }));
  return [...own, ...entries].map((entry) => ({
    ...entry,
    name: `${prefix}${entry.name}`,
    ...(entry.type === 'hard link' ? { link: `${prefix}${entry.link}` } : {}),
  }));
}

const ancestors = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, parts) => parts.slice(0, at + 1).join('/'));
