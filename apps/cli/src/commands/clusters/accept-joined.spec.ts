import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { joinedClusters, writeJoinedClusters } from '#platform/clusters/joined-clusters';
import { runFlotilla } from '../../run-flotilla.fixture.js';

const UID = '3f9c1e2a-7d04-4c1b-9d55-0f6f5a1f2b7e';
let folder = '';
let file = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accept-joined-'));
  file = join(folder, 'clusters.yaml');
  const cluster = { server: 'https://east.example' };
  await writeJoinedClusters(file, [{ context: 'east', file, cluster, user: {}, identity: 'u-1', paused: true }]);
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', file);
  vi.stubEnv('FLOTILLA_FLEET', '');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, maxRetries: 5 });
});
const accept = (...args: readonly string[]) => runFlotilla(['clusters', 'accept', ...args]);

it('accepts the identity of a cluster in the clusters file', async () => {
  const before = await readFile(file, 'utf8');
  expect(await accept('east')).toMatchObject({ exit: 2, err: expect.stringContaining('--uid') });
  expect(await accept('east', '--uid', UID, '--dry-run')).toMatchObject({
    exit: 0,
    out: `the cluster with UID ${UID} would replace east (before: u-1), in ${file}\n`,
  });
  expect(await readFile(file, 'utf8')).toBe(before);
  expect(await accept('east', '--uid', UID)).toMatchObject({
    exit: 0,
    out: `the cluster with UID ${UID} replaces east (before: u-1), in ${file}\n`,
  });
  expect(await joinedClusters(file)).toMatchObject([{ identity: UID, accepted: UID, paused: true }]);
});

it('says what to write where the context is in another kubeconfig, and there is no fleet', async () => {
  const { exit, err } = await accept('west', '--uid', UID);
  expect(exit).toBe(2);
  expect(err).toContain(`no cluster "west" in ${file}, and --fleet is not set`);
  expect(err).toContain(`{name: flotilla, extension: {identity: ${UID}, accepted: ${UID}}}`);
  expect(await accept('west')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('{identity: UID, accepted: UID}'),
  });
});
