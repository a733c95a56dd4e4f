import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { goYaml } from '#core/catalog/write/go-yaml-text';

export type CatalogShape = Readonly<{
  packages: number;
  /** Bundles of each package. */
  bundles: number;
  /** Characters of the description in the CSV metadata of each bundle; 0 leaves the metadata out. */
  textLength: number;
  format: 'json' | 'yaml';
}>;

type Blob = Readonly<Record<string, unknown>>;
type Random = () => number;

const SEED = 2026;
const WORDS =
  'operator cluster namespace deployment upgrade channel bundle manifest webhook certificate storage backup restore metrics — “quoted” größer'.split(
    ' ',
  );

/** Writes a valid catalog into a directory, in one file; the same shape gives the same bytes. */
export async function generateCatalog(directory: string, shape: CatalogShape): Promise<void> {
  await mkdir(directory, { recursive: true });
  await pipeline(Readable.from(texts(shape)), createWriteStream(join(directory, `catalog.${shape.format}`)));
}

function* texts({ format, ...shape }: CatalogShape): Generator<string> {
  const random = mulberry32(SEED);
  for (let number = 0; number < shape.packages; number += 1) {
    const blobs = packageBlobs(`package-${number}`, number, shape, random);
    yield blobs
      .map((blob) => (format === 'json' ? `${JSON.stringify(blob, null, 4)}\n` : `---\n${goYaml(blob)}`))
      .join('');
  }
}

function packageBlobs(name: string, number: number, shape: Omit<CatalogShape, 'format'>, random: Random): Blob[] {
  const versions = Array.from({ length: shape.bundles }, (_, minor) => `1.${minor}.0`);
  const names = versions.map((version) => `${name}.v${version}`);
  const entries = names.map((bundle, at) => (at === 0 ? { name: bundle } : { name: bundle, replaces: names[at - 1] }));
  return [
    { schema: 'olm.package', name, defaultChannel: 'stable', description: words(random, 300) },
    { schema: 'olm.channel', package: name, name: 'stable', entries },
    { schema: 'olm.channel', package: name, name: 'fast', entries: entries.slice(Math.floor(entries.length / 2)) },
    ...versions.map((version) => bundleBlob({ name, number, version, textLength: shape.textLength, random })),
  ];
}

type BundleShape = Readonly<{ name: string; number: number; version: string; textLength: number; random: Random }>;

function bundleBlob({ name, number, version, textLength, random }: BundleShape): Blob {
  const image = `registry.example/${name}/bundle@sha256:${hex(random, 64)}`;
  const metadata = {
    displayName: `Package ${number}`,
    description: words(random, textLength),
    keywords: words(random, 60).split(' '),
    installModes: [{ type: 'AllNamespaces', supported: true }],
    provider: { name: 'Example', url: 'https://example.com' },
  };
  return {
    schema: 'olm.bundle',
    package: name,
    name: `${name}.v${version}`,
    image,
    properties: [
      { type: 'olm.package', value: { packageName: name, version } },
      { type: 'olm.gvk', value: { group: 'bench.example', kind: `Kind${number}`, version: 'v1' } },
      ...(number % 10 === 0
        ? [{ type: 'olm.gvk.required', value: { group: 'bench.example', kind: `Kind${number + 1}`, version: 'v1' } }]
        : []),
      ...(textLength > 0 ? [{ type: 'olm.csv.metadata', value: metadata }] : []),
    ],
    relatedImages: [
      { name: 'bundle', image },
      { name: 'operator', image: `registry.example/${name}/operator@sha256:${hex(random, 64)}` },
    ],
  };
}

function words(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += `${WORDS[Math.floor(random() * WORDS.length)] ?? ''} `;
  return text.slice(0, length).trimEnd();
}

const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');

/** A small generator of numbers from 0 up to 1, the same for the same seed. */
function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
