import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { CatalogCollector } from '../load/load-catalog.js';
import type { CatalogBlob } from '../model/catalog-blob.js';
import type { DecodedBlob } from '../read/decode-blob.js';
import { strictWarnings } from './strict-catalog.js';
import { unknownFields } from './strict-fields.js';
import { schemaFindings } from './strict-schema.js';
import { type StrictWarning, warningsAbout } from './strict-warning.js';

/**
 * A warning with the place of the blob concerned, `path:line` below the catalog's root. Empty if the place is
 * not known.
 */
export type PlacedWarning = StrictWarning & Readonly<{ place: string }>;

type Place = Readonly<{ path: string; line: number }>;
type Placed = Readonly<{ warning: StrictWarning; place: Place }>;
type Identity = Readonly<{ schema: string; package: string; name: string }>;

const NOWHERE: Place = { path: '', line: 0 };

/** A root without any blob: opm takes it for a catalog without packages. */
const EMPTY: PlacedWarning[] = warningsAbout({ schema: 'catalog', package: '', name: '' }, [
  { message: 'it has no package', advice: 'name the root of a file-based catalog' },
]).map((warning) => ({ ...warning, place: '' }));

/**
 * Finds all strict warnings of a catalog that is read blob by blob: see {@link strictWarnings}
 * and {@link unknownFields}.
 */
export class StrictValidator {
  readonly #places = new Map<string, Place>();
  readonly #dropped: Placed[] = [];
  readonly #collector = new CatalogCollector();

  take({ path, line, value, ...meta }: CatalogBlob, decoded: DecodedBlob): void {
    const identity = identityOf(meta);
    const place = { path, line };
    // Names the first of several blobs with one identity: such a catalog is invalid anyway.
    if (!this.#places.has(keyOf(identity))) this.#places.set(keyOf(identity), place);
    const findings = [...unknownFields(meta.schema, value), ...schemaFindings(meta.schema, value)];
    for (const warning of warningsAbout(identity, findings)) {
      this.#dropped.push({ warning, place });
    }
    this.#collector.take(decoded);
  }

  /** Returns the warnings by file and line. */
  warnings(): PlacedWarning[] {
    if (this.#places.size === 0) return EMPTY;
    const found = strictWarnings(this.#collector.catalog).map((warning) => ({
      warning,
      place: this.#places.get(keyOf(warning)) ?? NOWHERE,
    }));
    return [...this.#dropped, ...found]
      .sort((a, b) => byCodeUnit(a.place.path, b.place.path) || a.place.line - b.place.line)
      .map(({ warning, place: { path, line } }) => ({ ...warning, place: path === '' ? '' : `${path}:${line}` }));
  }
}

/** Returns the identity of a blob. For schemas with one blob per package, it is the package alone. */
function identityOf({ schema, package: owner, name }: Identity): Identity {
  if (schema === 'olm.package') return { schema, package: name, name: '' };
  return { schema, package: owner, name: schema === 'olm.deprecations' ? '' : name };
}

const keyOf = ({ schema, package: owner, name }: Identity): string => JSON.stringify([schema, owner, name]);
