import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import type { KindRef } from '#platform/kube/client/kube-client.port';
import { AuditLogs } from '#testing/control-plane/audit-log';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { asUsersMade, changedFields, type StoredObjects } from '../fleet/changed-fields.js';
import { FolderFleet, NAMESPACE, PACKAGES } from '../fleet/folder-fleet.js';

/** Kinds of the objects of an operator in its cluster. */
const KINDS: readonly KindRef[] = [
  ...[CATALOG_SOURCE_API, SUBSCRIPTION_API, OPERATOR_GROUP_API, CSV_API],
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
];
/** The second wave waits for a Promote decision. */
const STRATEGY = JSON.stringify({
  ...{ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetStrategy' },
  metadata: { name: 'careful', namespace: 'fleet' },
  spec: {
    approval: { default: 'Manual' },
    waves: [
      { name: 'first', clusters: { expression: 'cluster.name == "cluster-1"' } },
      { name: 'others', promotion: 'Manual' },
    ],
  },
});
const ROLLOUTS = PACKAGES.map((name) => `${name}-1`);
const DEPENDENCY = 'lighthouse-operator-stable-flotilla-samples-olm';
const ADOPTION = [
  'patch catalogsources olm/flotilla-samples',
  `patch subscriptions ${NAMESPACE}/harbor-operator`,
  `patch subscriptions ${NAMESPACE}/${DEPENDENCY}`,
];

describe('from flotilla up to a fleet, on real API servers with an audit log', () => {
  const endings: (() => Promise<unknown>)[] = [];
  let fleet: FolderFleet;
  let logs: AuditLogs;
  beforeAll(async () => {
    logs = await AuditLogs.open();
    endings.push(() => logs.remove());
    const plane = await startControlPlane({ clusters: 2, apiServerArguments: logs.argumentsOf });
    endings.push(() => plane.stop());
    fleet = await FolderFleet.start(plane.clusters.map(({ kubeconfigPath }) => kubeconfigPath));
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  it('writes nothing to a cluster before its wave, and then only what the design names', async () => {
    await fleet.install();
    const before = await Promise.all(fleet.contexts.map(objectsOf));
    const marks = await Promise.all(fleet.contexts.map(async (name) => (await logs.writes(name)).length));
    expect(Math.min(...marks), 'what was written until now is in the logs').toBeGreaterThan(0);
    /** Objects that Flotilla has written since then, by cluster: each once, without statuses. */
    const written = () =>
      Promise.all(
        fleet.contexts.map(async (name, at) => {
          const since = (await logs.writes(name)).slice(marks[at]).filter(({ by }) => by.startsWith('flotilla'));
          const own = since.filter(({ resource }) => !resource.endsWith('/status'));
          return [...new Set(own.map((one) => `${one.verb} ${one.resource} ${one.namespace}/${one.name}`))].sort();
        }),
      );

    const contexts = fleet.contexts.flatMap((name) => ['--context', name]);
    const exported = await runFlotilla(['fleet', 'export', '--from-clusters', ...contexts, '--out', fleet.files]);
    expect(exported).toMatchObject({ exit: 0, err: expect.stringContaining('2 clusters, 1 catalog, 2 operators') });
    await fleet.writeStrategy(STRATEGY);
    expect(await runFlotilla(['fleet', 'plan', '-f', fleet.files])).toMatchObject({ exit: 0 });
    expect(await written(), 'by export and plan').toEqual([[], []]);

    await fleet.begin('--fleet', fleet.files);
    for (const rollout of ROLLOUTS) await fleet.waitsForApproval(rollout);
    expect(await written(), 'before the approval').toEqual([[], []]);

    for (const rollout of ROLLOUTS) await fleet.approve(rollout);
    await expect
      .poll(() => Promise.all(ROLLOUTS.map(wavesOf)), LONG_PATIENCE)
      .toEqual(ROLLOUTS.map(() => ['Complete', 'AwaitingPromotion', 'Pending']));
    // A line of the log may come after the answer.
    await expect.poll(written, { ...PATIENCE, message: 'before the second wave' }).toEqual([ADOPTION, []]);

    for (const rollout of ROLLOUTS) {
      expect(await fleet.verb('promote', rollout, '--wave', 'others', '--reason', 'CHG-2')).toMatchObject({ exit: 0 });
    }
    await expect
      .poll(() => Promise.all(ROLLOUTS.map(wavesOf)), LONG_PATIENCE)
      .toEqual(ROLLOUTS.map(() => ['Complete', 'Complete', 'Complete']));
    await expect.poll(written, PATIENCE).toEqual([ADOPTION, ADOPTION]);
    for (const [at, name] of fleet.contexts.entries()) {
      await expect
        .poll(() => fleet.reportOf(name), LONG_PATIENCE)
        .toMatchObject({
          operators: PACKAGES.length,
          missingRights: { poller: [], applier: [] },
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'PermissionsSufficient', status: 'True', reason: 'AllGranted' }),
          ]),
        });
      expect(changedFields(before[at] ?? new Map(), await objectsOf(name)).map(withoutKeys)).toEqual([
        'CatalogSource olm/flotilla-samples.metadata.annotations',
        'CatalogSource olm/flotilla-samples.spec.image',
        `Subscription ${NAMESPACE}/harbor-operator.metadata.annotations`,
        `Subscription ${NAMESPACE}/harbor-operator.spec.installPlanApproval`,
        `Subscription ${NAMESPACE}/${DEPENDENCY}.metadata.annotations.fleet.flotilla.dev/…`,
        `Subscription ${NAMESPACE}/${DEPENDENCY}.metadata.annotations.fleet.flotilla.dev/…`,
        `Subscription ${NAMESPACE}/${DEPENDENCY}.spec.installPlanApproval`,
      ]);
    }
  });

  /** The phases of the waves of a rollout, in their order. */
  async function wavesOf(rollout: string): Promise<readonly string[]> {
    const { out } = await fleet.verb('status', rollout, '-o', 'json');
    const { waves } = JSON.parse(out) as Readonly<{ waves: readonly Readonly<{ phase: string }>[] }>;
    return waves.map(({ phase }) => phase);
  }

  async function objectsOf(name: string): Promise<StoredObjects> {
    const lists = await Promise.all(KINDS.map((kind) => fleet.client(name).list(kind)));
    const all = lists.flatMap((list, at) =>
      (list?.items ?? []).map((object) => {
        const { namespace = '', name: own } = object.metadata;
        return [`${KINDS[at]?.kind} ${namespace}/${own}`, asUsersMade(object)] as const;
      }),
    );
    return new Map(all);
  }
});

/** The set of notes is the fleet's own matter. */
const withoutKeys = (path: string): string => path.replace(/(\.fleet\.flotilla\.dev\/).*/, '$1…');
