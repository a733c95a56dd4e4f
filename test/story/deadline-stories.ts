import { beforeAll, expect, it, vi } from 'vitest';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { LONG_PATIENCE, promised } from '#testing/patience';
import { type ExtensionFixture, NEVER_READY_CONFIG, type Puts, packageBlobs } from './extension-fixture.js';

/** A minute passes before anything is late. */
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const NAMESPACE = 'late';

/**
 * Rollouts beyond their deadline (spec: v1-scenarios.md 10 and 43). As in OLM v1's own tests, the cluster's
 * definitions allow one minute in place of ten.
 */
export function describeDeadlines(fixture: () => ExtensionFixture, { bundle, putCatalog }: Puts): void {
  const settings = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: NAMESPACE },
    data: { foo: 'bar' },
  });
  /** A set that waits until its ConfigMap has `marked: yes`. */
  const waitingSet = (name: string) => ({
    ...CLUSTER_OBJECT_SET_API,
    metadata: { name },
    spec: {
      lifecycleState: 'Active',
      collisionProtection: 'Prevent',
      revision: 1,
      progressDeadlineMinutes: 1,
      phases: [{ name: 'only', objects: [{ object: settings(name) }] }],
      progressionProbes: [
        {
          selector: { type: 'GroupKind', groupKind: { group: '', kind: 'ConfigMap' } },
          assertions: [{ type: 'FieldValue', fieldValue: { fieldPath: 'data.marked', value: 'yes' } }],
        },
      ],
    },
  });

  beforeAll(async () => {
    for (const { kind } of [CLUSTER_EXTENSION_API, CLUSTER_OBJECT_SET_API])
      await takeOneMinute(`${kind}s`.toLowerCase());
    await fixture().namespace(NAMESPACE);
    const probe = waitingSet('probe');
    await vi.waitFor(() => fixture().client.create(probe, { dryRun: true }), LONG_PATIENCE);
    const image = await bundle({ name: 'dawdle', version: '1.0.0' });
    await fixture().catalog(
      'dawdles',
      await putCatalog('dawdles', packageBlobs('dawdle', [{ version: '1.0.0', image }])),
    );
    const subscribe = () =>
      fixture().extension(
        'dawdle',
        NAMESPACE,
        { packageName: 'dawdle' },
        { progressDeadlineMinutes: 1, config: NEVER_READY_CONFIG },
      );
    await vi.waitFor(subscribe, LONG_PATIENCE);
    for (const name of ['late-set', 'late-archived']) await fixture().client.create(waitingSet(name));
  });

  async function takeOneMinute(plural: string): Promise<void> {
    const update = async () => {
      const found = await fixture().client.get({ ...CRD, name: `${plural}.olm.operatorframework.io` });
      const text = JSON.stringify(found);
      const lifted = text.replaceAll(/("progressDeadlineMinutes":\{[^}]*"minimum":)10/g, '$11');
      if (lifted === text) throw new Error(`the definition of ${plural} has no minimum of ten minutes any more`);
      await fixture().client.update(JSON.parse(lifted));
    };
    // The API server itself writes the definition, too.
    await vi.waitFor(update, LONG_PATIENCE);
  }

  it('scenario 10: a rollout that never completes is reported a minute after its beginning, with its last status', async () => {
    const late = 'Revision has not rolled out for 1 minute(s). Last status: Revision 1.0.0 is rolling out.';
    await expect
      .poll(() => fixture().condition('dawdle', 'Progressing'), LONG_PATIENCE)
      .toMatch(
        new RegExp(`^False ProgressDeadlineExceeded: ${late.replaceAll(/[().]/g, '\\$&')} Object Deployment.apps/v1 `),
      );
    expect(await fixture().setCondition('dawdle-1', 'Progressing')).toBe(`False ProgressDeadlineExceeded: ${late}`);
    expect(await fixture().condition('dawdle', 'Installed')).toBe('False Absent: No bundle installed');
    const { metadata } = (await fixture().client.get({ ...CLUSTER_EXTENSION_API, name: 'dawdle' })) ?? {};
    const changed = (await fixture().statusOf('dawdle'))?.conditions?.find(({ type }) => type === 'Progressing');
    const seconds =
      (Date.parse(changed?.lastTransitionTime ?? '') - Date.parse(metadata?.creationTimestamp ?? '')) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(60);
    expect(seconds).toBeLessThanOrEqual(60 + promised(60_000).timeout / 1_000);
  });

  it('scenario 43: after its deadline a revision whose probes pass has rolled out all the same', async () => {
    await expect
      .poll(() => fixture().setCondition('late-set', 'Progressing'), LONG_PATIENCE)
      .toMatch(/^False ProgressDeadlineExceeded/);
    await fixture().client.patch(
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'late-set', namespace: NAMESPACE },
      marked,
    );
    await expect
      .poll(() => fixture().setCondition('late-set', 'Progressing'), LONG_PATIENCE)
      .toMatch(/^True Succeeded/);
    await expect.poll(() => fixture().setCondition('late-set', 'Succeeded'), LONG_PATIENCE).toMatch(/^True Succeeded/);
  });
  const marked = { data: { marked: 'yes' } };

  it('a revision that is archived after its deadline takes its objects away', async () => {
    await expect
      .poll(() => fixture().setCondition('late-archived', 'Progressing'), LONG_PATIENCE)
      .toMatch(/^False ProgressDeadlineExceeded/);
    const archived = { spec: { lifecycleState: 'Archived' } };
    await fixture().client.patch({ ...CLUSTER_OBJECT_SET_API, name: 'late-archived' }, archived);
    await expect
      .poll(() => fixture().setCondition('late-archived', 'Progressing'), LONG_PATIENCE)
      .toBe('False Archived: revision is archived');
    expect(await fixture().get('v1', 'ConfigMap', 'late-archived', NAMESPACE)).toBeUndefined();
  });
}
