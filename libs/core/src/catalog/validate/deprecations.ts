import { goQuote } from '../../kernel/versions/go-quote.js';
import type { DeprecationEntry } from '../model/catalog.js';
import type { CatalogModel, CatalogOutline, ModelPackage } from './catalog-model.js';
import { type CatalogProblem, fatal, placed } from './catalog-problem.js';

/**
 * Puts deprecation messages onto the model's packages, channels and bundles. Yields a problem if opm would
 * stop (spec: file-based-catalogs.md §3.1) and must not be resumed after one.
 */
export function* applyDeprecations(
  model: CatalogModel,
  deprecations: CatalogOutline['deprecations'],
): Generator<CatalogProblem> {
  const seen = new Set<string>();
  for (const [index, { package: name, entries, start }] of deprecations.entries()) {
    if (name === '') {
      yield fatal(
        `package name must be set for deprecation item ${index}`,
        'add "package" to the olm.deprecations blob',
        start,
      );
    }
    const owner = model.packages.get(name);
    if (!owner) {
      yield fatal(
        `cannot apply deprecations to an unknown package ${goQuote(name)}`,
        'correct "package" in the olm.deprecations blob, or remove it',
      );
      return;
    }
    if (seen.has(name)) {
      yield fatal(
        `expected a maximum of one deprecation per package: ${goQuote(name)}`,
        'put all deprecations of the package into one olm.deprecations blob',
        start,
      );
    }
    seen.add(name);
    if (start !== undefined) owner.deprecationsStart = start;
    for (const problem of applyEntries(model, owner, entries ?? [])) yield placed(problem, start);
  }
}

function* applyEntries(
  model: CatalogModel,
  owner: ModelPackage,
  entries: readonly DeprecationEntry[],
): Generator<CatalogProblem> {
  const name = owner.name;
  const references = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const { schema, name: target } = entry.reference;
    if (schema === '') {
      yield fatal(
        `schema must be set for deprecation entry [${index}] for package ${goQuote(name)}`,
        'set reference.schema to olm.package, olm.channel or olm.bundle',
      );
    }
    const reference = `declcfg.PackageScopedReference{Schema:${goQuote(schema)}, Name:${goQuote(target)}}`;
    if (references.has(reference)) {
      yield fatal(
        `duplicate deprecation entry ${reference} for package ${goQuote(name)}`,
        'keep one of the two entries',
      );
    }
    references.add(reference);
    const problem = applyEntry(model, owner, entry, index, reference);
    if (problem) yield problem;
  }
}

function applyEntry(
  model: CatalogModel,
  owner: ModelPackage,
  { reference: { schema, name: target }, message }: DeprecationEntry,
  index: number,
  reference: string,
): CatalogProblem | undefined {
  const name = owner.name;
  switch (schema) {
    case 'olm.bundle':
      return deprecateBundle(model, owner, target, message);
    case 'olm.channel': {
      const channel = owner.channels.get(target);
      if (channel) channel.deprecation = message;
      return channel ? undefined : notFound('channel', target, name);
    }
    case 'olm.package':
      if (target !== '') {
        return fatal(
          `package name must be empty for deprecated package ${goQuote(name)} (specified ${goQuote(target)})`,
          'remove "name" from the reference: "package" of the blob names the package',
        );
      }
      owner.deprecation = message;
      return undefined;
    default:
      return fatal(
        `cannot deprecate object ${reference} referenced by entry ${index} for package ${goQuote(name)}: object schema unknown`,
        'reference.schema is olm.package, olm.channel or olm.bundle',
      );
  }
}

function deprecateBundle(
  model: CatalogModel,
  owner: ModelPackage,
  target: string,
  message: string,
): CatalogProblem | undefined {
  const name = owner.name;
  if (![...owner.channels.values()].some(({ entries }) => entries.has(target))) return notFound('bundle', target, name);
  const ofPackage = model.deprecatedBundles.get(name) ?? new Map<string, string>();
  ofPackage.set(target, message);
  model.deprecatedBundles.set(name, ofPackage);
  return undefined;
}

const notFound = (what: 'bundle' | 'channel', target: string, owner: string): CatalogProblem =>
  fatal(
    `cannot deprecate ${what} ${goQuote(target)} for package ${goQuote(owner)}: ${what} not found`,
    `correct the name in the reference, or remove the entry`,
  );
