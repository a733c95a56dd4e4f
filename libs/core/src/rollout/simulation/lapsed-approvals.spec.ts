import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '../controller/record/event-log.js';
import { catalogDifferencesOf } from '../review/shown-differences.js';
import { type KafkaScenario, scenarioFrom } from './kafka-scenario.fixture.js';
import { ShownClasses } from './shown-classes.js';
import { simulateChecked } from './simulate-checked.js';

const subject = 'FleetOperator/platform/kafka';
const by = { user: 'anna', groups: ['board'] };
const release = { at: '0s', release: { subject, to: 'kafka-operator.v2.4.0' } };
const approve = (at: string, name: string) => ({
  at,
  decide: { rollout: 'platform/kafka-1', action: 'Approve', class: name, by, reason: 'CHG-1' },
});
const IMAGE = 'image kafka:2.4';
const RIGHT = 'right ClusterRole kafka: get secrets';

function played(given: KafkaScenario) {
  const events: FleetEvent[] = [];
  const summary = simulateChecked(scenarioFrom(given), (event) => events.push(event));
  expect(summary.invariants.violations).toEqual([]);
  const classes = events
    .filter(({ kind }) => kind === 'class')
    .map((event) => `${event.t} ${event.class} ${event.phase} ${event.reason}`);
  const done = summary.clusters.filter(({ installed }) => installed[subject] === 'kafka-operator.v2.4.0');
  return { classes, done: done.map(({ name }) => name), rollout: summary.rollouts[0] };
}
const target = (classes: readonly object[]) => ({ subject, to: 'kafka-operator.v2.4.0', classes });
const strategy = { approval: { default: 'Manual' }, waves: [{ name: 'all', maxConcurrent: 1 }] };

describe('an approval in a simulated fleet of 20 clusters', () => {
  const hostile = 'c-0001';

  it('does not count for clusters in which the plan changes more than its first cluster has shown', () => {
    const names = played({ strategy, clusters: 20, file: { until: '1m', script: [release] } });
    expect(names.rollout?.classes).toHaveLength(1);
    const classes = [
      { name: 'p', clusters: { names: [hostile] }, changes: ['Minor'], differences: [IMAGE] },
      { name: 'p', changes: ['Minor', 'RBACGrowth'], differences: [IMAGE, RIGHT] },
    ];
    const file = { until: '24h', targets: [target(classes)] };
    const one = played({ strategy, clusters: 20, file: { ...file, script: [release, approve('1m', 'p')] } });
    expect(one.done).toEqual([hostile]);
    expect(one.rollout?.classes).toEqual([
      { name: 'p', clusters: 1, changes: ['Minor'], approval: 'Approved' },
      { name: 'p-wider', clusters: 19, changes: ['Minor', 'RBACGrowth'], approval: 'Waiting' },
    ]);
    const script = [release, approve('1m', 'p'), approve('1h', 'p-wider')];
    expect(played({ strategy, clusters: 20, file: { ...file, script } }).done).toHaveLength(20);
  });

  it('does not count for clusters in which a new digest of a catalog changes more fields', () => {
    const shown = new ShownClasses();
    const of = (paths: readonly string[]) =>
      catalogDifferencesOf({
        objects: {
          created: [],
          changed: [['C changes', ...paths.map((path) => `+ ${path}: x`)].join('\n')],
          deleted: [],
        },
      });
    const classOf = (...paths: readonly string[]) => shown.classOf('catalog-1', 'c', of(paths));
    expect(classOf('spec.image')).toBe('c');
    expect(classOf('spec.image', 'spec.priority')).toBe('c-wider');
    expect(classOf('spec.image')).toBe('c');
    expect(classOf('spec.image', 'spec.priority')).toBe('c-wider');
    expect(shown.classOf('catalog-1', 'c', undefined), 'as old scenarios').toBe('c');
  });

  it('lapses once a cluster of the class reports another kind of change, and is asked for again', () => {
    const classes = [
      { name: 'p', clusters: { names: ['late'] }, changes: ['Minor', 'CRDBreaking'], differences: [IMAGE] },
      { name: 'p', changes: ['Minor'], differences: [IMAGE] },
    ];
    const late = { at: '3m', join: { name: 'late', installed: { [subject]: 'kafka-operator.v2.3.0' } } };
    const file = { until: '24h', targets: [target(classes)] };
    const lapsed = played({ strategy, clusters: 20, file: { ...file, script: [release, approve('1m', 'p'), late] } });
    expect(lapsed.classes.map((one) => one.replace(/^\d+ /, ''))).toEqual([
      'p Waiting Manual',
      'p Approved Decision',
      'p Waiting Lapsed',
    ]);
    expect(lapsed.done.length, 'those that had begun').toBeLessThan(8);
    const again = [release, approve('1m', 'p'), late, approve('1h', 'p')];
    expect(played({ strategy, clusters: 20, file: { ...file, script: again } }).done).toHaveLength(21);
  });

  it('is refused for a class that stands twice without differences', () => {
    const file = { script: [release], targets: [target([{ name: 'p' }, { name: 'p', differences: [] }])] };
    expect(() => scenarioFrom({ file })).toThrow('class p is there twice');
  });
});
