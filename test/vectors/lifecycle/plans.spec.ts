import { describe, expect, it } from 'vitest';
import { needing, publicData } from '#testing/report/needs';
import { executeToEnd, PlanCluster } from './plans-cluster.js';
import { comparable, planRecordings, recordedShape, replay, stepKey } from './plans-recording.js';

const { recordings, absent } = planRecordings();
it.for(absent)('the plan of %s', needing({ ...publicData(), isThere: false }), () => undefined);
const table = recordings.map((recording) => [recording.scenario, recording] as const);

// OLM lists the service accounts of a CSV in no fixed order: what it generates for them is compared as a set.
const isGenerated = (kind: string): boolean => /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind);

describe.each(table)('the plan of %s', (_name, recording) => {
  const { expected } = recording;
  const { plan, status, steps } = replay(recording);

  it('has the spec, the owners and the catalogs that OLM gave it', () => {
    // A Manual plan was recorded after its approval.
    expect(plan.spec).toEqual({ ...expected.spec, approved: expected.spec.approval === 'Automatic' });
    expect(plan.metadata.ownerReferences?.map(({ uid: _uid, ...owner }) => owner)).toEqual(expected.ownerReferences);
    expect(status.catalogSources).toEqual(expected.catalogSources);
    expect(status.phase).toBe(expected.spec.approval === 'Manual' ? 'RequiresApproval' : 'Installing');
  });

  it('has the steps that OLM gave it, down to names, labels, rules and owners', () => {
    const wanted = new Map(expected.steps.map((step) => [stepKey(step), step]));
    const got = Object.fromEntries(
      steps.map((step) => [stepKey(step.resource), recordedShape(step, wanted.get(stepKey(step.resource)))]),
    );
    const shaped = expected.steps.map((step) => {
      const manifest = step.manifest === undefined ? {} : { manifest: comparable(step.kind, step.manifest) };
      return [stepKey(step), { ...step, ...manifest }] as const;
    });
    expect(got).toEqual(Object.fromEntries(shaped));
    expect(steps).toHaveLength(expected.steps.length);
  });

  it('has them in the order that OLM gave them', () => {
    const order = (list: readonly Readonly<{ kind: string; name: string }>[]) => [
      ...list.filter(({ kind }) => !isGenerated(kind)).map(stepKey),
      '---',
      ...list
        .filter(({ kind }) => isGenerated(kind))
        .map(stepKey)
        .toSorted(),
    ];
    expect(order(steps.map(({ resource }) => resource))).toEqual(order(expected.steps));
  });
});

const withoutAdoption = (labels: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(labels ?? {}).filter(([label]) => !label.startsWith('operators.coreos.com/')));

describe.each(table)('the objects that the plan of %s makes', (_name, recording) => {
  const { plan, status } = replay(recording);
  const approved = { ...status, phase: 'Installing' };

  it('carry the labels, annotations and owners that OLM gave them', () => {
    const cluster = new PlanCluster();
    const earlier = recordings.find(({ scenario, after }) => scenario === recording.after && after === undefined);
    if (earlier !== undefined) executeToEnd(replay(earlier).plan, replay(earlier).status, cluster);
    expect(executeToEnd(plan, approved, cluster).phase).toBe('Complete');
    const made = new Map(
      [...cluster.objects.values()].map((one) => [`${one.kind} ${one.metadata.name ?? ''}`, one.metadata]),
    );
    for (const [name, recorded] of Object.entries(recording.expected.live)) {
      const metadata = made.get(name);
      const annotations = { ...metadata?.annotations };
      if (annotations['olm.generated-by'] === plan.metadata.name) annotations['olm.generated-by'] = 'install-<1>';
      // The replaced CSV was deleted before the end of the recording, and its references with it.
      const owners = metadata?.ownerReferences
        ?.filter((owner) => !earlier?.expected.spec.clusterServiceVersionNames.includes(owner.name))
        .map(({ uid: _uid, ...owner }) => owner);
      expect([name, withoutAdoption(metadata?.labels), annotations, owners ?? []]).toEqual([
        name,
        withoutAdoption(recorded['labels']),
        recorded['annotations'] ?? {},
        recorded['ownerReferences'] ?? [],
      ]);
    }
  });

  it('are the same after a kill at any write and a second run', () => {
    const undisturbed = new PlanCluster();
    executeToEnd(plan, approved, undisturbed);
    const content = (cluster: PlanCluster) =>
      [...cluster.objects].map(
        ([
          key,
          {
            metadata: { resourceVersion: _version, ...metadata },
            ...rest
          },
        ]) => [key, { ...rest, metadata }],
      );
    for (let killAfter = 0; killAfter < undisturbed.writes; killAfter += 1) {
      const cluster = new PlanCluster(killAfter);
      const end = executeToEnd(plan, approved, cluster);
      expect(end.phase).toBe('Complete');
      expect(end.plan?.every((step) => step?.status === 'Created' || step?.status === 'Present')).toBe(true);
      expect(content(cluster)).toEqual(content(undisturbed));
    }
  });
});
