import { historyLine, withoutRaces } from '../csv-history.js';
import {
  at,
  both,
  drop,
  eachManifest,
  eachStep,
  inEveryKind,
  inKind,
  isList,
  isMap,
  sorted,
  steps,
} from '../dump-edits.js';
import type { Json } from '../recording.js';
import type { Departure } from './departure.js';

/** Differences without meaning, and those that the recordings' own README allows. */
export const IN_EVERY_RECORDING: readonly Departure[] = [
  {
    name: 'step-status',
    because: 'README: Created or Present, depending on whether a second execution came',
    leaveOut: eachStep((step) => at(step, ['status'], (status) => (status === 'Created' ? 'Present' : status))),
  },
  {
    name: 'step-order',
    because: 'README: the order of steps among service accounts; OLM walks a Go map',
    leaveOut: steps(sorted('resource.kind', 'resource.name')),
  },
  {
    name: 'csv-history',
    because: 'README: waiting, requirements still being created, and loops through ComponentUnhealthy',
    leaveOut: inKind('ClusterServiceVersion', (csv) => at(csv, ['status', 'conditions'], settledHistory)),
  },
  {
    name: 'deployment-spec-hash',
    because: "README: a hash of Go's own of the resulting spec",
    leaveOut: inKind('Deployment', drop('metadata', 'labels', 'olm.deployment-spec-hash')),
  },
  {
    name: 'webhook-description-hash',
    because: "a hash of Go's own of the description; ours is another",
    leaveOut: both(
      inKind('ValidatingWebhookConfiguration', drop('metadata', 'labels', 'olm.webhook-description-hash')),
      inKind('MutatingWebhookConfiguration', drop('metadata', 'labels', 'olm.webhook-description-hash')),
    ),
  },
  // Fields without meaning.
  {
    name: 'condition-order',
    because: 'conditions are a map by type: their order says nothing',
    leaveOut: inEveryKind((object) =>
      at(object, ['status', 'conditions'], (list) => (isHistory(list) ? list : sorted('type')(list))),
    ),
  },
  {
    name: 'owner-order',
    because: 'owner references are a set',
    leaveOut: inEveryKind((object) => at(object, ['metadata', 'ownerReferences'], sorted('kind', 'name'))),
  },
  {
    name: 'csv-name-order',
    because: 'OLM lists the CSVs and catalogs of a plan in the order of a Go map (spec: classic-resolution.md §8)',
    leaveOut: inKind('InstallPlan', (plan) =>
      at(at(plan, ['spec', 'clusterServiceVersionNames'], sorted()), ['status', 'catalogSources'], sorted()),
    ),
  },
  {
    name: 'long-manifests',
    because: 'the recordings leave out step manifests over 6000 bytes; ours may be a few bytes longer or shorter',
    leaveOut: eachStep((step) =>
      at(step, ['resource', 'manifest'], (manifest) => (isMap(manifest) ? manifest : '<omitted>')),
    ),
  },
  {
    name: 'zero-values',
    because:
      'OLM writes step manifests from Go structs: zero values that say nothing, some without apiVersion and kind, which the step has',
    leaveOut: eachManifest((manifest) =>
      [['status'], ['apiVersion'], ['kind'], ['metadata', 'creationTimestamp']].reduce(
        (left, path) => at(left, path, () => undefined),
        at(manifest, ['spec', 'cleanup'], (cleanup) =>
          JSON.stringify(cleanup) === '{"enabled":false}' ? null : cleanup,
        ),
      ),
    ),
  },
  {
    name: 'step-namespaces',
    because:
      'OLM writes a namespace into cluster-scoped manifests and leaves it out of some accounts; what is created is compared',
    leaveOut: eachManifest((manifest, kind) =>
      NAMESPACE_VARIES.has(kind) ? at(manifest, ['metadata', 'namespace'], () => undefined) : manifest,
    ),
  },
];

// Written with a namespace, or without, as it comes; the API server puts both right.
const NAMESPACE_VARIES = new Set(['ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition', 'ServiceAccount']);

const isHistory = (list: Json): boolean =>
  isList(list) && list.some((item) => isMap(item) && item['phase'] !== undefined);

function settledHistory(list: Json): Json {
  if (!isList(list)) return list;
  const lines = list.map((item) => (isMap(item) ? historyLine(item['phase'], item['reason'], item['message']) : ''));
  return [...withoutRaces(lines.filter((line, index) => line !== lines[index - 1]))];
}
