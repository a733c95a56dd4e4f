import { describe, expect, it } from 'vitest';
import { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { operatorIn, versionsGroup } from './overrides.js';

const operator = FleetOperator.parse({
  apiVersion: 'fleet.flotilla.dev/v1alpha1',
  kind: 'FleetOperator',
  metadata: { name: 'kafka', namespace: 'platform' },
  spec: {
    package: 'kafka-operator',
    namespace: 'kafka',
    catalog: { name: 'curated' },
    classic: { channel: 'stable', config: { env: [] } },
    versions: { range: '<3.0.0', deny: ['2.4.1'] },
    overrides: [
      { clusters: { selector: { matchLabels: { size: 'small' } } }, config: { resources: {} } },
      { clusters: { expression: "cluster.labels.tier == 'beta'" }, channel: 'beta' },
      { clusters: { selector: { matchLabels: { tier: 'beta' } } }, channel: 'never' },
      { clusters: { expression: "cluster.facts.distribution == 'k3s'" }, range: '<4.0.0' },
    ],
  },
});
const cluster = (labels: Record<string, string>, facts: object = {}) => ({ name: 'c', labels, facts: { ...facts } });

describe('overrides of a FleetOperator', () => {
  it.each([
    ['what is selected by none', cluster({}), 'stable', { env: [] }, '<3.0.0', undefined],
    ['the first match', cluster({ tier: 'beta' }), 'beta', { env: [] }, '<3.0.0', 1],
    [
      'another config alone',
      cluster({ size: 'small', tier: 'beta' }),
      'stable',
      { resources: {} },
      '<3.0.0',
      undefined,
    ],
    ['a fact', cluster({}, { distribution: 'k3s' }), 'stable', { env: [] }, '<4.0.0', 3],
  ])('hold for %s', (_what, selected, channel, config, range, group) => {
    const { classic, versions } = operatorIn(operator, selected).spec;
    expect({ ...classic, ...versions }).toEqual({ channel, config, range, deny: ['2.4.1'] });
    expect(versionsGroup(operator, selected)).toBe(group);
  });

  it('give a ClusterExtension another channel and configuration', () => {
    const { classic: _classic, overrides = [], ...spec } = operator.spec;
    const v1 = { ...operator, spec: { ...spec, api: 'V1' as const, v1: { channels: ['stable'] }, overrides } };
    expect(operatorIn(v1, cluster({ tier: 'beta' })).spec.v1).toEqual({ channels: ['beta'] });
    expect(operatorIn(v1, cluster({ size: 'small' })).spec.v1).toEqual({
      channels: ['stable'],
      config: { resources: {} },
    });
  });

  it('do not hold where nothing is known of the cluster', () => {
    expect(operatorIn(operator, undefined)).toBe(operator);
  });
});
