import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { run } from '../../../program.js';
import { recorder, runFlotilla } from '../../../run-flotilla.fixture.js';
import { NEW, OLD, offerAll, type PlayedHub, startPlayedHub } from '../played-hub.fixture.js';

const LAB = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, soak: '10m' };
const NAMES = ['lab-1', 'shop-1', 'shop-2', 'shop-3'];
let hub: PlayedHub;

const API = 'fleet.flotilla.dev/v1alpha1';

describe('flotilla fleet plan', () => {
  beforeAll(async () => {
    hub = await startPlayedHub(NAMES, {
      waves: [LAB, { name: 'gone', clusters: { selector: { matchLabels: { tier: 'x' } } } }],
    });
  });
  afterAll(() => hub.stop());

  it('shows waves and what is probably not meant, before there is a rollout', async () => {
    const { out, exit } = await hub.flotilla('plan', 'kafka');
    expect(out).toMatch(/^platform\/kafka: 4 clusters\nno cluster plans a change\n/);
    expect(out).toMatch(
      /^lab +1 +all that match +10m\ngone +0 +all that match +0s\nrest +3 +clusters in no wave +0s$/m,
    );
    expect(out).toContain('note: wave gone selects no cluster: it completes at once, without its soak and checks\n');
    expect(out).toMatch(/note: 3 clusters in no wave of the strategy: .* with the settings of wave gone\n$/);
    expect(exit).toBe(0);
  });

  it('gives the share of a wave by count as before its rollout', async () => {
    const other = await startPlayedHub(NAMES, { waves: [{ name: 'two', count: 2 }] });
    expect((await other.flotilla('plan', 'kafka')).out).toMatch(/^two +2 +2 clusters +0s$/m);
    await offerAll(other);
    expect((await other.flotilla('plan', 'kafka-1')).out).toMatch(/^two +2 +2 clusters +0s$/m);
    await other.stop();
  });

  it('shows each class of a rollout, and one of them with what its FleetPlan keeps', async () => {
    await offerAll(hub, (name) => (name === 'shop-3' ? 'get secrets' : 'get pods'));
    const classes = (await hub.fleet.rollout('kafka-1')).classes ?? [];
    expect(classes).toHaveLength(2);
    const { out } = await hub.flotilla('plan', 'kafka-1');
    expect(out).toContain(`\n${OLD} → ${NEW}, 1 hop, 3 clusters\n`);
    expect(out).toContain(`\n${OLD} → ${NEW}, 1 hop, 1 cluster\n`);
    expect(out).toContain('  rights   + ClusterRole r: secrets: get\n');
    const hash = classes[0]?.hash ?? '';
    const made = { apiVersion: API, kind: 'FleetPlan', name: `kafka-1-${hash}`, namespace: 'platform' };
    await hub.fleet.hub.client.delete(made);
    await hub.fleet.apply('FleetPlan', made.name, {
      hash,
      path: [{ from: OLD, to: NEW, hopHash: 'h' }],
      changes: ['Minor', 'RBACGrowth'],
      images: {
        added: ['quay.io/kafka/operator@sha256:1b', 'quay.io/new@sha256:2'],
        removed: ['quay.io/kafka/operator@sha256:9e'],
      },
      crds: [{ name: 'kafkas.example.com', adds: ['v1beta3'], storage: 'v1beta2', breaking: ['spec.x is required'] }],
      rbac: { added: ['clusterrole: get secrets'] },
    });
    const one = await hub.flotilla('plan', 'kafka-1', '--class', hash.slice(0, 5));
    expect(one.out.split('\n').slice(0, 8)).toEqual([
      `${OLD} → ${NEW}, 1 hop, 3 clusters`,
      `  class    ${hash}: Minor`,
      '  image    quay.io/kafka/operator@sha256:1b  (was @sha256:9e)',
      '           quay.io/new@sha256:2',
      '  crd      kafkas.example.com: adds v1beta3; nothing removed; stores v1beta2; BREAKS: spec.x is required',
      '  rights   + clusterrole: get secrets',
      '  also     no other operator moves in these namespaces',
      '',
    ]);
  });

  it('says what is not there', async () => {
    expect(await hub.flotilla('plan', 'nothing')).toMatchObject({
      exit: 1,
      err: 'error: there is no rollout "nothing"\n',
    });
    expect((await hub.flotilla('plan', '--class', 'x')).exit).toBe(2);
  });

  it('status --watch draws a picture on a terminal until it is stopped', async () => {
    const { io, result } = recorder();
    let frames = '';
    const control = (text: string) => {
      frames += text;
    };
    const kubeconfig = hub.kubeconfig;
    const watching = run(['fleet', 'status', 'kafka-1', '-w', '--fleet', 'hub', '--kubeconfig', kubeconfig], {
      ...io,
      isTerminal: true,
      columns: 80,
      control,
    });
    await vi.waitFor(() => expect(frames).toContain('lab   ■    1/1  Soaking'), PATIENCE);
    await hub.decide('abort', 'kafka-1', '--reason', 'CHG-1');
    await watching;
    expect(frames).toContain('platform/kafka-1  kafka-operator.v2.4.0  Aborted (Decision)');
    expect(result.exit).toBe(0);
  });
});

describe('flotilla fleet plan -f', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'flotilla-plan-'));
    vi.stubEnv('FLOTILLA_FLEET', '');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, maxRetries: 5 });
  });
  const write = (...objects: readonly object[]): string => {
    const file = join(folder, 'fleet.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    return file;
  };
  const operator = (name: string, more: object = {}, labels = {}) => ({
    apiVersion: API,
    kind: 'FleetOperator',
    metadata: { name, namespace: 'platform', labels },
    spec: { package: 'kafka', namespace: 'kafka', catalog: { fleetCatalog: 'curated' }, ...more },
  });
  const cluster = (name: string) => ({
    ...{ apiVersion: API, kind: 'FleetCluster', metadata: { name } },
    spec: { access: { context: name } },
  });

  it('needs no hub, cuts waves from the clusters of the files, and notes what is missing', async () => {
    const file = write(operator('kafka'), operator('kafka-again'), cluster('a'), cluster('b'), cluster('c'));
    const { out, exit } = await runFlotilla(['fleet', 'plan', '-f', file]);
    expect(exit).toBe(0);
    expect(out).toMatch(/^platform\/kafka: 3 clusters.*\n/);
    expect(out).toMatch(/^one +1 +1 cluster +10m\ntenth +1 +10% +10m\nrest +1 +clusters in no wave +10m$/m);
    expect(out).toContain('note: there is no FleetCatalog platform/curated\n');
    expect(out).toContain(
      'note: FleetOperator/platform/kafka is older and has kafka in namespace kafka of 3 of these clusters, too',
    );
  });

  it('notes a FleetCatalog that its FleetOperator cannot use', async () => {
    const metadata = { name: 'curated', namespace: 'platform' };
    const spec = { image: 'registry.example/c:1', clusterCatalog: { name: 'c' } };
    const file = write(operator('kafka'), { apiVersion: API, kind: 'FleetCatalog', metadata, spec }, cluster('a'));
    const { out } = await runFlotilla(['fleet', 'plan', '-f', file]);
    expect(out).toContain(
      'note: FleetCatalog platform/curated has no catalogSource, which api: Classic needs: add one',
    );
  });

  it('names every wrong object with its place, and where nothing is selected says no', async () => {
    const wrong = write(operator('kafka', { pakage: 'x' }), operator('catalog-x'));
    const refused = await runFlotilla(['fleet', 'plan', '-f', wrong]);
    expect(refused.exit).toBe(2);
    expect(refused.err).toMatch(/unknown field "pakage"\n.*must not begin with "catalog-"/);
    const none = write(operator('kafka', { clusters: { selector: { matchLabels: { a: 'b' } } } }), cluster('a'));
    const answer = await runFlotilla(['fleet', 'plan', '-f', none]);
    expect(answer.exit).toBe(1);
    expect(answer.out).toContain('note: no cluster is selected: nothing will be rolled out');
  });
});
