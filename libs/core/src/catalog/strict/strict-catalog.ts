import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Catalog, CatalogDeprecation } from '../model/catalog.js';
import { bundleFindings } from './strict-bundle.js';
import { unmetDependencies } from './strict-dependencies.js';
import { nearest } from './strict-nearest.js';
import { propertyFindings } from './strict-properties.js';
import { type StrictFinding, type StrictWarning, warningsAbout } from './strict-warning.js';
import { textField } from './text-field.js';

/**
 * Lists content that opm accepts and that causes trouble: bundles that no cluster takes, dependencies that
 * OLM cannot read or that no bundle can satisfy, unknown property types, deprecations without a message,
 * blobs that cannot be served. In the catalog's own order; the catalog need not be valid.
 */
export function strictWarnings(catalog: Catalog): StrictWarning[] {
  return [
    ...catalog.bundles.flatMap((bundle) =>
      warningsAbout(bundle, [...bundleFindings(bundle), ...propertyFindings(bundle.properties)]),
    ),
    ...unmetDependencies(catalog),
    ...catalog.deprecations.flatMap((blob) => warningsAbout({ ...blob, name: '' }, deprecationFindings(catalog, blob))),
    ...catalog.others.flatMap(customWarnings),
  ];
}

function deprecationFindings(
  catalog: Catalog,
  { package: owner, entries: listed }: CatalogDeprecation,
): StrictFinding[] {
  const entries = listed ?? [];
  const blank = entries.flatMap(({ reference, message }, index) =>
    message !== '' && message.trim() === ''
      ? [{ message: `entries[${index}] (${reference.schema} ${reference.name}): the message is blank`, advice: TELL }]
      : [],
  );
  const byDefault = catalog.packages.find(({ name }) => name === owner)?.defaultChannel;
  const channel = entries.find(({ reference }) => reference.schema === 'olm.channel' && reference.name === byDefault);
  return [
    ...(entries.length === 0
      ? [{ message: 'entries are empty: nothing is deprecated', advice: 'add entries, or remove the blob' }]
      : []),
    ...blank,
    ...(channel === undefined
      ? []
      : [
          {
            message: `the default channel ${goQuote(channel.reference.name)} is deprecated, and Subscriptions without a channel use it`,
            advice: 'set "defaultChannel" of the package to a channel that stays',
          },
        ]),
  ];
}

const TELL = 'name the alternative for users';

const SCHEMAS = ['olm.package', 'olm.channel', 'olm.bundle', 'olm.deprecations'];
/** Names that a server can be asked for (spec: file-based-catalogs.md §8). */
const SERVABLE = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;

function customWarnings(blob: Readonly<Record<string, unknown>>): StrictWarning[] {
  const [schema, owner, name] = ['schema', 'package', 'name'].map((field) => textField(blob, field));
  const findings: StrictFinding[] = [];
  if (schema?.startsWith('olm.')) {
    const meant = nearest(schema, SCHEMAS);
    findings.push({
      message: `OLM knows no schema ${goQuote(schema)}`,
      advice: meant === undefined ? `its schemas are ${SCHEMAS.join(', ')}` : `write ${goQuote(meant)}`,
    });
  }
  for (const [what, text = ''] of [
    ['schema', schema],
    ['package', owner],
  ] as const) {
    if (text === '' || SERVABLE.test(text)) continue;
    findings.push({
      message: `a catalog with ${what} ${goQuote(text)} cannot be served over gRPC`,
      advice: 'use letters, digits, ".", "_" and "-" only',
    });
  }
  return warningsAbout({ schema: schema ?? '', package: owner ?? '', name: name ?? '' }, findings);
}
