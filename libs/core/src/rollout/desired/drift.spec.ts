import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { APPLIED_ANNOTATION, driftOf, objectAsApplied, withAppliedNote } from './drift.js';

const asked: KubernetesObject = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: {
    name: 'kafka',
    namespace: 'kafka-system',
    annotations: { 'fleet.flotilla.dev/operator': 'platform/kafka' },
  },
  spec: { channel: 'stable', installPlanApproval: 'Manual', config: { env: [{ name: 'A', value: '1' }] } },
};
const applied = withAppliedNote(asked);
const changed = (spec: object, annotations: object = {}): KubernetesObject =>
  ({
    ...applied,
    metadata: { ...applied.metadata, annotations: { ...applied.metadata.annotations, ...annotations } },
    spec: { ...(applied['spec'] as object), ...spec },
  }) as KubernetesObject;

describe('what others have changed of an object of the fleet', () => {
  it.each<[string, KubernetesObject, string[]]>([
    ['nothing', applied, []],
    ['a field that nobody asked for', changed({ startingCSV: 'kafka.v1' }, { team: 'a' }), []],
    ['a channel', changed({ channel: 'beta' }), ['spec.channel is "beta", not "stable"']],
    ['a field that is gone', changed({ channel: undefined }), ['spec.channel is gone']],
    [
      'an approval that became automatic',
      changed({ installPlanApproval: 'Automatic' }),
      ['spec.installPlanApproval is "Automatic", not "Manual"'],
    ],
    [
      'an item of a list, which counts as a whole',
      changed({ config: { env: [{ name: 'A', value: '2' }] } }),
      ['spec.config.env is [{"name":"A","value":"2"}], not [{"name":"A","value":"1"}]'],
    ],
    [
      'an annotation',
      changed({}, { 'fleet.flotilla.dev/operator': 'other/kafka' }),
      ['metadata.annotations.fleet.flotilla.dev/operator is "other/kafka", not "platform/kafka"'],
    ],
    ['an object without the note', asked, []],
    ['a note that was spoilt', changed({ channel: 'beta' }, { [APPLIED_ANNOTATION]: '[' }), []],
  ])('%s', (_what, live, lines) => {
    expect(driftOf(live)).toEqual(lines);
  });

  it('is mended by applying what was applied last', () => {
    expect(objectAsApplied(changed({ channel: 'beta' }, { team: 'a' }))).toEqual(applied);
    expect(objectAsApplied(asked)).toBeUndefined();
  });

  it('is reported in short where a value is long', () => {
    const [line = ''] = driftOf(changed({ channel: 'x'.repeat(1_000) }));
    expect(line.length).toBeLessThan(200);
  });
});
