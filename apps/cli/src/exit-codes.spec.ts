import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { put, subscription } from './clusters/live-objects.fixture.js';
import { runFlotilla } from './run-flotilla.fixture.js';

const EXAMPLES = join(PROJECT_ROOT, 'examples');
const CATALOG = join(EXAMPLES, 'catalogs/v2');
const GIVEN = ['--catalog', `olm/flotilla-samples=${CATALOG}`, '-f', join(EXAMPLES, 'manifests'), '-n', 'harbors'];

let folder = '';
let fleet: SimulatedFleet;

/** `east` answers; `dead` is a context of a server that does not. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-codes-'));
  fleet = await startSimulatedFleet({ clusters: ['east'] });
  const kubeconfig = fleet.kubeconfig();
  await writeFile(join(folder, 'kubeconfig'), kubeconfig, { mode: 0o600 });
  const dead = kubeconfig.replaceAll(/https:\/\/127[^ \n]+/g, 'https://127.0.0.1:1').replaceAll('east', 'dead');
  await writeFile(join(folder, 'dead'), dead, { mode: 0o600 });
  const [client] = await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' });
  if (client === undefined) throw new Error('the fleet has no cluster');
  await serveKnownCrds(client, fleet.cluster(client.cluster));
  await client.close();
  fleet.cluster('east').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  put(fleet.cluster('east'), subscription());
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', join(folder, 'hub', 'clusters.yaml'));
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  return () => vi.unstubAllEnvs();
});

const lines = (...rows: readonly string[]) => rows.map((row) => ({ args: row.split(' ') }));
const REF = 'REF';
const run = ({ args }: Readonly<{ args: readonly string[] }>, ...more: readonly string[]) =>
  runFlotilla([...args.map((arg) => (arg === REF ? CATALOG : arg)), ...more]);

describe('a named object, package, channel or version that is not there is exit code 1', () => {
  it.each([
    ...lines(
      'get sub ghost',
      'get sub/ghost',
      'explain sub ghost -n team',
      'explain sub/ghost -n team',
      'explain ip ghost -n team',
      'explain csv ghost -n team',
      'explain catalogsource ghost -n team',
      'explain clustercatalog ghost',
      'explain extension ghost',
      'approve ip ghost -n team',
      'approve sub ghost -n team',
      'approve ip ghost -n team --all-clusters',
      'plan --live --extension ghost',
      'plan --live -n ghost',
      'catalog packages REF ghost',
      'catalog channels REF ghost',
      'catalog bundles REF ghost',
      'catalog graph REF -p ghost',
      'catalog graph REF -p ghost -o json',
      'catalog graph REF -p harbor-operator -o json --installed 9.0.0',
      'path REF -p ghost --from 1.0.0',
      'path REF -p harbor-operator --from 9.0.0',
      'path REF -p harbor-operator --from 1.0.0 --to 9.0.0',
      'path REF -p harbor-operator --from 1.0.0 --channel ghost',
    ),
    { args: ['explain', 'sub', 'ghost', ...GIVEN] },
    { args: ['explain', 'extension', 'ghost', ...GIVEN] },
  ])('flotilla $args', async (row) => {
    const { err, exit } = await run(row);
    expect({ err, exit }).toEqual({ err: expect.stringMatching(/^(error: |package )[^\n]*ghost|9\.0\.0/), exit: 1 });
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('bad input is exit code 2 and one line, and no cluster is asked', () => {
  it.each([
    ...lines(
      'get sub -n BAD',
      'get pods',
      'get sub/',
      'get sub -C south',
      'get sub -C east -C south',
      'get sub --context south',
      'get sub --kubeconfig nosuch.yaml',
      'get sub --request-timeout soon',
      'get sub -o xml',
      'get sub -o jsonpath={.items[?(x)]}',
      'get sub --sort-by .metadata[',
      'status -n BAD',
      'status -A -n team',
      'status --hub foo',
      'status -C south',
      'status -o xml',
      'explain pod x -n team',
      'explain sub -n team',
      'explain sub x',
      'explain sub x -n BAD',
      'explain sub x -n team -C south',
      'explain sub x -n team --hub foo',
      'approve csv x -n team',
      'approve ip -n team',
      'approve ip x',
      'approve ip x -n team -C east --all-clusters',
      'plan --live -n BAD',
      'plan --live -A -n team',
      'plan --live --pull',
      'plan --live -C south',
      'plan',
      'clusters list -C south',
      'clusters list -o xml',
      'clusters check -C south',
      'clusters remove south',
      'clusters add --kubeconfig nosuch.yaml',
      'clusters add --context south',
      'up --kubeconfig nosuch.yaml',
      'demo --kubeconfig nosuch.yaml',
      'catalog packages REF -C east',
      'catalog packages REF -o xml',
      'catalog packages --cluster east --hub foo',
      'clusters remove east --hub foo',
      'clusters remove east --yes --dry-run',
      'catalog validate REF -o xml',
      'catalog validate ./nosuch',
      'catalog render ./nosuch',
      'catalog diff ./nosuch REF',
      'catalog graph ./nosuch',
      'path ./nosuch -p x --from 1.0.0',
      'bundle validate ./nosuch',
      'crd check ./nosuch ./nosuch',
      'resolve -f ./nosuch',
      'fleet simulate',
      'fleet simulate -f ./nosuch',
      'fleet simulate -f examples/fleet/files --clusters 0',
      'fleet simulate -f examples/fleet/files --until soon',
      'fleet simulate -f examples/fleet/files -o xml',
    ),
    { args: ['get', 'sub', '-l', 'a in ('] },
    { args: ['get', 'sub', '-l', 'a b'] },
    { args: ['plan', ...GIVEN, '-C', 'east'] },
    { args: ['plan', ...GIVEN, '--request-timeout', '3s'] },
    { args: ['explain', 'sub', 'x', ...GIVEN, '--context', 'east'] },
  ])('flotilla $args', async (row) => {
    vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'dead'));
    const isAboutEast = row.args.includes('east') && !row.args.includes(REF);
    if (isAboutEast) vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
    const { out, err, exit } = await run(row);
    expect({ out, err, exit }).toEqual({ out: '', err: expect.stringMatching(/^error: /), exit: 2 });
    expect(err).not.toMatch(/\n {4}at /);
  });
});

describe('a cluster that does not answer is exit code 3', () => {
  const both = () => ['--kubeconfig', join(folder, 'kubeconfig'), '--kubeconfig', join(folder, 'dead')];

  it.each(
    lines('get sub', 'status', 'clusters list', 'clusters check', 'plan --live', 'approve ip x -n team --all-clusters'),
  )('flotilla $args: one of two, which the data names', async (row) => {
    const { out, exit } = await run(row, ...both(), '-o', 'json');
    expect(exit).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ verdict: 'incomplete', away: [{ cluster: 'dead' }] });
  });

  it.each(lines('get sub', 'status', 'clusters list', 'plan --live'))(
    'flotilla $args --allow-missing: the others decide',
    async (row) => {
      const { out, exit } = await run(row, ...both(), '-o', 'json', '--allow-missing');
      expect(exit).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ verdict: 'yes', away: [{ cluster: 'dead' }] });
    },
  );

  it.each(
    lines(
      'get sub --allow-missing',
      'status --allow-missing',
      'status --hub http://127.0.0.1:1',
      'clusters list --allow-missing',
      'clusters check --allow-missing',
      'plan --live --allow-missing',
      'plan --live -n team',
      'explain sub mill -n team',
      'approve ip x -n team',
      'catalog packages --cluster east --hub http://127.0.0.1:1',
    ),
  )('flotilla $args: none answers', async (row) => {
    vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'dead'));
    expect((await run(row)).exit).toBe(3);
  });

  it('status says nothing of clusters that did not answer', async () => {
    vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'dead'));
    const none = await runFlotilla(['status']);
    expect(none.out).toMatch(/\nNo cluster answered: waiting objects are unknown\.\n$/);
    expect(none.out).not.toMatch(/Nothing waits/);
  });
});
