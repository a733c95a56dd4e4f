import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { APPROVAL_ANNOTATIONS } from '#core/view/actions/decide-approval';
import { SystemClock } from '#platform/clock/system-clock';
import { publicProofKeys } from '#platform/console/proof/proof-keys';
import { RedisActionSender } from '#platform/console/redis-action-channel';
import { RedisQuestionAsker } from '#platform/console/redis-question-channel';
import { RedisSessionStore } from '#platform/console/redis-session-store';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { HubKey } from '#platform/keys/hub-key';
import { connectRedis } from '#platform/redis/redis-connection';
import { RedisViewReader } from '#platform/view/redis-view-reader';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { putSampleBundles, putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { hubKeyFile } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import type { ActionAnswer } from '../../apps/console/src/api/actions.schema.js';
import { openConsole, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ISSUED_SECRET, TestIssuer } from '../../apps/console/src/sign-in/test-issuer.fixture.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const HOST = 'console.example.com';
const NAMESPACE = 'harbors';
const EXAMPLES = join(PROJECT_ROOT, 'examples');
const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: NAMESPACE } as const;
const grantOf = (group: string, role: string) => `  - { groups: [${group}], role: ${role}, clusters: ["*"] }\n`;

type Answer = Readonly<{ status: number; text: string; location: string; cookies: readonly string[] }>;

/** Poller, resolver and applier as processes, with an issuer. The console has a wider policy. */
describe('people with accounts, to the cluster and back', () => {
  const endings: (() => unknown)[] = [];
  let fleet: SimulatedFleet;
  let issuer: TestIssuer;
  let environment: ServicesEnvironment;
  let redis: Redis;
  let run: RunningConsole;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-people-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const file = async (name: string, text: string) => {
      await writeFile(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 100 });
    endings.push(() => fleet.stop());
    issuer = await TestIssuer.start();
    endings.push(() => issuer.stop());
    const accounts = {
      FLOTILLA_CONSOLE_OIDC_ISSUER: issuer.url,
      FLOTILLA_CONSOLE_OIDC_CLIENT_ID: 'flotilla',
    };
    const policy = await file('policy.yaml', `grants:\n${grantOf('sre', 'operator')}`);
    const kubeconfigs = [await file('kubeconfig', fleet.kubeconfig())];
    const settings = { ...accounts, FLOTILLA_CONSOLE_POLICY_FILE: policy };
    environment = await startQuickEnvironment({ kubeconfigs, settings });
    endings.push(() => environment.stop());
    await putSampleBundles(EXAMPLES, environment.registry.put);
    await putSampleCatalog(EXAMPLES, 'v1', environment.registry);
    await Promise.all(environment.clients.map(subscribe));
    redis = connectRedis(environment.redis.url);
    endings.push(() => redis.disconnect());
    const wider = `grants:\n${grantOf('sre', 'operator')}${grantOf('guests', 'operator')}`;
    const prefix = environment.redisPrefix;
    run = await openConsole(
      {
        ...accounts,
        FLOTILLA_CONSOLE_OIDC_CLIENT_SECRET_FILE: await file('secret', ISSUED_SECRET),
        FLOTILLA_CONSOLE_EXTERNAL_URL: `https://${HOST}`,
        FLOTILLA_CONSOLE_POLICY_FILE: await file('wider.yaml', wider),
      },
      {
        reader: new RedisViewReader(redis, prefix),
        sender: new RedisActionSender(redis, prefix),
        asker: new RedisQuestionAsker({ redis, prefix, clock: new SystemClock() }),
        sessions: new RedisSessionStore(redis, prefix),
        proofKeys: publicProofKeys(await HubKey.open(hubKeyFile())),
      },
    );
    endings.push(() => run.service.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  async function subscribe(client: ServicesEnvironment['clients'][number]): Promise<void> {
    await serveCrds(client);
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
    for (const file of ['1-namespace', '2-catalog-source', '3-subscription-manual']) {
      const text = await readFile(join(EXAMPLES, 'manifests', `${file}.yaml`), 'utf8');
      const placed = text.replaceAll('registry.example/', `${environment.registry.host}/`);
      for (const document of loadAll(placed)) await client.create(KubernetesObject.parse(document));
    }
  }

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, body?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const sent = request({ port: run.port, path, method, headers: { host: HOST, ...headers } }, async (answer) => {
        let text = '';
        for await (const piece of answer) text += String(piece);
        const cookies = (answer.headers['set-cookie'] ?? []).map((one) => one.split(';')[0] ?? '');
        resolve({ status: answer.statusCode ?? 0, text, location: answer.headers.location ?? '', cookies });
      });
      sent.once('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });

  /** Signs a person in. Returns the headers of requests of their page. */
  async function signIn(email: string, groups: readonly string[]) {
    issuer.account = { sub: email, email, email_verified: true, groups };
    const begun = await ask('/auth/login?to=/');
    const back = await fetch(begun.location, { redirect: 'manual' });
    const { pathname, search } = new URL(back.headers.get('location') ?? '');
    const cookie = (await ask(pathname + search, { cookie: begun.cookies.join('; ') })).cookies.join('; ');
    const { csrf } = JSON.parse((await ask('/api/v1/me', { cookie })).text);
    return { cookie, origin: `https://${HOST}`, 'content-type': 'application/json', 'x-csrf-token': csrf };
  }
  type Page = Awaited<ReturnType<typeof signIn>>;

  const planNow = (): InstallPlan => InstallPlan.parse(fleet.cluster('east').list(PLAN)[0]);

  async function approve(page: Page, key: string): Promise<ActionAnswer> {
    const found = async () => {
      const rows = JSON.parse((await ask('/api/v1/plans', page)).text) as { items?: { hash: string }[] };
      return rows.items?.[0]?.hash ?? '';
    };
    await expect.poll(found, PATIENCE).not.toBe('');
    const target = { cluster: 'east', namespace: NAMESPACE, name: planNow().metadata.name ?? '' };
    const body = { verb: 'approve', planHash: await found(), targets: [target] };
    const sent = await ask('/api/v1/actions', { ...page, 'idempotency-key': key }, body);
    expect([sent.status, sent.text]).toEqual([202, expect.any(String)]);
    const { id } = JSON.parse(sent.text);
    const answer = async (): Promise<ActionAnswer> => JSON.parse((await ask(`/api/v1/actions/${id}`, page)).text);
    await expect.poll(async () => (await answer()).results[0]?.outcome, PATIENCE).not.toBe('pending');
    return answer();
  }

  it('asks a cluster as who signed in, but not as whom the policy of the poller does not know', async () => {
    const body = { cluster: 'east', kind: 'Subscription', namespace: NAMESPACE, name: 'harbor-operator' };
    const jane = await signIn('jane@example.com', ['sre']);
    const isThere = async () => (await ask('/api/v1/questions/object', jane, body)).status;
    await expect.poll(isThere, PATIENCE).toBe(200);
    const joe = await signIn('joe@example.com', ['guests']);
    const events = await ask('/api/v1/questions/events', joe, body);
    expect([events.status, events.text]).toEqual([403, expect.stringContaining('does not let joe@example.com see')]);
  });

  it('approves in the name of the token, but not for whom the policy of the applier does not know', async () => {
    const joe = await approve(await signIn('joe@example.com', ['guests']), 'approval-of-joe');
    expect(joe.results).toMatchObject([{ outcome: 'refused', message: expect.stringContaining("applier's policy") }]);
    expect(planNow().spec.approved).toBe(false);
    const jane = await approve(await signIn('jane@example.com', ['sre']), 'approval-of-jane');
    expect(jane.results).toMatchObject([{ outcome: 'done' }]);
    expect(planNow().metadata.annotations).toMatchObject({ [APPROVAL_ANNOTATIONS.by]: 'jane@example.com' });
  });

  it('neither acts nor asks with the key of the console, which still shows rows', async () => {
    const key = { authorization: `Bearer ${run.key}`, 'content-type': 'application/json' };
    expect((await ask('/api/v1/fleet', key)).status).toBe(200);
    const body = { cluster: 'east', kind: 'Subscription', namespace: NAMESPACE, name: 'harbor-operator' };
    const asked = await ask('/api/v1/questions/explain', key, body);
    expect([asked.status, asked.text]).toEqual([403, expect.stringContaining('people sign in with accounts here')]);
  });
});
