import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PackageRecordBuilder } from '#core/catalog/load/package-records';
import type { CatalogBundle } from '#core/catalog/model/catalog';
import type { CatalogBlob } from '#core/catalog/model/catalog-blob';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import type { PackageSummary } from '#core/catalog/model/indexed-package';
import { storedRecord } from '#core/catalog/model/stored-index';
import { decodeCatalogBlob } from '#core/catalog/read/decode-blob';
import { readBlobs } from '#core/catalog/read/read-blobs';
import { placedMessage } from '#core/catalog/validate/catalog-problem';
import { CatalogValidator } from '#core/catalog/validate/validate-catalog';
import { canonicalHash, canonicalJson } from '#core/kernel/canonical/canonical-json';
import { goJson } from '#core/kernel/json/go-json-text';
import { openCatalogTree } from '#platform/files/catalog-tree';
import { LineFile } from './line-file.js';

/** Raise it whenever the same files give other content, records or problems: catalogs are then read again. */
export const READ_VERSION = 2;

export type ReadRequest = Readonly<{
  /** The catalog's files. */
  directory: string;
  /** An empty directory for the output. */
  output: string;
}>;

/** Files of the output directory, each to be stored by its digest. */
export type ReadModel = Readonly<{
  /** Package records, one line of canonical JSON each. */
  records: string;
  summaries: readonly PackageSummary[];
  /** Manifests of bundles without image. */
  inline: readonly string[];
}>;

/**
 * The result of reading a catalog. Plain and small: it crosses a thread boundary, and everything large is in
 * files. A catalog with well-formed blobs has content, even if it is not valid.
 */
export type ReadCatalog =
  | Readonly<{ unreadable: string }>
  /**
   * `content`: every blob as a line of JSON with sorted keys, in load order
   * (spec: v1-catalog.md §1, "Store").
   */
  | Readonly<{ content: string } & ({ problems: readonly string[] } | { model: ReadModel })>;

/** Reads, validates and indexes a catalog in one pass, one blob in memory. */
export async function readCatalog(
  { directory, output }: ReadRequest,
  onWritten: (bytes: number) => void = () => undefined,
): Promise<ReadCatalog> {
  const content = new LineFile(join(output, 'catalog.jsonl'), onWritten);
  const model = new ModelReader(output, onWritten);
  try {
    for (const blob of readBlobs(await openCatalogTree(directory))) {
      content.write(`${goJson(blob.value)}\n`);
      model.take(blob);
    }
  } catch (error) {
    if (error instanceof CatalogLoadError) return { unreadable: error.message };
    throw error;
  } finally {
    content.close();
  }
  const problems = model.problems();
  return { content: content.path, ...(problems.length > 0 ? { problems } : { model: model.finish() }) };
}

/**
 * Collects the parts of a catalog that resolution and installation need, as long as its blobs have the fields
 * of their schemas.
 */
class ModelReader {
  readonly #validator = new CatalogValidator();
  readonly #records = new PackageRecordBuilder((bundle) => this.#digestOfManifests(bundle));
  readonly #inline = new Map<string, string>();
  #misformed: string | undefined;

  constructor(
    private readonly output: string,
    private readonly onWritten: (bytes: number) => void,
  ) {}

  take(blob: CatalogBlob): void {
    if (this.#misformed !== undefined) return;
    try {
      const decoded = decodeCatalogBlob(blob);
      this.#validator.take(decoded);
      this.#records.take(decoded);
    } catch (error) {
      if (!(error instanceof CatalogLoadError)) throw error;
      this.#misformed = error.message;
    }
  }

  problems(): string[] {
    return this.#misformed === undefined ? this.#validator.problems().map(placedMessage) : [this.#misformed];
  }

  finish(): ReadModel {
    const records = new LineFile(join(this.output, 'records.jsonl'), this.onWritten);
    const summaries: PackageSummary[] = [];
    for (const record of this.#records.records()) {
      const { line, summary } = storedRecord(record);
      records.write(line);
      summaries.push(summary);
    }
    records.close();
    return { records: records.path, summaries, inline: [...this.#inline.values()] };
  }

  #digestOfManifests({ objects }: CatalogBundle): string {
    const digest = canonicalHash(objects);
    if (objects.length > 0 && !this.#inline.has(digest)) {
      const path = join(this.output, `inline-${digest}`);
      const bytes = manifestBytes(objects);
      this.onWritten(bytes.length);
      writeFileSync(path, bytes);
      this.#inline.set(digest, path);
    }
    return `sha256:${digest}`;
  }
}

/** Manifests as they are stored: their digest is that of a record's `inline` source. */
export const manifestBytes = (objects: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(objects));
