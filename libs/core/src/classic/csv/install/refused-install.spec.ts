import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { installFailed, stepCsv } from '../step-csv.js';
import { gear, installedDeployments, NOW, world } from '../world/csv-world.fixture.js';
import { podAnnotationsOf, REFUSED_INSTALL_ANNOTATION } from '../world/hub-annotations.js';

const ready = gear('v1', {}, { phase: 'InstallReady', reason: 'AllRequirementsMet', message: 'go' });
const configured = (config: Subscription['spec']['config']): Subscription => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'gear', namespace: 'mill' },
  spec: { name: 'gear', source: 'all', sourceNamespace: 'olm', config },
  status: { installedCSV: ready.metadata.name ?? '' },
});
const WRONG = configured({ env: [{ name: '1 2', value: 'x' }] });
const RIGHT = configured({ env: [{ name: 'ONE', value: 'x' }] });

const annotated = (csv: ClusterServiceVersion, annotations: Record<string, string | null>) => ({
  ...csv,
  metadata: {
    ...csv.metadata,
    annotations: Object.fromEntries(
      Object.entries({ ...csv.metadata.annotations, ...annotations }).filter(([, value]) => value !== null),
    ) as Record<string, string>,
  },
});

/** The CSV after the API server has refused its Deployment. */
function refusedWith(subscription: Subscription, csv = ready): ClusterServiceVersion {
  const step = stepCsv(csv, world({ csvs: [csv], subscriptions: [subscription] }));
  const action = { do: 'create', object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} } } as const;
  const failure = { forbidden: false, reason: 'Invalid', message: 'is invalid', action, installHash: step.installHash };
  const { status, afterwards } = installFailed(csv, failure, NOW);
  const patches = afterwards.flatMap((one) => (one.do === 'patch' ? [one.patch] : []));
  const notes = Object.assign({}, ...patches.map((patch) => Object(patch['metadata']).annotations));
  return { ...annotated(csv, notes), ...(status && { status }) };
}

const next = (csv: ClusterServiceVersion, subscription: Subscription) =>
  stepCsv(csv, world({ csvs: [csv], subscriptions: [subscription] }));

describe('an install that the API server refused', () => {
  it('waits for the pause while nothing was corrected', () => {
    const csv = refusedWith(WRONG);
    expect(csv.status?.reason).toBe('InstallComponentFailed');
    expect(next(csv, WRONG)).toMatchObject({ next: { again: 'later', because: 'the install was refused' } });
    expect(next(csv, WRONG).status).toBeUndefined();
  });

  it('is tried again at once with a corrected config', () => {
    expect(next(refusedWith(WRONG), RIGHT).status).toMatchObject({ phase: 'Pending', reason: 'NeedsReinstall' });
  });

  it('is tried again at once with corrected annotations, which its Pods get', () => {
    const csv = annotated(refusedWith(WRONG), { other: 'yes' });
    expect(next(csv, WRONG).status).toMatchObject({ phase: 'Pending' });
  });

  it('is refused again without a further write of what it remembers', () => {
    const csv = refusedWith(WRONG);
    const again = { ...csv, ...(ready.status && { status: ready.status }) };
    const step = stepCsv(again, world({ csvs: [again], subscriptions: [WRONG] }));
    expect(step.installHash).toBe(csv.metadata.annotations?.[REFUSED_INSTALL_ANNOTATION]);
    expect(refusedWith(WRONG, again).metadata.annotations).toEqual(csv.metadata.annotations);
  });

  it('waits as before if another release of the hub has refused it', () => {
    const csv = annotated(refusedWith(WRONG), { [REFUSED_INSTALL_ANNOTATION]: null });
    expect(next(csv, RIGHT).status).toBeUndefined();
  });

  it('is forgotten after a success, and is no annotation of the Pods', () => {
    const csv = { ...refusedWith(RIGHT), status: { phase: 'Installing', reason: 'InstallSucceeded', message: 'x' } };
    expect(podAnnotationsOf(csv)).toEqual(ready.metadata.annotations);
    const seen = world({ csvs: [csv], subscriptions: [RIGHT] });
    const { status, afterwards } = stepCsv(csv, { ...seen, deployments: installedDeployments(csv, undefined, seen) });
    expect(status?.phase).toBe('Succeeded');
    const patch = { metadata: { annotations: { [REFUSED_INSTALL_ANNOTATION]: null } } };
    expect(afterwards).toContainEqual(expect.objectContaining({ do: 'patch', patch }));
  });
});
