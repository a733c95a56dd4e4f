import { recordOf, type YamlMap } from '../text/yaml-tree.js';

/** Effect of the installation on a manifest of the bundle. */
export type Fate =
  /** It is in the cluster. */
  | 'applied'
  /** It is no manifest of an object, or OLM never reads it. */
  | 'skipped';

/** A file below manifests/ or metadata/. */
export type DraftFile = {
  path: string;
  tree: YamlMap;
  /** Turns the YAML of the tree into the bytes of the file. */
  encode: (yaml: string) => Uint8Array;
  fate: Fate;
  /** The object in the cluster, if it is not the one of the tree. */
  becomes?: () => YamlMap;
};

/** A file that is neither below manifests/ nor below metadata/. */
export type BesideFile = Readonly<{ path: string; bytes: Uint8Array }>;

/** Layout of the files of an image in its layers. */
export type LayerShape = {
  /** Files in this order; the rest follows in the order of names. */
  first: string[];
  prefix: '' | './' | '/';
  directories: boolean;
  compression: 'gzip' | 'none' | 'zstd';
  /** Layers of a type that registries need not have. */
  foreign: boolean;
  /** Splits the files over layers. */
  split: 'one' | 'each';
  /** Further layers, made of the files that the image has in the end. */
  extra: readonly ExtraLayer[];
  manifests: 'oci' | 'docker';
  index: 'none' | 'platforms' | 'nested' | 'attested' | 'annotated';
  /** Labels in the config of the image: the annotations, or those of its builder alone. */
  labels: 'of the bundle' | 'of its builder' | 'none';
  damage: Damage;
};

/** Damage of a part of an image after its push. */
export type Damage =
  | 'none'
  | 'layer lost'
  | 'config lost'
  /** The manifest of the platform that an index names. */
  | 'manifest lost'
  | 'layer cut short'
  | 'layer emptied'
  | 'layer changed';

export type ExtraLayer =
  /** A layer without any entry. */
  | 'empty'
  /** Below: another manifest. The next layer removes it. */
  | 'whiteout'
  /** Below: other manifests. The next layer removes all of them at once. */
  | 'opaque'
  /** Below: an older content of a file. */
  | 'overwritten'
  /** A file of the layer below, linked to its final place. */
  | 'hard link'
  | 'symbolic link';

export const plainLayers = (): LayerShape => ({
  first: [],
  prefix: '',
  directories: true,
  compression: 'gzip',
  foreign: false,
  split: 'one',
  extra: [],
  manifests: 'oci',
  index: 'none',
  labels: 'of the bundle',
  damage: 'none',
});

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A bundle before its oddities are put in, and after. Its objects are known without reading it. */
export type BundleDraft = {
  packageName: string;
  /** Key of its namespace, and of the group of its APIs. */
  key: string;
  version: string;
  csv: DraftFile;
  /** Every manifest, the CSV among them. */
  manifests: DraftFile[];
  metadata: DraftFile[];
  beside: BesideFile[];
  layers: LayerShape;
  /** The way into a catalog. */
  delivery: 'image' | 'inline' | 'configMap';
  /** The form that the commands read: a directory, an image of a registry, or an OCI layout. */
  asked: 'directory' | 'image' | 'layout';
  /** Install for its own namespace or for all. */
  targets: 'own' | 'all';
};

/**
 * Returns a map of the tree, and makes it if there is none. Another value stays: its map is then not in the
 * tree.
 */
export function mapAt(tree: YamlMap, ...path: readonly string[]): YamlMap {
  return path.reduce<YamlMap>((map, key) => {
    map[key] ??= {};
    return isMap(map[key]) ? map[key] : {};
  }, tree);
}

const isMap = (tree: unknown): tree is YamlMap =>
  typeof tree === 'object' && tree !== null && !Array.isArray(tree) && Object.getPrototypeOf(tree) === Object.prototype;

/** A list of maps, as {@link mapAt}. */
export function listAt(tree: YamlMap, ...path: readonly string[]): YamlMap[] {
  const parent = mapAt(tree, ...path.slice(0, -1));
  const key = path.at(-1) ?? '';
  parent[key] ??= [];
  return Array.isArray(parent[key]) ? parent[key].filter(isMap) : [];
}

/** Adds an item to a list of the tree. */
export function addTo(tree: YamlMap, path: readonly string[], item: YamlMap): void {
  const parent = mapAt(tree, ...path.slice(0, -1));
  const key = path.at(-1) ?? '';
  parent[key] = [...(Array.isArray(parent[key]) ? parent[key] : []), item];
}

export const nameOf = ({ tree }: DraftFile): string => String(mapAt(tree, 'metadata')['name'] ?? '');
export const csvNameOf = ({ csv }: BundleDraft): string => nameOf(csv);
export const annotationsOf = (draft: BundleDraft): DraftFile => {
  const file = draft.metadata.find(({ path }) => path === 'metadata/annotations.yaml');
  if (file === undefined) throw new Error('the bundle has no annotations file');
  return file;
};

/** The object that the cluster should hold for a manifest. */
export const objectOf = ({ tree, becomes }: DraftFile): Record<string, unknown> => recordOf(becomes?.() ?? tree);

/** Adds a manifest, in the order of file names. */
export function addManifest(draft: BundleDraft, name: string, tree: YamlMap, fate: Fate = 'applied'): DraftFile {
  const file: DraftFile = { path: `manifests/${name}.yaml`, tree, encode: utf8, fate };
  draft.manifests.push(file);
  return file;
}

export const crdsOf = ({ manifests }: BundleDraft): DraftFile[] =>
  manifests.filter(({ tree }) => tree['kind'] === 'CustomResourceDefinition');
