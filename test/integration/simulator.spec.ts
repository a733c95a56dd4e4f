import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CoreV1Api, KubeConfig, KubernetesObjectApi, PatchStrategy } from '@kubernetes/client-node';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';

const kubectlThere = await programs({ program: 'kubectl' });

const MAPS = '/api/v1/namespaces/default/configmaps';
const run = promisify(execFile);

type Response = { status: number; body: string };

describe('a simulated fleet over its port', () => {
  let fleet: SimulatedFleet;
  let folder: string;
  let kubeconfig: string;
  let config: KubeConfig;
  let authority: string;

  beforeAll(async () => {
    fleet = await startSimulatedFleet({ clusters: ['east', 'west'], deploymentReadyAfterMs: 20 });
    folder = await mkdtemp(join(tmpdir(), 'simulator-'));
    kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig());
    config = new KubeConfig();
    config.loadFromString(fleet.kubeconfig());
    authority = Buffer.from(config.getCluster('east')?.caData ?? '', 'base64').toString();
    const crds = (await readdir('k8s/crds')).filter((name) => name.endsWith('.yaml'));
    for (const name of crds) {
      for (const document of loadAll(await readFile(join('k8s/crds', name), 'utf8'))) {
        fleet.cluster('east').apply(document as KubernetesObject);
      }
    }
  });
  beforeEach(() => fleet.cluster('east').requests.clear());
  afterAll(async () => {
    await fleet.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const east = () => fleet.cluster('east');
  const bearer = () => ({ authorization: `Bearer ${east().token}` });
  const kubectl = async (...args: string[]) => (await run('kubectl', ['--kubeconfig', kubeconfig, ...args])).stdout;

  function overHttp1(path: string, headers: Record<string, string>, method = 'GET', body = ''): Promise<Response> {
    const options = { method, headers, ca: authority, ALPNProtocols: ['http/1.1'], agent: false as const };
    return new Promise((resolve, reject) => {
      const sent = httpsRequest(`${east().url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  function session(): ClientHttp2Session {
    const opened = connect(new URL(east().url).origin, { ca: authority });
    opened.on('error', () => undefined);
    return opened;
  }

  /** One HTTP/2 request; `onLine` sees each line of the body as it comes. */
  function overHttp2(
    on: ClientHttp2Session,
    path: string,
    onLine: (line: string) => void = () => undefined,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const stream = on.request({ ':path': `${new URL(east().url).pathname}${path}`, ...bearer() });
      let [status, body, rest] = [0, '', ''];
      stream.on('response', (headers) => {
        status = Number(headers[':status']);
      });
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => {
        body += chunk;
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(onLine);
      });
      stream.on('end', () => resolve({ status, body }));
      stream.on('error', reject);
      stream.on('aborted', () => reject(new Error('aborted')));
    });
  }

  it('speaks HTTP/1.1 and HTTP/2 with a certificate its kubeconfig vouches for', async () => {
    expect(await overHttp1('/version', bearer())).toMatchObject({
      status: 200,
      body: expect.stringContaining('v1.34.4'),
    });
    const http2 = session();
    expect(await overHttp2(http2, '/readyz')).toEqual({ status: 200, body: 'ok' });
    http2.destroy();
  });

  it.each([
    { because: 'no token', headers: {}, status: 401 },
    { because: 'a wrong token', headers: { authorization: 'Bearer wrong' }, status: 401 },
  ])('$because is $status', async ({ headers, status }) => {
    const answer = await overHttp1('/api', headers as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ kind: 'Status', reason: 'Unauthorized', message: 'Unauthorized' });
  });

  it('the token of one cluster opens no other', async () => {
    const headers = { authorization: `Bearer ${fleet.cluster('west').token}` };
    expect((await overHttp1('/api', headers)).status).toBe(401);
  });

  it('clusters are apart', () => {
    fleet.cluster('west').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'only-west' } });
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: 'only-west' };
    expect(fleet.cluster('west').get(ref)).toBeDefined();
    expect(east().get(ref)).toBeUndefined();
  });

  it.each([
    { because: 'broken JSON', type: 'application/json', body: '{broken', status: 400 },
    { because: 'broken YAML', type: 'application/yaml', body: 'a: [', status: 400 },
    { because: 'a list for an object', type: 'application/json', body: '[]', status: 400 },
    { because: 'an unknown format', type: 'text/plain', body: 'x', status: 415 },
    { because: 'more than 3 MiB', type: 'application/json', body: ' '.repeat(3 * 1024 * 1024 + 1), status: 413 },
    {
      because: 'labels that are no texts',
      type: 'application/json',
      body: '{"metadata":{"name":"x","labels":{"a":1}}}',
      status: 400,
    },
  ])('$because is $status', async ({ type, body, status }) => {
    expect((await overHttp1(MAPS, { ...bearer(), 'content-type': type }, 'POST', body)).status).toBe(status);
  });

  it('a path that cannot be decoded is 400', async () => {
    expect((await overHttp1('/api/v1/namespaces/%zz', bearer())).status).toBe(400);
  });

  it('a watch follows over HTTP/2, has bookmarks, and ends at its time-out', async () => {
    const http2 = session();
    const lines: string[] = [];
    const list = JSON.parse((await overHttp2(http2, MAPS)).body);
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=2&resourceVersion=${list.metadata.resourceVersion}`;
    const ended = overHttp2(http2, `${MAPS}?${query}`, (line) => lines.push(JSON.parse(line).type));
    await expect.poll(() => east().openWatches(), PATIENCE).toBe(1);
    east().create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen', namespace: 'default' } });
    expect((await ended).status).toBe(200);
    expect(lines, 'bookmarks come by the clock, before the object or after it').toContain('ADDED');
    expect(lines).toContain('BOOKMARK');
    expect(east().openWatches()).toBe(0);
    http2.destroy();
  });

  it('dropped connections break watches in the middle, and new ones are served', async () => {
    const http2 = session();
    const watching = overHttp2(http2, `${MAPS}?watch=true`);
    await expect.poll(() => east().openWatches(), PATIENCE).toBe(1);
    east().dropConnections();
    // The client sees a reset as an error. If data was still on its way, it sees an end without one: Node
    // does both.
    await watching.catch(() => undefined);
    await expect.poll(() => east().openWatches(), PATIENCE).toBe(0);
    expect((await overHttp1('/readyz', bearer())).status).toBe(200);
  });

  it('a watch that is read slowly holds up no other request of its connection', async () => {
    const shared = session();
    const path = `${new URL(east().url).pathname}${MAPS}?watch=true`;
    const watch = shared.request({ ':path': path, ...bearer() }).on('error', () => undefined);
    await once(watch, 'response');
    const chunks = watch[Symbol.asyncIterator]();
    const metadata = { name: 'long', namespace: 'default' };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(500_000) } };
    for (let round = 0; round < 60; round++) east().apply({ ...map, data: { ...map.data, round: `${round}` } });
    const statuses: number[] = [];
    for (let round = 0; round < 10; round++) {
      for (let read = 0; read < 1_000_000; ) read += (await chunks.next()).value.length;
      statuses.push((await overHttp2(shared, '/api/v1/namespaces/default')).status);
    }
    shared.destroy();
    expect(statuses).toEqual(Array(10).fill(200));
  });

  it('an injected refusal hits once, what it matches only', async () => {
    east().failNext({ verb: 'list', resource: 'secrets' }, 503, 'ServiceUnavailable', 'try later');
    expect((await overHttp1(MAPS, bearer())).status).toBe(200);
    const refused = await overHttp1('/api/v1/secrets', bearer());
    expect(JSON.parse(refused.body)).toMatchObject({ code: 503, reason: 'ServiceUnavailable', message: 'try later' });
    expect((await overHttp1('/api/v1/secrets', bearer())).status).toBe(200);
  });

  it('records who asked for what', async () => {
    const headers = {
      ...bearer(),
      'user-agent': 'probe/1',
      'impersonate-user': 'jane',
      'content-type': 'application/json',
    };
    const path = `${MAPS}?fieldManager=pen`;
    expect((await overHttp1(path, headers, 'POST', '{"metadata":{"name":"recorded"}}')).status).toBe(403);
    expect([...east().requests]).toEqual([
      {
        method: 'POST',
        path: MAPS,
        verb: 'create',
        userAgent: 'probe/1',
        impersonatedUser: 'jane',
        fieldManager: 'pen',
        resource: 'configmaps',
        namespace: 'default',
      },
    ]);
    expect(east().requests.writes()).toHaveLength(1);
  });

  it('a token that was requested for a service account opens the door in its name', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const answer = await overHttp1(path, { ...bearer(), 'content-type': 'application/json' }, 'POST', '{}');
    const { token } = JSON.parse(answer.body).status;
    const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const asked = await overHttp1(
      review,
      { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      'POST',
      '{}',
    );
    expect(JSON.parse(asked.body)).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:default' } },
    });
  });

  it('serves the client library: typed calls, apply of a custom resource, the refusal of a bad one', async () => {
    config.setCurrentContext('east');
    const namespaces = await config.makeApiClient(CoreV1Api).listNamespace();
    expect(namespaces.items.map((namespace) => namespace.metadata?.name)).toContain('kube-system');
    const objects = KubernetesObjectApi.makeApiClient(config);
    const subscription = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'sub', namespace: 'default' },
      spec: { name: 'etcd', source: 'catalog', sourceNamespace: 'olm' },
    };
    const apply = (object: typeof subscription) =>
      objects.patch(object, undefined, undefined, 'probe', true, PatchStrategy.ServerSideApply);
    await expect.poll(() => apply(subscription), PATIENCE).toMatchObject({ metadata: { generation: 1 } });
    await expect(
      apply({ ...subscription, spec: { ...subscription.spec, name: 7 as unknown as string } }),
    ).rejects.toMatchObject({
      code: 422,
      body: expect.stringContaining('spec.name in body must be of type string'),
    });
  });

  it('serves kubectl', needing(kubectlThere), async () => {
    const manifest = join(folder, 'web.yaml');
    await writeFile(manifest, web.map((object) => stringify(object)).join('---\n'));
    expect(await kubectl('get', 'ns')).toMatch(/^NAME\s+STATUS\s+AGE\ndefault\s+Active/);
    expect(await kubectl('api-resources', '--api-group=operators.coreos.com', '-o', 'name')).toContain(
      'installplans.operators.coreos.com',
    );
    expect(await kubectl('apply', '--server-side', '-f', manifest)).toContain('deployment.apps/web serverside-applied');
    await kubectl('wait', '-n', 'default', '--for=condition=Available', 'deployment/web', '--timeout=80s');
    expect(await kubectl('get', 'csv', '-A')).toMatch(
      /NAMESPACE\s+NAME\s+DISPLAY\s+VERSION.*PHASE\s*\ndefault\s+web\.v1\s+Web\s+1\.0\.0/,
    );
    await expect(kubectl('apply', '-f', manifest, '--validate=false')).resolves.toContain('configured');
    expect(await kubectl('delete', '-f', manifest)).toContain('deleted');
  });
});

const web = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  },
  {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'web.v1', namespace: 'default' },
    spec: { displayName: 'Web', version: '1.0.0', install: { strategy: 'deployment', spec: { deployments: [] } } },
  },
];
