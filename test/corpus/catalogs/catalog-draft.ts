import {
  type BesideFile,
  type BundleDraft,
  type LayerShape,
  objectOf,
  plainLayers,
  utf8,
} from '../bundles/bundle-draft.js';
import { catalogBlobs, manifestsInOrder } from '../bundles/bundle-files.js';
import { readValue, type YamlMap, yamlText } from '../text/yaml-tree.js';

/** A file of a file-based catalog. */
export type CatalogFile = { path: string; blobs: YamlMap[]; encode: (yaml: string) => Uint8Array };

/** A catalog with one bundle, before its oddities are put in, and after. */
export type CatalogDraft = {
  /** The bundle that is installed from it, without oddities of its own. */
  bundle: BundleDraft;
  kind: 'files' | 'configMap';
  files: CatalogFile[];
  beside: BesideFile[];
  layers: LayerShape;
  /** Lists of the keys of a ConfigMap. */
  lists: { customResourceDefinitions: unknown[]; clusterServiceVersions: unknown[]; packages: unknown[] };
  /** Turns a list of the ConfigMap into its text; undefined: the key is absent. */
  listText: (key: string, yaml: string) => string | undefined;
};

/** A catalog as its authors write it; the image of its bundle is known once there is a registry. */
export function baselineCatalog(bundle: BundleDraft): CatalogDraft {
  const objects = manifestsInOrder(bundle).map((file) => objectOf(file));
  const inline = bundle.delivery === 'inline';
  const csv = objectOf(bundle.csv);
  const name = (csv['metadata'] as YamlMap)['name'];
  const channels = [{ name: 'stable', currentCSV: name }];
  return {
    bundle,
    kind: 'files',
    files: [
      {
        path: `configs/${bundle.key}/catalog.yaml`,
        blobs: catalogBlobs(bundle, '', inline ? objects : []),
        encode: utf8,
      },
    ],
    beside: [],
    layers: plainLayers(),
    lists: {
      customResourceDefinitions: objects.filter(({ kind }) => kind === 'CustomResourceDefinition'),
      clusterServiceVersions: [csv],
      packages: [{ packageName: bundle.packageName, defaultChannel: 'stable', channels }],
    },
    listText: (_key, yaml) => yaml,
  };
}

/** The blobs of a schema. */
export const blobsOf = ({ files }: CatalogDraft, schema: string): YamlMap[] =>
  files.flatMap(({ blobs }) => blobs).filter((blob) => readValue(blob['schema']) === schema);

export const blobOf = (draft: CatalogDraft, schema: string): YamlMap => blobsOf(draft, schema)[0] ?? {};

/** The bytes of every file. */
export const catalogFiles = ({ files, beside }: CatalogDraft): BesideFile[] => [
  ...files.map(({ path, blobs, encode }) => ({ path, bytes: encode(blobs.map(documentText).join('')) })),
  ...beside,
];

const documentText = (blob: YamlMap): string => `---\n${yamlText(blob)}`;

/** Returns the data of the ConfigMap of a catalog. */
export function configMapData({ lists, listText }: CatalogDraft): Record<string, string> {
  const texts = Object.entries(lists).map(([key, list]) => {
    const yaml = list.length === 0 ? '[]\n' : yamlText(list);
    return [key, listText(key, yaml)] as const;
  });
  return Object.fromEntries(texts.filter((pair): pair is [keyof typeof lists, string] => pair[1] !== undefined));
}
