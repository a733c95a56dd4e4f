import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resolution } from '#core/classic/resolution/problem/resolution-problem';
import { resolve } from '#core/classic/resolution/resolve';
import { ApplierBench } from './applier-support/applier-bench.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;

/** The power of a stolen resolver: it writes the solution of a namespace, under the hash of its problem. */
describe('a solution that a stolen resolver wrote into Redis', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const refusals = async () =>
    (await bench.metrics.registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('flotilla_refused_values_total{'));

  async function forge(namespace: string, change: (solution: Resolved) => Resolved): Promise<void> {
    await bench.observe(namespace);
    const observation = await bench.problems.getObservation('east', namespace);
    const hash = observation?.problem ?? '';
    const honest = (await bench.problems.getSolution(hash)) as Resolved;
    expect(honest.result).toBe('resolved');
    await bench.problems.putSolution(hash, change(honest));
  }

  it('with an image that no catalog names installs nothing, and is logged and counted', async () => {
    bench.namespace('victim');
    bench.subscribe('victim', 'harbor-operator');
    await forge('victim', (solution) => ({
      ...solution,
      chosen: solution.chosen.map((bundle) => ({
        ...bundle,
        source: { image: `${bench.registry.host}/flotilla-samples/lighthouse-operator-bundle:v1.0.0` },
      })),
    }));
    await bench.pass('victim');

    expect(bench.cluster.list({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' })).toEqual([]);
    expect(bench.registry.requests.total).toBe(0);
    expect(await refusals()).toEqual(['flotilla_refused_values_total{cluster="east",what="solution"} 1']);
    const logged = bench.logged.filter(({ message }) => message.includes('refused values in Redis'));
    expect(logged.map(({ fields }) => [fields['cluster'], fields['namespace']])).toEqual([['east', 'victim']]);
  });

  it('is removed from the store, so that the honest one that follows is installed', async () => {
    await bench.installed('victim', 'harbor-operator.v1.0.0', 'lighthouse-operator.v1.0.0');
  });

  it('with a bundle of the catalog that nothing asks for installs nothing', async () => {
    bench.namespace('modest');
    bench.subscribe('modest', 'lighthouse-operator');
    await forge('modest', (solution) => ({
      ...solution,
      chosen: [...solution.chosen, ...solution.chosen.map((bundle) => ({ ...bundle, name: 'harbor-operator.v1.0.0' }))],
    }));
    await bench.pass('modest');
    expect(bench.csvs('modest')).toEqual([]);
  });

  it('with an older version than OLM takes installs nothing', async () => {
    bench.publishSecondEdition();
    bench.namespace('outdated');
    bench.subscribe('outdated', 'lighthouse-operator');
    await forge('outdated', (solution) => solution);
    const hash = (await bench.problems.getObservation('east', 'outdated'))?.problem ?? '';
    const problem = await bench.problems.getProblem(hash);
    const record = await bench.problems.getRecord(problem?.catalogs[0]?.packages[0]?.record ?? '');
    if (problem === undefined || record === undefined) throw new Error('nothing was observed');
    const first = record.entries.filter(({ name }) => name === 'lighthouse-operator.v1.0.0');
    const outdated = resolve(problem, () => ({ ...record, entries: first })) as Resolved;
    expect(outdated.chosen.map(({ name }) => name)).toEqual(['lighthouse-operator.v1.0.0']);
    await bench.problems.putSolution(hash, outdated);
    await bench.pass('outdated');
    expect(bench.csvs('outdated')).toEqual([]);
    expect(await bench.problems.getSolution(hash)).toBeUndefined();
  });

  it('with a "no" in words of its own writes no condition and no Event, and is reported', async () => {
    bench.namespace('told');
    bench.subscribe('told', 'lighthouse-operator');
    await bench.observe('told');
    const hash = (await bench.problems.getObservation('east', 'told'))?.problem ?? '';
    const message = 'constraints not satisfiable: log in at https://evil.test';
    await bench.problems.putSolution(hash, { result: 'unsatisfiable', message, explanation: [], advice: message });
    await bench.pass('told');
    for (const [apiVersion, kind] of [
      ['operators.coreos.com/v1alpha1', 'Subscription'],
      ['v1', 'Event'],
    ] as const)
      expect(JSON.stringify(bench.cluster.list({ apiVersion, kind }))).not.toContain('evil.test');
    expect(await bench.problems.getSolution(hash)).toBeUndefined();
    expect(await refusals()).toEqual(['flotilla_refused_values_total{cluster="east",what="solution"} 4']);
  });
});

describe('a problem that a poller with other settings has made', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  it('installs nothing, and the log names the setting and both values, once', async () => {
    bench.namespace('apart');
    bench.subscribe('apart', 'lighthouse-operator');
    await bench.observe('apart');
    const observation = await bench.problems.getObservation('east', 'apart');
    const problem = await bench.problems.getProblem(observation?.problem ?? '');
    if (problem === undefined) throw new Error('nothing was observed');
    const desired = { ...problem.wishes, globalCatalogNamespace: 'others' };
    const hash = await bench.problems.putProblem({ ...problem, wishes: desired }, new Map());
    await bench.problems.putObservation('east', 'apart', { problem: hash });
    await bench.pass('apart');
    await bench.pass('apart');
    expect(bench.csvs('apart')).toEqual([]);
    const logged = bench.logged.filter(({ message }) => message.includes('FLOTILLA_GLOBAL_CATALOG_NAMESPACE'));
    expect(logged.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ cluster: 'east', applier: 'olm', poller: 'others' }),
    ]);
  });
});
