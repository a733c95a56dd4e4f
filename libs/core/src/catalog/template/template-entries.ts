import { type Decoder, GoTypeError, listOf, struct, text } from '../../kernel/json/go-json.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { CatalogCollector } from '../load/load-catalog.js';
import type { Catalog } from '../model/catalog.js';
import { BlobError, BlobFormError } from '../model/catalog-load.error.js';
import { decodeBlob } from '../read/decode-blob.js';
import { TemplateError } from './template.error.js';
import { firstDocument } from './template-document.js';

/** The fields of a template that holds blobs, as they stand there. */
type EntriesDocument<T> = Readonly<{ entries: readonly unknown[]; rest: T }>;

const ANYTHING: Decoder<unknown> = (value) => value ?? null;

/** Reads `{schema, entries, …}`. `rest` reads the other fields. Throws {@link TemplateError}. */
export function readEntries<T>(input: string, schema: string, rest: Decoder<T>): EntriesDocument<T> {
  const document = withReason('decoding template schema: ', () => firstDocument(input));
  const read = struct('EntriesTemplateData', (field) => ({
    schema: field('schema', text),
    entries: field('entries', listOf(ANYTHING, '*declcfg.Meta')) ?? [],
  }));
  const { schema: said, entries } = withReason('unmarshalling template: ', () => read(document, TOP));
  const others = withReason('unmarshalling template: ', () => rest(document, TOP));
  for (const entry of entries) withReason('unmarshalling template: ', () => checkForm(entry));
  if (said !== schema) {
    throw new TemplateError(`template has unknown schema (${goQuote(said)}), should be ${goQuote(schema)}`);
  }
  return { entries, rest: others };
}

const TOP = { struct: '', path: '' };

/**
 * Checks only for faults that keep an entry from being a blob at all; every other fault shows when it is
 * loaded.
 */
function checkForm(entry: unknown): void {
  try {
    decodeBlob(entry);
  } catch (error) {
    if (error instanceof BlobFormError || !(error instanceof BlobError)) throw error;
  }
}

/**
 * Returns the entries as a catalog. Throws {@link TemplateError} with opm's words about the first that cannot
 * be read.
 */
export function catalogOf(entries: readonly unknown[]): Catalog {
  const collector = new CatalogCollector();
  for (const entry of entries) collector.take(withReason('', () => decodeBlob(entry)));
  return collector.catalog;
}

function withReason<T>(where: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof TemplateError) throw new TemplateError(`${where}${error.olmText}`, error.advice);
    if (error instanceof BlobError) throw new TemplateError(`${where}${error.olmText}`);
    if (error instanceof GoTypeError) throw new TemplateError(`${where}${error.message}`);
    throw error;
  }
}
