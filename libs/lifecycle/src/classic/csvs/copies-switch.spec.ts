import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { copiesStage } from './copies.stage.js';
import { lampCsv, SUCCEEDED } from './csvs.fixture.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.put(objectOf('Namespace', 'vault'));
  at.put(objectOf('Namespace', 'hall'));
});
afterEach(() => at.stop());

const CONFIG = refTo('OLMConfig', 'cluster');
const ENABLED = 'DisabledCopiedCSVs=False CopiedCSVsEnabled: Copied CSVs are enabled and';
const DISABLED =
  'DisabledCopiedCSVs=True CopiedCSVsDisabled: Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in AllNamespace mode';

const stage = copiesStage({ protectedNamespaces: ['vault'] });
const pass = (namespace = 'home') => at.pass(namespace, [stage]);
const config = (disableCopiedCSVs?: boolean) =>
  at.put(
    objectOf('OLMConfig', 'cluster', undefined, {
      spec: disableCopiedCSVs === undefined ? {} : { features: { disableCopiedCSVs } },
    }),
  );
const turned = (disableCopiedCSVs: boolean) =>
  at.cluster.edit(CONFIG, (live) => Object.assign(live, { spec: { features: { disableCopiedCSVs } } }));
const copies = () =>
  at.names('ClusterServiceVersion').filter((name) => name !== 'home/lamp.v1' && name.endsWith('lamp.v1'));
function globalOperator(): void {
  at.namespace('home', {});
  at.put(lampCsv('home', 'lamp.v1', { status: SUCCEEDED }));
}

describe('csv-lifecycle.md §10: OLMConfig disableCopiedCSVs', () => {
  it.each([
    ['absent', undefined],
    ['false', false],
  ])('%s: copies everywhere, and the condition says so', async (_, value) => {
    config(value);
    globalOperator();
    await pass();
    expect(copies()).toContain('hall/lamp.v1');
    expect(at.conditions(CONFIG)).toEqual([`${ENABLED} present across the cluster`]);
  });

  it('true: copies go but for protected namespaces, with a condition and one Warning on the CSV', async () => {
    config();
    globalOperator();
    await pass();
    turned(true);
    await pass();
    expect(copies()).toEqual(['vault/lamp.v1']);
    expect(at.conditions(CONFIG)).toEqual([DISABLED]);
    const warning = 'Warning DisabledCopiedCSVs ClusterServiceVersion/lamp.v1: CSV copying disabled for home/lamp.v1';
    expect(at.events('home')).toEqual([warning]);
    at.writes();
    expect(await pass()).toEqual({ rounds: 1, result: 'done' });
    expect(at.writes()).toEqual([]);
    at.cluster.delete({
      ...refTo('Event', at.cluster.list({ apiVersion: 'v1', kind: 'Event' })[0]?.metadata.name ?? '', 'home'),
    });
    await pass();
    expect(at.events('home'), 'again when the Event has expired').toEqual([warning]);
  });

  it('true and then false: copies come back', async () => {
    config(true);
    globalOperator();
    await pass();
    expect(copies()).toEqual(['vault/lamp.v1']);
    turned(false);
    await pass();
    expect(copies()).toContain('hall/lamp.v1');
    expect(at.conditions(CONFIG)).toEqual([`${ENABLED} present across the cluster`]);
  });

  it('true: operators that do not watch all namespaces keep their copies, and get no Warning', async () => {
    config(true);
    at.namespace('home', { targetNamespaces: ['home', 'hall'] });
    at.put(lampCsv('home', 'lamp.v1', { status: SUCCEEDED }));
    await pass();
    expect(copies()).toEqual(['hall/lamp.v1']);
    expect(at.events('home')).toEqual([]);
    expect(at.conditions(CONFIG)).toEqual([]);
  });

  it('the condition is about all global operators: one of another namespace without its copies counts', async () => {
    config();
    globalOperator();
    at.namespace('other', {});
    at.put(lampCsv('other', 'wick.v1', { status: SUCCEEDED }));
    await pass();
    expect(at.conditions(CONFIG)).toEqual([`${ENABLED} at least one copied CSVs is missing`]);
    await pass('other');
    expect(at.conditions(CONFIG)).toEqual([`${ENABLED} present across the cluster`]);
  });

  it.each([
    ['absent', () => undefined],
    [
      'of another name',
      () =>
        void at.put(objectOf('OLMConfig', 'second', undefined, { spec: { features: { disableCopiedCSVs: true } } })),
    ],
  ])('an OLMConfig that is %s switches nothing off', async (_, prepare) => {
    prepare();
    globalOperator();
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(copies()).toContain('hall/lamp.v1');
    expect(at.events('home')).toEqual([]);
  });

  it('a conflict at the OLMConfig (409) is resolved in the same pass; other conditions of it stay', async () => {
    config();
    const theirs = {
      type: 'Theirs',
      status: 'True',
      reason: 'R',
      message: 'm',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    at.cluster.edit(CONFIG, (live) => Object.assign(live, { status: { conditions: [theirs] } }), 'status');
    globalOperator();
    at.cluster.failNext({ verb: 'update', resource: 'olmconfigs', subresource: 'status' }, 409, 'Conflict');
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(at.conditions(CONFIG)).toEqual(['Theirs=True R: m', `${ENABLED} present across the cluster`]);
  });
});
