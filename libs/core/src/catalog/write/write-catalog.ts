import { Buffer, isAscii } from 'node:buffer';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { foldCase } from '../../kernel/json/go-json.js';
import { indentedJson } from '../../kernel/json/go-json-text.js';
import { recordWithSortedKeys } from '../../kernel/json/sorted-keys.js';
import type {
  Catalog,
  CatalogBundle,
  CatalogChannel,
  CatalogDeprecation,
  CatalogPackage,
  Property,
} from '../model/catalog.js';
import { type BlobConsumer, blobsOf, detached } from '../read/blob-consumer.js';
import type { DecodedBlob } from '../read/decode-blob.js';
import { type ByteShelf, MemoryShelf } from './byte-shelf.js';
import { goYaml } from './go-yaml-text.js';

type Json = Readonly<Record<string, unknown>>;

/** The output forms of catalogs (spec: file-based-catalogs.md §4). */
export type CatalogFormat = 'json' | 'yaml';

const DELETE = 0x7f;

/** Writes the blobs of a catalog as JSON, one indented object after the other. */
export const catalogToJson = (catalog: Catalog): string => catalogText(catalog, 'json');

/** Writes the blobs of a catalog as YAML documents, keys sorted, `---` before each. */
export const catalogToYaml = (catalog: Catalog): string => catalogText(catalog, 'yaml');

function catalogText(catalog: Catalog, format: CatalogFormat): string {
  const writer = new CatalogWriter(format);
  for (const blob of blobsOf(catalog)) writer.take(blob);
  return Buffer.concat([...writer.parts()]).toString();
}

/**
 * Writes a catalog from blobs that come one at a time. A shelf keeps each as the bytes to write: the order is
 * known only at the end. By package name: package, channels, bundles, other blobs, deprecations; blobs
 * without a package come last. Fields stand in the order of the schema, empty optional ones are left out.
 */
export class CatalogWriter implements BlobConsumer {
  readonly #written: { place: BlobPlace; piece: number }[] = [];
  #encoded = Buffer.alloc(0);

  /** `shown` is applied to the text of each blob. It leaves printable ASCII as it is. */
  constructor(
    private readonly format: CatalogFormat,
    private readonly shown: (text: string) => string = (text) => text,
    private readonly shelf: ByteShelf = new MemoryShelf(),
  ) {}

  take(decoded: DecodedBlob): void {
    const place = placeOf(decoded);
    if (place === undefined) return;
    this.#written.push({ place: detached(place), piece: this.shelf.put(this.#bytesOf(blobJson(decoded))) });
  }

  #bytesOf(json: Json): Buffer {
    if (this.format === 'yaml') return this.#encode(this.shown(`---\n${goYaml(json)}`));
    const text = `${indentedJson(json)}\n`;
    const bytes = this.#encode(text);
    // JSON escapes all other control characters of ASCII.
    return isAscii(bytes) && !bytes.includes(DELETE) ? bytes : this.#encode(this.shown(text));
  }

  /**
   * Encodes into one buffer for all blobs. Otherwise each blob would be garbage outside the heap, and V8
   * collects that late.
   */
  #encode(text: string): Buffer {
    const length = Buffer.byteLength(text);
    if (this.#encoded.length < length) this.#encoded = Buffer.allocUnsafeSlow(length);
    return this.#encoded.subarray(0, this.#encoded.write(text));
  }

  /** The bytes of the catalog, blob by blob; each is used before the next is asked for. */
  *parts(): Generator<Uint8Array> {
    for (const { piece } of this.#written.toSorted((a, b) => byPlace(a.place, b.place))) yield this.shelf.get(piece);
  }
}

/** The place of a blob in the output. Blobs of the same place keep their order. */
type BlobPlace = Readonly<{ package: string; kind: number; name: string }>;

const KINDS = ['package', 'channel', 'bundle', 'other', 'deprecation'];

const byPlace = (a: BlobPlace, b: BlobPlace): number =>
  Number(a.package === '') - Number(b.package === '') ||
  byCodeUnit(a.package, b.package) ||
  a.kind - b.kind ||
  byCodeUnit(a.name, b.name);

/** Returns undefined for a blob that is not written: one of OLM's own schemas that names no package. */
function placeOf(decoded: DecodedBlob): BlobPlace | undefined {
  const kind = KINDS.indexOf(decoded.kind);
  if (decoded.kind === 'other') {
    const owner = textField(decoded.blob, 'package');
    return { package: owner, kind, name: owner === '' ? '' : textField(decoded.blob, 'schema') };
  }
  const owner = decoded.kind === 'package' ? decoded.blob.name : decoded.blob.package;
  const name = decoded.kind === 'channel' || decoded.kind === 'bundle' ? decoded.blob.name : '';
  return owner === '' ? undefined : { package: owner, kind, name };
}

function blobJson(decoded: DecodedBlob): Json {
  switch (decoded.kind) {
    case 'package':
      return packageJson(decoded.blob);
    case 'channel':
      return channelJson(decoded.blob);
    case 'bundle':
      return bundleJson(decoded.blob);
    case 'deprecation':
      return deprecationJson(decoded.blob);
    case 'other':
      return recordWithSortedKeys(decoded.blob);
  }
}

/** Returns a text field of a blob. Names may be written in any case. */
function textField(blob: Json, name: string): string {
  const key = Object.keys(blob).find((one) => foldCase(one) === name);
  const value = key === undefined ? undefined : blob[key];
  return typeof value === 'string' ? value : '';
}

/** Returns the field, or nothing when it is empty. */
const filled = (name: string, value: string | readonly unknown[] | undefined): Json =>
  value === undefined || value.length === 0 ? {} : { [name]: value };

const propertyJson = ({ type, value }: Property): Json => ({ type, value: value ?? null });

const packageJson = (blob: CatalogPackage): Json => ({
  schema: blob.schema,
  name: blob.name,
  defaultChannel: blob.defaultChannel,
  ...(blob.icon && { icon: { base64data: blob.icon.base64data, mediatype: blob.icon.mediatype } }),
  ...filled('description', blob.description),
  ...filled('properties', blob.properties?.map(propertyJson)),
});

const channelJson = (blob: CatalogChannel): Json => ({
  schema: blob.schema,
  name: blob.name,
  package: blob.package,
  entries:
    blob.entries?.map(({ name, replaces, skips, skipRange }) => ({
      name,
      ...filled('replaces', replaces),
      ...filled('skips', skips),
      ...filled('skipRange', skipRange),
    })) ?? null,
  ...filled('properties', blob.properties?.map(propertyJson)),
});

const bundleJson = (blob: CatalogBundle): Json => ({
  schema: blob.schema,
  ...filled('name', blob.name),
  ...filled('package', blob.package),
  image: blob.image,
  ...filled('properties', blob.properties.map(propertyJson)),
  ...filled(
    'relatedImages',
    blob.relatedImages.map(({ name, image }) => ({ name, image })),
  ),
});

const deprecationJson = (blob: CatalogDeprecation): Json => ({
  schema: blob.schema,
  package: blob.package,
  entries:
    blob.entries?.map(({ reference, message }) => ({
      reference: { schema: reference.schema, ...filled('name', reference.name) },
      message,
    })) ?? null,
});
