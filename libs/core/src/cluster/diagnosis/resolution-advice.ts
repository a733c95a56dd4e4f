import { componentLabel } from '../../classic/operators/component-label.js';
import { PROPERTIES_ANNOTATION } from '../../classic/resolution/problem/desired-namespace.js';
import type { Reason } from '../../classic/resolution/problem/resolution-problem.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { csvName, isCopied } from '../../kernel/api/csv-facts.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { asList, asRecord } from '../../kernel/crd/loose-value.js';
import { nearestNames } from '../../kernel/text/did-you-mean.js';
import { ADVICE, type Advice } from '../advice/advice.js';

/** The objects of the namespace that cannot be resolved. */
export type ResolvedObjects = Readonly<{
  subscriptions: readonly Subscription[];
  csvs: readonly ClusterServiceVersion[];
}>;

/**
 * Returns commands for conflicting Subscriptions of one package, for a ClusterServiceVersion without a
 * Subscription, and for a channel that does not exist. The commands name the Subscription that holds nothing,
 * and the one that should hold it. Empty for other reasons.
 */
export function resolutionAdvice(explanation: readonly Reason[], objects: ResolvedObjects): readonly Advice[] {
  const own = objects.csvs.filter((csv) => !isCopied(csv));
  const within = { ...objects, csvs: own };
  const orphans = explanation.filter(({ kind, facts }) => kind === 'installed' && facts['left'] === undefined);
  const adopted = orphans.flatMap(({ subject }) => adopt(subject, within));
  // If the orphan is adopted, the other Subscriptions block its adopter.
  if (adopted.length > 0) return [...new Set(adopted)];
  const packages = new Set(explanation.flatMap(sharedPackages));
  const fewer = [...packages].sort(byCodeUnit).flatMap((name) => dropOthers(name, within));
  return fewer.length > 0 ? fewer : explanation.flatMap(channelOf);
}

/** Requests a channel that exists, if a channel is missing and one other channel is meant. */
function channelOf({ kind, subject, facts, because }: Reason): readonly Advice[] {
  const [missing, ...others] = because;
  if (kind !== 'subscription' || missing?.facts['lacks'] !== 'channel' || others.length > 0) return [];
  const { package: packageName = '', channel = '', has = '' } = missing.facts;
  const channels = has.split(', ').filter((name) => name !== '');
  const [meant, ...further] = channels.length === 1 ? channels : nearestNames(channel, channels);
  if (meant === undefined || further.length > 0) return [];
  return [ADVICE.setChannel({ namespace: facts['namespace'] ?? '', name: subject }, packageName, meant)];
}

function sharedPackages({ kind, facts, because }: Reason): readonly string[] {
  const own = kind === 'same-package' && facts['shared'] !== undefined ? [facts['shared']] : [];
  return [...own, ...because.flatMap(sharedPackages)];
}

/** Lets the oldest Subscription of its package hold a ClusterServiceVersion that none holds. */
function adopt(name: string, { subscriptions, csvs }: ResolvedObjects): readonly Advice[] {
  const csv = csvs.find((one) => csvName(one) === name);
  if (csv === undefined || csvs.some(({ spec }) => spec.replaces === name)) return [];
  const [first, ...others] = subscriptions
    .filter((one) => isOfPackage(csv, one.spec.name) && !holds(one, csvs))
    .toSorted(oldestFirst);
  if (first === undefined) return [];
  const { metadata } = first;
  return [
    ADVICE.adoptOperator(metadata.namespace ?? '', metadata.name ?? '', name),
    ...others.map(dropped(metadata.name ?? '')),
  ];
}

/**
 * Advises to delete the Subscriptions of a package, except the oldest one that holds a CSV. If none holds
 * one, the oldest is kept.
 */
function dropOthers(packageName: string, { subscriptions, csvs }: ResolvedObjects): readonly Advice[] {
  const alike = subscriptions.filter(({ spec }) => spec.name === packageName).toSorted(oldestFirst);
  const kept = alike.find((one) => holds(one, csvs)) ?? alike[0];
  if (kept === undefined) return [];
  return alike.filter((one) => one !== kept).map(dropped(kept.metadata.name ?? ''));
}

const dropped =
  (kept: string) =>
  ({ metadata: { name = '', namespace = '' } }: Subscription): Advice =>
    ADVICE.dropSecond(namespace, name, kept);

const holds = ({ status }: Subscription, csvs: readonly ClusterServiceVersion[]): boolean =>
  csvs.some((csv) => csvName(csv) === status?.installedCSV);

const oldestFirst = ({ metadata: a }: Subscription, { metadata: b }: Subscription): number =>
  byCodeUnit(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || byCodeUnit(a.name ?? '', b.name ?? '');

/** True if a CSV belongs to the package, by the label of its parts or by the properties of its bundle. */
function isOfPackage({ metadata }: ClusterServiceVersion, packageName: string): boolean {
  if (metadata.labels?.[componentLabel(packageName, metadata.namespace ?? '')] !== undefined) return true;
  return propertiesIn(metadata.annotations?.[PROPERTIES_ANNOTATION] ?? '').some(
    (property) =>
      asRecord(property)['type'] === 'olm.package' &&
      asRecord(asRecord(property)['value'])['packageName'] === packageName,
  );
}

function propertiesIn(annotation: string): readonly unknown[] {
  try {
    return asList(asRecord(JSON.parse(annotation))['properties']);
  } catch {
    return [];
  }
}
