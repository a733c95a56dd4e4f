import { readValue, recordOf, type YamlMap, yamlText } from '../text/yaml-tree.js';
import { type BesideFile, type BundleDraft, type DraftFile, mapAt } from './bundle-draft.js';

/** The bytes of every file of a bundle, in no special order. */
export const bundleFiles = ({ manifests, metadata, beside }: BundleDraft): BesideFile[] => [
  ...[...manifests, ...metadata].map((file) => ({ path: file.path, bytes: bytesOf(file) })),
  ...beside,
];

const bytesOf = ({ tree, encode }: DraftFile): Uint8Array => encode(yamlText(tree));

/** Labels that builders write into every image. */
const OF_BUILDERS = { 'io.buildah.version': '1.33.7', vendor: 'Example' };

/** Labels of the image: annotations that are texts, or the labels of its builder alone. */
export function imageLabels({ metadata, layers }: BundleDraft): Record<string, string> {
  if (layers.labels !== 'of the bundle') return layers.labels === 'none' ? {} : OF_BUILDERS;
  const written = metadata.flatMap(({ tree }) => Object.entries(recordOf(mapAt(tree, 'annotations'))));
  return Object.fromEntries(written.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

/** The manifests in the order of file names, as programs read them that read each. */
export const manifestsInOrder = ({ manifests }: BundleDraft): DraftFile[] =>
  manifests.toSorted((a, b) => (a.path < b.path ? -1 : 1));

/** The name of the bundle in a catalog: that of its CSV, if it has one. */
export function offeredName({ csv, key, version }: BundleDraft): string {
  const name = String(readValue(mapAt(csv.tree['metadata'] === null ? {} : csv.tree, 'metadata')['name']));
  return name === 'undefined' ? `${key}.v${version}` : name;
}

/** Blobs of a file-based catalog with this one bundle, as a catalog's author writes them. */
export function catalogBlobs(draft: BundleDraft, image: string, objects: readonly unknown[] = []): YamlMap[] {
  const { packageName, version } = draft;
  const csv = offeredName(draft);
  const inline = objects.map((object) => ({
    type: 'olm.bundle.object',
    value: { data: Buffer.from(JSON.stringify(object)).toString('base64') },
  }));
  return [
    { schema: 'olm.package', name: packageName, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: packageName, name: 'stable', entries: [{ name: csv }] },
    {
      schema: 'olm.bundle',
      package: packageName,
      name: csv,
      image,
      properties: [{ type: 'olm.package', value: { packageName, version } }, ...inline],
    },
  ];
}
