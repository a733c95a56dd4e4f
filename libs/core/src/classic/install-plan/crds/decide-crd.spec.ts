import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { decideStep } from '../execution/decide-step.js';
import { readsForStep } from '../execution/reads-for-step.js';
import { stepOf } from '../steps/install-plan-step.js';
import { emptyWorld, type StepContext, type StepDecision, withAnswer } from '../steps/step-world.js';

const NOW = '2026-01-01T00:01:00Z';
const crd = (
  versions: readonly Readonly<{ name: string; served?: boolean; storage?: boolean }>[],
  more: Readonly<{ stored?: readonly string[]; managedFields?: readonly object[] }> = {},
): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'tugs.port.example.com',
    resourceVersion: '7',
    ...(more.managedFields === undefined ? {} : { managedFields: more.managedFields }),
  },
  spec: {
    group: 'port.example.com',
    names: { kind: 'Tug', plural: 'tugs' },
    versions: versions.map((version) => ({ served: true, storage: false, ...version })),
  },
  ...(more.stored === undefined ? {} : { status: { storedVersions: more.stored, conditions: [] } }),
});
const NEXT = crd([{ name: 'v1', storage: true }]);
const live = (managedFields?: readonly object[]) =>
  crd(
    [
      { name: 'v1alpha1', served: false },
      { name: 'v1', storage: true },
    ],
    { stored: ['v1alpha1', 'v1'], ...(managedFields === undefined ? {} : { managedFields }) },
  );

function decide(current: KubernetesObject, migrateStoredVersions = true, keepsDefinitions = false): StepDecision {
  const context: StepContext = {
    plan: { name: 'install-1', namespace: 'harbour', startTime: NOW },
    clusterServiceVersionNames: [],
    operatorNamespace: 'olm',
    now: NOW,
    retryTimeoutMs: 60_000,
    migrateStoredVersions,
    keepsDefinitions,
  };
  const step = stepOf(NEXT, { resolving: 'tug.v2', sourceName: 'shelf', sourceNamespace: 'olm' });
  let world = emptyWorld;
  for (let reads = readsForStep(step, context, world); reads.length > 0; reads = readsForStep(step, context, world)) {
    for (const read of reads) world = withAnswer(world, read, read.read === 'get' ? { object: current } : { list: [] });
  }
  return decideStep(step, context, world);
}

describe('a CRD that loses a stored version', () => {
  const rewrite = {
    rewrite: { apiVersion: 'port.example.com/v1', kind: 'Tug' },
    because: { kind: 'Tug', leaving: ['v1alpha1'], storage: 'v1', through: 'v1' },
    afterwards: {
      do: 'updateStatus',
      object: { metadata: { resourceVersion: '7' }, status: { storedVersions: ['v1'], conditions: [] } },
    },
  };

  it('has its objects rewritten first; the status is locked on what was read before', () => {
    expect(decide(live())).toMatchObject(rewrite);
  });

  it.each<[why: string, managedFields: object[], waits: boolean]>([
    ['written a second ago', [{ manager: 'm', time: '2026-01-01T00:00:59Z' }], true],
    ['the latest write counts', [{ time: '2025-01-01T00:00:00Z' }, { time: '2026-01-01T00:00:51Z' }], true],
    ['ten seconds are enough', [{ manager: 'm', time: '2026-01-01T00:00:50Z' }], false],
    ['its status says nothing of versions', [{ subresource: 'status', time: '2026-01-01T00:00:59Z' }], false],
    ['no times', [{ manager: 'm' }], false],
  ])('waits until every API server stores the new version: %s', (_why, managedFields, waits) => {
    const decision = decide(live(managedFields));
    if (!waits) expect(decision).toMatchObject(rewrite);
    else
      expect(decision).toEqual({
        fail: 'CRD "tugs.port.example.com" changed just now: its objects are rewritten in v1 once every API server stores them so',
        patienceMs: 60_000,
      });
  });

  it('is refused without the annotation that allows it, and an event names the way out', () => {
    expect(decide(live(), false)).toMatchObject({
      fail: expect.stringMatching(/is listed as a stored version on the existing CRD$/),
      advice: {
        do: 'emitEvent',
        reason: 'CRDRefused',
        message: expect.stringContaining('flotilla.dev/migrate-stored-versions'),
      },
    });
  });

  it('is replaced at once when the version is stored no more', () => {
    const clean = crd(
      [
        { name: 'v1alpha1', served: false },
        { name: 'v1', storage: true },
      ],
      { stored: ['v1'] },
    );
    expect(decide(clean)).toMatchObject({ actions: [{ do: 'update' }], status: 'Present' });
  });
});

describe('a plan that keeps definitions', () => {
  const kept = (current: KubernetesObject) => decide(current, false, true);
  const noted = (decision: StepDecision): Record<string, string> => {
    const [action] = 'actions' in decision ? decision.actions : [];
    if (action?.do !== 'patch') throw new Error('there is no patch');
    return (action.patch['metadata'] as { annotations: Record<string, string> }).annotations;
  };

  it('leaves a definition that it would have to refuse, and notes its CSV on it', () => {
    expect(decide(live(), false)).toHaveProperty('fail');
    const decision = kept(live());
    expect(decision).toMatchObject({ status: 'Present', actions: [{ ref: { name: 'tugs.port.example.com' } }] });
    expect(Object.values(noted(decision))).toEqual(['harbour/tug.v2']);
  });

  it('writes nothing where that is noted', () => {
    const current = live();
    const metadata = { ...current.metadata, annotations: noted(kept(current)) };
    expect(kept({ ...current, metadata })).toEqual({ actions: [], status: 'Present' });
  });
});
