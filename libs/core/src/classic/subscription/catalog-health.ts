/**
 * Usage: `withCatalogHealth(subscription, sourcesInSight, now)` for each Subscription; write if `changed`.
 */
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { CATALOG_SOURCE_API } from '../../kernel/api/catalog-source.js';
import type { CatalogHealth, Subscription } from '../../kernel/api/subscription.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import {
  changeTo,
  type SubscriptionChange,
  statusOf,
  type WantedCondition,
  withCondition,
} from './subscription-change.js';

const SERVING: ReadonlySet<string> = new Set(['READY', 'IDLE']);

/**
 * A catalog that has a valid spec and content to serve (why: catalogs.md "`connectionState` without a pod").
 */
export const isHealthy = ({ status }: CatalogSource): boolean =>
  status?.reason !== 'SpecInvalidError' && SERVING.has(status?.connectionState?.lastObservedState ?? '');

const keyOf = ({ catalogSourceRef: ref }: CatalogHealth): string => `${ref.namespace ?? ''}/${ref.name ?? ''}`;

/**
 * OLM compares entries by uid and health; times and resourceVersions do not count (spec: api-types.md §3).
 */
const sameHealth = (a: CatalogHealth, b: CatalogHealth): boolean =>
  a.healthy === b.healthy && a.catalogSourceRef.uid === b.catalogSourceRef.uid && keyOf(a) === keyOf(b);

/**
 * Returns status.catalogHealth: every catalog visible to the namespace, sorted by namespace and name. Equal
 * entries of `previous` are kept with their time. Spec: catalog-sources.md §8.
 */
function catalogHealthOf(
  sources: readonly CatalogSource[],
  previous: readonly CatalogHealth[],
  now: string,
): CatalogHealth[] {
  const fresh = sources.map((source): CatalogHealth => {
    const { name, namespace, uid, resourceVersion } = source.metadata;
    const catalogSourceRef = { ...CATALOG_SOURCE_API, name, namespace, uid, resourceVersion };
    return {
      catalogSourceRef: withoutUndefined(catalogSourceRef),
      healthy: isHealthy(source),
      lastUpdated: kubernetesTime(now),
    };
  });
  return fresh
    .toSorted((a, b) => byCodeUnit(keyOf(a), keyOf(b)))
    .map((entry) => previous.find((old) => sameHealth(old, entry)) ?? entry);
}

const withoutUndefined = (ref: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(ref).filter((entry): entry is [string, string] => entry[1] !== undefined));

const NONE_AT_ALL = 'dependency resolution requires at least one catalogsource';

type Verdict = Readonly<{ status: 'True' | 'False'; reason: string; message: string }>;

/** Names that fill a line; the list itself is in status.catalogHealth. */
const NAMES_SHOWN = 3;

function unhealthyText(others: readonly CatalogHealth[]): string {
  const names = others.slice(0, NAMES_SHOWN).map(keyOf).join(', ');
  const more = others.length > NAMES_SHOWN ? ` and ${others.length - NAMES_SHOWN} more` : '';
  return `catalogsource${others.length === 1 ? '' : 's'} ${names}${more} unhealthy`;
}

/**
 * Returns the verdict of the list by itself (spec: subscriptions.md §4, first table). If the unhealthy
 * catalogs are others than that of the Subscription, OLM keeps the former message, mostly that all are
 * healthy.
 */
function verdictOn(health: readonly CatalogHealth[], { spec }: Subscription): Verdict {
  const target = `${spec.sourceNamespace}/${spec.source}`;
  const targeted = health.find((entry) => keyOf(entry) === target);
  const unhealthy = (message: string): Verdict => ({ status: 'True', reason: 'UnhealthyCatalogSourceFound', message });
  if (targeted === undefined) return unhealthy(`targeted catalogsource ${target} missing`);
  if (!targeted.healthy) return unhealthy(`targeted catalogsource ${target} unhealthy`);
  const others = health.filter(({ healthy }) => !healthy);
  if (others.length > 0) return unhealthy(unhealthyText(others));
  return { status: 'False', reason: 'AllCatalogSourcesHealthy', message: 'all available catalogsources are healthy' };
}

/**
 * For one sync the reason names the change against the stored list. The next sync settles to the verdict's
 * own reason.
 */
function conditionOf(verdict: Verdict, health: readonly CatalogHealth[], previous: readonly CatalogHealth[]): Verdict {
  if (health.length > previous.length) return { ...verdict, reason: 'CatalogSourcesAdded' };
  if (health.length < previous.length) return { ...verdict, reason: 'CatalogSourcesDeleted' };
  if (health.length === 0) return { ...verdict, reason: 'NoCatalogSourcesFound', message: NONE_AT_ALL };
  const same = previous.every((old) => health.some((entry) => sameHealth(old, entry)));
  return same ? verdict : { ...verdict, reason: 'CatalogSourcesUpdated' };
}

/**
 * Sets catalogHealth and the condition CatalogSourcesUnhealthy, from the catalogs visible to the namespace
 * (its own and the global namespace's). Spec: subscriptions.md §4.
 */
export function withCatalogHealth(
  subscription: Subscription,
  sources: readonly CatalogSource[],
  now: string,
): SubscriptionChange {
  const before = statusOf(subscription);
  const previous = before.catalogHealth ?? [];
  const health = catalogHealthOf(sources, previous, now);
  const wanted: WantedCondition = {
    type: 'CatalogSourcesUnhealthy',
    ...conditionOf(verdictOn(health, subscription), health, previous),
  };
  const listed =
    health.length === 0 && before.catalogHealth === undefined ? before : { ...before, catalogHealth: health };
  return changeTo(subscription, withCondition(listed, wanted, now), now);
}
