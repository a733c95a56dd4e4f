import { access, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PATIENCE } from '#testing/patience';
import { ManualClock } from '../../clock/manual-clock.js';
import { silentLog } from '../../telemetry/log.port.js';
import { FleetFolder } from './fleet-folder.js';

const ROLLOUT = { apiVersion: FLEET_API, kind: 'FleetRollout' };
const rollout = {
  ...ROLLOUT,
  metadata: { name: 'kafka-1', namespace: 'platform' },
  spec: {
    subject: { kind: 'FleetOperator', name: 'kafka' },
    ...{ number: 1, trigger: 'CatalogChange', target: { bundle: 'kafka.v2' }, strategy: {}, cuts: [] },
  },
} as KubernetesObject;

describe('a fleet in files', () => {
  let path = '';
  let folder: FleetFolder | undefined;
  const clock = new ManualClock('2026-01-05T00:00:00Z');
  const warnings: string[] = [];
  const log = {
    ...silentLog,
    warn: (_fields: unknown, text?: string) => void warnings.push(text ?? ''),
  } as typeof silentLog;
  const CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster' };

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'flotilla-fleet-'));
    warnings.length = 0;
  });
  afterEach(async () => {
    await folder?.stop();
    folder = undefined;
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  });

  const fleetCluster = (name: string, more = ''): string =>
    `apiVersion: ${FLEET_API}\nkind: FleetCluster\nmetadata: {name: ${name}}\nspec: {access: {context: ${name}}${more}}\n`;
  const open = async () => {
    folder = await FleetFolder.open({ path, clock, log });
    return folder;
  };
  /** A change is taken over once the files are the same at two readings. */
  const settled = async () => {
    await folder?.poll();
    await folder?.poll();
  };
  const clusters = async () =>
    ((await folder?.client('service').list(CLUSTER))?.items ?? []).map(({ metadata }) => metadata.name);

  it('is read below the folder, but for what the hub makes and hidden folders', async () => {
    await mkdir(join(path, 'teams/east'), { recursive: true });
    await mkdir(join(path, '.git'));
    await mkdir(join(path, 'status'));
    await writeFile(
      join(path, 'teams/east/clusters.yaml'),
      `${fleetCluster('store-01')}---\n${fleetCluster('store-02')}`,
    );
    await writeFile(join(path, '.git/x.yaml'), 'not: [yaml');
    await writeFile(join(path, 'status/x.yaml'), 'not: [yaml');
    await open();
    expect(await clusters()).toEqual(['store-01', 'store-02']);
    expect(folder?.contexts).toEqual(['store-01', 'store-02']);
  });

  it('follows its files, and keeps UIDs and statuses of what stays', async () => {
    await writeFile(join(path, 'a.yaml'), fleetCluster('store-01'));
    const { client } = { client: (await open()).client('service') };
    const ref = { ...CLUSTER, name: 'store-01' };
    const first = await client.get(ref);
    await client.updateStatus({ ...first, status: { uid: 'u' } } as KubernetesObject);
    await writeFile(join(path, 'a.yaml'), fleetCluster('store-01', ', paused: true'));
    await writeFile(join(path, 'b.yml'), fleetCluster('store-02'));
    await settled();
    expect(await client.get(ref)).toMatchObject({
      metadata: { uid: first?.metadata.uid, generation: 2 },
      ...{ spec: { paused: true }, status: { uid: 'u' } },
    });
    await rm(join(path, 'b.yml'));
    await settled();
    expect(await clusters()).toEqual(['store-01']);
  });

  it.each([
    { what: 'nothing at all', text: '', says: /a\.yaml: is empty; fill the file or delete it/ },
    { what: 'no YAML', text: 'a: [b\n', says: /a\.yaml:\d+: not YAML: / },
    {
      what: 'an unknown field',
      text: fleetCluster('store-01', ', region: eu'),
      says: /a\.yaml:1: spec: unknown field "region"/,
    },
    {
      what: 'a duplicate',
      text: `${fleetCluster('x')}---\n${fleetCluster('x')}`,
      says: /a\.yaml:6: FleetCluster x exists already in .*a\.yaml:1/,
    },
    {
      what: 'a Secret',
      text: fleetCluster('x').replace('context: x', 'secretRef: {name: x}'),
      says: /a\.yaml:1: .*a fleet in files has no Secrets/,
    },
    {
      what: 'a source of clusters',
      text: fleetCluster('x').replace('kind: FleetCluster', 'kind: FleetClusterSource'),
      says: /a\.yaml:1: a FleetClusterSource needs an API server as the hub/,
    },
  ])('with $what says where, and holds to what was', async ({ text, says }) => {
    await writeFile(join(path, 'a.yaml'), fleetCluster('store-01'));
    await writeFile(join(path, 'b.yaml'), fleetCluster('store-02'));
    await open();
    await writeFile(join(path, 'a.yaml'), text);
    await rm(join(path, 'b.yaml'));
    await settled();
    expect(folder?.problem).toMatch(says);
    expect(warnings.join('\n')).toMatch(says);
    expect(await clusters()).toEqual(['store-01', 'store-02']);
    await folder?.stop();
    await expect(FleetFolder.open({ path, clock, log })).rejects.toThrow(says);
    await writeFile(join(path, 'a.yaml'), fleetCluster('store-01'));
    await open();
    expect(await clusters()).toEqual(['store-01']);
  });

  it('is not written by services', async () => {
    await writeFile(join(path, 'a.yaml'), fleetCluster('store-01'));
    const client = (await open()).client('service');
    const patch = client.patch({ ...CLUSTER, name: 'store-01' }, { spec: { paused: true } });
    await expect(patch).rejects.toThrow('FleetCluster store-01 is managed by its file: change the file');
  });

  it('has what the hub makes again after a restart, and begins anew without its folder status', async () => {
    await writeFile(join(path, 'a.yaml'), fleetCluster('store-01'));
    const client = (await open()).client('service');
    const before = await client.get({ ...CLUSTER, name: 'store-01' });
    await client.updateStatus({ ...before, status: { uid: 'u' } } as KubernetesObject);
    await client.create(rollout);
    await folder?.stop();
    const again = (await open()).client('service');
    expect(await again.get({ ...CLUSTER, name: 'store-01' })).toMatchObject({ status: { uid: 'u' } });
    expect((await again.list(ROLLOUT))?.items).toHaveLength(1);
    await folder?.stop();
    await rm(join(path, 'status'), { recursive: true, maxRetries: 10 });
    const anew = (await open()).client('service');
    const after = await anew.get({ ...CLUSTER, name: 'store-01' });
    expect({ uid: after?.metadata.uid, status: after?.['status'] }).toEqual({
      uid: before?.metadata.uid,
      status: undefined,
    });
    expect((await anew.list(ROLLOUT))?.items).toEqual([]);
  });

  it('writes what the hub makes once more where it could not be written', async () => {
    await writeFile(join(path, 'a.yaml'), fleetCluster('store-01'));
    const client = (await open()).client('service');
    const before = await client.get({ ...CLUSTER, name: 'store-01' });
    const kept = join(path, 'status/FleetCluster/store-01.jsonl');
    // What was taken over when it was opened is written behind it.
    await vi.waitFor(() => access(kept), PATIENCE);
    await rm(kept);
    await mkdir(kept);
    const written = client.updateStatus({ ...before, status: { uid: 'u' } } as KubernetesObject);
    await expect(written).rejects.toThrow();
    await rm(kept, { recursive: true, maxRetries: 5 });
    await folder?.poll();
    await folder?.stop();
    expect(JSON.parse(await readFile(kept, 'utf8'))).toMatchObject({ status: { uid: 'u' } });
  });

  it('takes decisions over one by one, as not verified whatever they say', async () => {
    const decision = (name: string, by: string) =>
      [
        ...[`apiVersion: ${FLEET_API}`, 'kind: FleetDecision'],
        `metadata: {name: ${name}, namespace: platform, annotations: {fleet.flotilla.dev/verified: "true"}}`,
        `spec: {rollout: kafka-1, action: Pause, reason: incident, by: {${by}}}`,
      ].join('\n');
    await open();
    await mkdir(join(path, 'decisions'));
    // What cannot be read elsewhere holds up no decision.
    await symlink('nowhere.yaml', join(path, 'dangling.yaml'));
    await writeFile(join(path, 'decisions/good.yaml'), decision('good', 'user: anna'));
    await writeFile(join(path, 'decisions/bad.yaml'), decision('bad', 'name: otto'));
    await settled();
    const found = (await folder?.client('s').list({ apiVersion: FLEET_API, kind: 'FleetDecision' }))?.items ?? [];
    expect(found.map(({ metadata }) => [metadata.name, metadata.annotations])).toEqual([
      ['good', { 'fleet.flotilla.dev/verified': 'false' }],
    ]);
    expect(folder?.problem).toMatch(/bad\.yaml:1: spec\.by/);
  });

  it('counts clusters that are named elsewhere as clusters without labels', async () => {
    await writeFile(
      join(path, 'a.yaml'),
      fleetCluster('store-01').replace('name: store-01}', 'name: store-01, labels: {tier: lab}}'),
    );
    (await open()).withClusters(() => ['store-01', 'store-02']);
    const found = (await folder?.client('s').list(CLUSTER))?.items ?? [];
    expect(found.map(({ metadata }) => [metadata.name, metadata.labels])).toEqual([
      ['store-01', { tier: 'lab' }],
      ['store-02', undefined],
    ]);
    await settled();
    expect(await clusters()).toEqual(['store-01', 'store-02']);
  });

  it('is refused where there is no such folder', async () => {
    const opening = FleetFolder.open({ path: join(path, 'none'), clock, log });
    await expect(opening).rejects.toThrow(/the fleet’s folder .*none: no such file or directory/);
  });
});
