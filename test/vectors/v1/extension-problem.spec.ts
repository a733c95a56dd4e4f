import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { CATALOG_NAME_LABEL } from '#core/v1/extension/catalog-query';
import {
  asksCatalog,
  type ExtensionPackage,
  type ExtensionProblem,
  type ExtensionSlice,
  extensionPackage,
  packageContent,
  solveExtension,
} from '#core/v1/extension/extension-problem';
import type { FeatureGates } from '#core/v1/extension/package-content';
import { V1Case } from '../../../apps/cli/src/commands/resolve/v1-case.js';
import { readRows } from './read-rows.js';

type Expected = Readonly<{ class: string; bundle?: string; error?: string; statusInstallBundle?: unknown }>;
type Row = Readonly<{ name: string; featureGates?: FeatureGates; expected: Expected }>;

/** A case as poller, store and resolver see it: slices and records that went through JSON. */
function solved(row: Row): Expected {
  const { spec, installed, catalogs } = V1Case.parse(row);
  const gates = row.featureGates ?? {};
  const query = spec.source.catalog;
  const records = new Map<string, ExtensionPackage>();
  const slices: ExtensionSlice[] = [];
  for (const { name, labels, priority, availabilityMode, serving, metas } of catalogs) {
    if (!asksCatalog(query, { labels: { ...labels, [CATALOG_NAME_LABEL]: name }, availabilityMode })) continue;
    const own = metas.filter((blob) =>
      blob['schema'] === 'olm.package' && !blob['package']
        ? blob['name'] === query.packageName
        : blob['package'] === query.packageName,
    );
    slices.push({ name, priority, ...(serving ? read(own) : { error: `catalog "${name}" is not being served` }) });
  }
  function read(blobs: readonly unknown[]): Pick<ExtensionSlice, 'record' | 'error'> {
    try {
      const text = blobs.map((blob) => JSON.stringify(blob)).join('\n');
      const record = extensionPackage(query.packageName, loadCatalog([{ path: 'a.json', bytes: Buffer.from(text) }]));
      if (record === undefined) return {};
      records.set(canonicalHash(record), JSON.parse(JSON.stringify(record)));
      return { record: canonicalHash(record) };
    } catch (error) {
      if (!(error instanceof CatalogLoadError)) throw error;
      return { error: `error loading package "${query.packageName}": ${error.olmText}` };
    }
  }
  const problem: ExtensionProblem = {
    v: 1,
    extension: { query, installed: installed ?? null, majorUpdates: 'follow', gates },
    catalogs: slices,
  };
  const solution = solveExtension(JSON.parse(JSON.stringify(problem)), (hash) => {
    const record = records.get(hash);
    return record && packageContent(record, gates);
  });
  const answer = JSON.parse(JSON.stringify(solution));
  return answer.class === 'Resolved'
    ? { class: answer.class, bundle: answer.bundle.name, statusInstallBundle: answer.bundle }
    : { class: answer.class, error: answer.error };
}

describe.each(['resolve-named.jsonl', 'resolve-random.jsonl'])(
  'recorded resolutions as problems of the hub: %s',
  (file) => {
    it.each(readRows<Row>(file))('$name', (row) => {
      const { class: is, bundle, error, statusInstallBundle } = row.expected;
      expect(solved(row)).toMatchObject(
        is === 'Resolved'
          ? { class: is, bundle, ...(statusInstallBundle === undefined ? {} : { statusInstallBundle }) }
          : { class: is, error },
      );
    });
  },
);
