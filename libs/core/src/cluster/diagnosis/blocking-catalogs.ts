import { ADVICE } from '../advice/advice.js';
import type { Diagnosis, Named } from './diagnosis.js';
import { pullAdvice } from './pull-trouble.js';

type Finding = Named & Diagnosis;

const NOT_SERVED = /: catalog "([^"]+)" is not being served/;
const MOST_NAMED = 5;
/**
 * A ClusterCatalog that is not served fails the resolution of every ClusterExtension that asks it, as in OLM
 * v1. The cause is shown once, at the catalog, with the extensions that it blocks.
 */
export function atBlockingCatalogs(findings: readonly Finding[]): Finding[] {
  const catalogs = findings.filter(({ kind, standing }) => kind === 'ClusterCatalog' && standing !== 'well');
  const blockedBy = ({ kind, because }: Finding): Finding | undefined => {
    if (kind !== 'ClusterExtension') return undefined;
    const named = because.map((text) => NOT_SERVED.exec(text)?.[1]).find((name) => name !== undefined);
    return catalogs.find(({ name }) => name === named);
  };
  return findings.map((finding) => {
    const catalog = blockedBy(finding);
    if (catalog !== undefined) return { ...finding, root: { kind: catalog.kind, name: catalog.name } };
    const blocked = findings.filter((one) => blockedBy(one) === finding).map(({ name }) => name);
    if (blocked.length === 0) return finding;
    const { because, todo } = finding;
    return {
      ...finding,
      standing: 'failed',
      because: [...because, blocks(blocked)],
      // If the hub may not, or cannot, reach the registry, the image is not at fault.
      todo: pullAdvice(because.join(' ')) === undefined ? [ADVICE.correctClusterCatalog(), ...todo] : todo,
    };
  });
}

/**
 * The same for CatalogSources, each with the Subscriptions that it blocks: one for several catalogs
 * has its root at the first.
 */
export function atBlockingSources(sources: readonly Finding[], subscriptions: readonly Finding[]): Finding[] {
  const blocked = subscriptions.filter(({ root }) => root?.kind === 'CatalogSource');
  return sources.map((source) => {
    const which = `CatalogSource ${source.namespace}/${source.name} is not ready`;
    const names = blocked
      .filter(({ because }) => because.some((text) => text.startsWith(which)))
      .map(({ namespace, name }) => `${namespace}/${name}`);
    if (names.length === 0) return source;
    return { ...source, because: [...source.because, blocks(names, 'Subscription')] };
  });
}

/** The objects of a kind that a cause stops, the first by name. */
export function blocks(names: readonly string[], kind = 'ClusterExtension'): string {
  const shown = names.toSorted().slice(0, MOST_NAMED).join(', ');
  const rest = names.length - MOST_NAMED;
  return `It blocks ${kind}${names.length === 1 ? '' : 's'} ${shown}${rest > 0 ? ` and ${rest} more` : ''}.`;
}
