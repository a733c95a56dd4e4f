import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '#platform/telemetry/log.port';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { csvStage } from './csv.stage.js';
import { crd, history, inPhase, LAMP_DEPLOYMENT, lampCsv, phases } from './csvs.fixture.js';

let at: ClassicCluster;
let logged: string[];
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  logged = [];
});
afterEach(() => at.stop());

const LAMP = refTo('ClusterServiceVersion', 'lamp.v1', 'shop');
const NONE = 'install strategy completed with no errors';
const CHANGE = 'c1'.repeat(16);

const log: Log = {
  debug: () => undefined,
  info: ({ name, from, phase, reason }) => void logged.push(`${name} ${from}→${phase} ${reason}`),
  warn: ({ name, message }, text) => void logged.push(`${text}: ${name}: ${message}`),
  error: () => undefined,
};
const pass = (namespace = 'shop') => at.pass(namespace, [csvStage(log)]);
async function install(namespace = 'shop') {
  await pass(namespace);
  await settled();
  return pass(namespace);
}
async function atRest(): Promise<void> {
  at.writes();
  expect(await pass()).toEqual({ rounds: 1, result: 'done' });
  expect(at.writes()).toEqual([]);
}

describe('csv-lifecycle.md §3: an install', () => {
  it('goes through its phases, waits for the Deployment, and then succeeds', async () => {
    at.put(lampCsv('shop'));
    expect(await pass()).toMatchObject({ result: 'waits', againAfterMs: expect.any(Number) });
    expect(phases(at, 'shop')).toEqual(['lamp.v1 Installing InstallWaiting']);
    await settled();
    await pass();
    expect(history(at, 'shop')).toEqual([
      'Pending/RequirementsUnknown',
      'InstallReady/AllRequirementsMet',
      'Installing/InstallSucceeded',
      'Installing/InstallWaiting',
      'Succeeded/InstallSucceeded',
    ]);
    await atRest();
  });

  it('§1: each change of phase is an Event on the CSV and a line in the log', async () => {
    at.put(lampCsv('shop'));
    await install();
    const about = 'ClusterServiceVersion/lamp.v1';
    expect(at.events('shop').toSorted()).toEqual([
      `Normal AllRequirementsMet ${about}: all requirements found, attempting install`,
      `Normal InstallSucceeded ${about}: ${NONE}`,
      `Normal InstallSucceeded ${about}: waiting for install components to report healthy`,
      expect.stringContaining(
        `Normal InstallWaiting ${about}: installing: waiting for deployment lamp to become ready`,
      ),
      `Normal RequirementsUnknown ${about}: requirements not yet checked`,
    ]);
    expect(logged).toEqual([
      'lamp.v1 →Pending RequirementsUnknown',
      'lamp.v1 Pending→InstallReady AllRequirementsMet',
      'lamp.v1 InstallReady→Installing InstallSucceeded',
      'lamp.v1 Installing→Installing InstallWaiting',
      'lamp.v1 Installing→Succeeded InstallSucceeded',
    ]);
  });

  it('is part of the change of its plan, and timed from the start of the plan, once', async () => {
    const metadata = { annotations: { 'flotilla.dev/change': CHANGE } };
    const spec = { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['lamp.v1'], generation: 1 };
    const status = { phase: 'Complete', catalogSources: [], plan: [], startTime: '2025-12-31T23:59:50Z' };
    at.put(objectOf('InstallPlan', 'install-1', 'shop', { metadata, spec, status }));
    at.put(lampCsv('shop'));
    const seconds: number[] = [];
    const changes: unknown[] = [];
    const noting: Log = { ...log, info: ({ change }) => void changes.push(change) };
    const again = () => at.pass('shop', [csvStage(noting, (ready) => void seconds.push(ready.seconds))]);
    for (const _ of [1, 2, 3]) {
      await again();
      await settled();
    }
    expect(seconds).toEqual([10]);
    expect(new Set(changes)).toEqual(new Set([CHANGE]));
    const events = at.cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: 'shop' });
    expect(new Set(events.map((event) => event.metadata.annotations?.['flotilla.dev/change']))).toEqual(
      new Set([CHANGE]),
    );
  });

  it('operator-groups.md §3: a member gets the annotations of its group, and so do its pods', async () => {
    at.put(lampCsv('shop'));
    await pass();
    const annotations = {
      'olm.operatorGroup': 'shop-group',
      'olm.operatorNamespace': 'shop',
      'olm.targetNamespaces': 'shop',
    };
    expect(at.get(LAMP)?.metadata).toMatchObject({ annotations, finalizers: ['operators.coreos.com/csv-cleanup'] });
    expect(at.get(LAMP_DEPLOYMENT)?.['spec']).toMatchObject({ template: { metadata: { annotations } } });
  });

  it('§5: the Deployment is owned by the CSV, labelled, and knows its OperatorCondition', async () => {
    at.put(lampCsv('shop'));
    await pass();
    const made = at.get(LAMP_DEPLOYMENT);
    expect(made?.metadata).toMatchObject({
      labels: {
        'olm.managed': 'true',
        'olm.owner': 'lamp.v1',
        'olm.owner.namespace': 'shop',
        'olm.owner.kind': 'ClusterServiceVersion',
        'olm.deployment-spec-hash': expect.any(String),
      },
      ownerReferences: [{ kind: 'ClusterServiceVersion', name: 'lamp.v1', uid: at.get(LAMP)?.metadata.uid }],
    });
    const env = [{ name: 'OPERATOR_CONDITION_NAME', value: 'lamp.v1' }];
    expect(made?.['spec']).toMatchObject({ revisionHistoryLimit: 1, template: { spec: { containers: [{ env }] } } });
  });

  it('an install that does not become healthy within five minutes fails', async () => {
    at.put(lampCsv('shop'));
    await pass();
    at.cluster.edit(LAMP_DEPLOYMENT, ({ metadata }) =>
      Object.assign(metadata, { annotations: { 'simulator.flotilla.dev/never-ready': 'true' } }),
    );
    await at.clock.advance(5 * 60_000 + 1_000);
    await pass();
    expect(history(at, 'shop')).toContain('Failed/InstallCheckFailed');
    expect(logged).toContain('ClusterServiceVersion failed: lamp.v1: install timeout');
  });

  it('§11: the config of the Subscription that installed it is in the Deployment', async () => {
    const spec = {
      name: 'lamp',
      source: 'shelf',
      sourceNamespace: 'olm',
      config: { env: [{ name: 'GLOW', value: 'warm' }] },
    };
    const status = { installedCSV: 'lamp.v1', lastUpdated: '2026-01-01T00:00:00Z' };
    at.put(objectOf('Subscription', 'lamp', 'shop', { spec, status }));
    at.put(lampCsv('shop'));
    await pass();
    expect(JSON.stringify(at.get(LAMP_DEPLOYMENT)?.['spec'])).toContain('{"name":"GLOW","value":"warm"}');
  });
});

describe('csv-lifecycle.md §4: requirements', () => {
  const owned = { customresourcedefinitions: { owned: [{ name: 'lamps.example.com', version: 'v1', kind: 'Lamp' }] } };

  it('an install waits for a CRD that is missing, names it, and goes on when it is there', async () => {
    at.put(lampCsv('shop', 'lamp.v1', { spec: owned }));
    expect(await pass()).toMatchObject({ result: 'waits', againAfterMs: expect.any(Number) });
    expect(phases(at, 'shop')).toEqual(['lamp.v1 Pending RequirementsNotMet']);
    expect(at.csv('shop', 'lamp.v1')?.status?.requirementStatus).toMatchObject([
      {
        kind: 'CustomResourceDefinition',
        name: 'lamps.example.com',
        status: 'NotPresent',
        message: 'CRD is not present',
      },
    ]);
    expect(at.names('Deployment', 'shop')).toEqual([]);
    at.put(crd('lamps', 'example.com', 'Lamp'));
    await settled();
    await install();
    expect(phases(at, 'shop')).toEqual(['lamp.v1 Succeeded InstallSucceeded']);
  });

  it('two members of one pass: the annotation of their group has the APIs of both', async () => {
    for (const [plural, kind] of [
      ['lamps', 'Lamp'],
      ['wicks', 'Wick'],
    ] as const) {
      const spec = { customresourcedefinitions: { owned: [{ name: `${plural}.example.com`, version: 'v1', kind }] } };
      at.put(crd(plural, 'example.com', kind));
      at.put(lampCsv('shop', `${kind.toLowerCase()}.v1`, { spec, deployments: [plural] }));
    }
    await settled();
    await install();
    expect(phases(at, 'shop')).toEqual(['lamp.v1 Succeeded InstallSucceeded', 'wick.v1 Succeeded InstallSucceeded']);
    expect(at.get(refTo('OperatorGroup', 'shop-group', 'shop'))?.metadata.annotations).toEqual({
      'olm.providedAPIs': 'Lamp.v1.example.com,Wick.v1.example.com',
    });
    await atRest();
  });

  it('two members of one round: the second adds its APIs to those that the first has written', async () => {
    const group = {
      'olm.operatorGroup': 'shop-group',
      'olm.operatorNamespace': 'shop',
      'olm.targetNamespaces': 'shop',
    };
    for (const kind of ['Lamp', 'Wick']) {
      const crds = [{ name: `${kind.toLowerCase()}s.example.com`, version: 'v1', kind }];
      const metadata = { annotations: group, finalizers: ['operators.coreos.com/csv-cleanup'] };
      const spec = { customresourcedefinitions: { owned: crds } };
      at.put(lampCsv('shop', `${kind.toLowerCase()}.v1`, { metadata, spec, status: inPhase('Pending', 'Unknown') }));
    }
    expect(await at.once('shop', csvStage(log))).toMatchObject({ moved: true });
    expect(at.get(refTo('OperatorGroup', 'shop-group', 'shop'))?.metadata.annotations).toEqual({
      'olm.providedAPIs': 'Lamp.v1.example.com,Wick.v1.example.com',
    });
  });

  it('minKubeVersion is compared with the version of the API server', async () => {
    at.put(lampCsv('shop', 'lamp.v1', { spec: { minKubeVersion: '1.99.0' } }));
    await pass();
    expect(at.csv('shop', 'lamp.v1')?.status?.requirementStatus).toMatchObject([
      { message: 'CSV version requirement not met: minKubeVersion (1.99.0) > server version (1.34.4)' },
    ]);
  });
});

describe('csv-lifecycle.md §2.3: the OperatorGroup of a CSV', () => {
  const second = () => at.put(objectOf('OperatorGroup', 'second', 'shop', { spec: {} }));

  it.each([
    {
      reason: 'NoOperatorGroup',
      message: 'csv in namespace with no operatorgroups',
      broken: () => at.cluster.delete(refTo('OperatorGroup', 'shop-group', 'shop')),
      mended: () =>
        void at.put(
          objectOf('OperatorGroup', 'shop-group', 'shop', {
            spec: { targetNamespaces: ['shop'] },
            status: { namespaces: ['shop'], lastUpdated: '2026-01-01T00:00:00Z' },
          }),
        ),
    },
    {
      reason: 'TooManyOperatorGroups',
      message: "csv created in namespace with multiple operatorgroups, can't pick one automatically",
      broken: () => void second(),
      mended: () => at.cluster.delete(refTo('OperatorGroup', 'second', 'shop')),
    },
  ])(
    '$reason: Failed with one Warning, and installed once there is one',
    async ({ reason, message, broken, mended }) => {
      broken();
      at.put(lampCsv('shop'));
      await pass();
      await pass();
      expect(at.csv('shop', 'lamp.v1')?.status).toMatchObject({ phase: 'Failed', reason, message });
      const warnings = at.cluster
        .list({ ...refTo('Event', ''), namespace: 'shop' })
        .filter(({ type }) => type === 'Warning');
      expect(warnings).toMatchObject([{ reason, count: 1 }]);
      mended();
      await install();
      expect(phases(at, 'shop')).toEqual(['lamp.v1 Succeeded InstallSucceeded']);
    },
  );
});
