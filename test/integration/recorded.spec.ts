import { describe, expect, it } from 'vitest';
import { dumpDifferences } from '../recorded/compare.js';
import { DEPARTURES } from '../recorded/departures/departures.js';
import { describeRecordings } from '../recorded/describe-recordings.js';
import { at, inKind } from '../recorded/dump-edits.js';
import { type Dump, type Json, type JsonObject, readRecording } from '../recorded/recording.js';
import { SCENARIOS } from '../recorded/scenario-table.js';

describeRecordings(SCENARIOS.filter(({ inEveryRun }) => inEveryRun));

describe('the comparison with a recording', () => {
  const recording = readRecording('install-manual');
  const dump = recording?.final ?? {};
  const tampered = (kind: string, key: string, change: (object: JsonObject) => JsonObject | undefined): Dump =>
    inKind(kind, (object, at) => (at === key ? change(object) : object))(dump);
  const field = (path: readonly string[], value: Json) => (object: JsonObject) => at(object, path, () => value);
  const csv = 'install-manual/tugboat-operator.v1.0.0';
  const deployment = 'install-manual/tugboat-manager';

  it.each([
    {
      what: 'nothing but what is allowed',
      ours: tampered('InstallPlan', 'install-manual/install-<1>', field(['metadata', 'generateName'], 'x')),
      reported: [],
    },
    {
      what: 'another phase',
      ours: tampered('ClusterServiceVersion', csv, field(['status', 'phase'], 'Failed')),
      reported: ['phase'],
    },
    {
      what: 'another message',
      ours: tampered('ClusterServiceVersion', csv, field(['status', 'message'], 'done')),
      reported: ['message'],
    },
    {
      what: 'a requirement less',
      ours: tampered('ClusterServiceVersion', csv, field(['status', 'requirementStatus'], [])),
      reported: ['requirementStatus'],
    },
    {
      what: 'another owner',
      ours: tampered('Deployment', deployment, field(['metadata', 'ownerReferences'], [])),
      reported: ['ownerReferences'],
    },
    {
      what: 'a label less',
      ours: tampered('ServiceAccount', deployment, field(['metadata', 'labels'], {})),
      reported: ['labels'],
    },
    { what: 'an object less', ours: tampered('Deployment', deployment, () => undefined), reported: ['Deployment'] },
    {
      what: 'an object more',
      ours: { ...dump, Secret: { 'install-manual/more': { metadata: {}, type: 'x' } } },
      reported: ['Secret'],
    },
  ])('reports $what', ({ ours, reported }) => {
    const found = dumpDifferences('install-manual', 'final', dump, ours).map(({ where }) => where.split(' › ').at(-1));
    expect(found).toEqual(reported);
  });

  it('knows the scenario of every departure', () => {
    const known = new Set(SCENARIOS.map(({ name }) => name));
    expect(DEPARTURES.filter(({ scenario }) => scenario !== undefined && !known.has(scenario))).toEqual([]);
  });
});
