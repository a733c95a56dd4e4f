import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { hopHash } from '#core/rollout/review/hop-hash';
import { APPROVAL_ANNOTATIONS } from '#core/view/actions/decide-approval';
import { publicProofKeys } from '#platform/console/proof/proof-keys';
import { RedisActionSender } from '#platform/console/redis-action-channel';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { HubKey } from '#platform/keys/hub-key';
import { connectRedis } from '#platform/redis/redis-connection';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { putSampleBundles, putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { hubKeyFile } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import type { ActionAnswer } from '../../apps/console/src/api/actions.schema.js';
import { clusterRow, openConsole, planRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { movesOf, subscriptionsIn } from '../../libs/lifecycle/src/rollouts/orders/classic/classic-subject.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const CLUSTERS = ['east', 'west', 'north'];
const NAMESPACE = 'harbors';
const EXAMPLES = join(PROJECT_ROOT, 'examples');
const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: NAMESPACE } as const;

describe('what is decided in the console, carried out by the applier', () => {
  const endings: (() => unknown)[] = [];
  let fleet: SimulatedFleet;
  let environment: ServicesEnvironment;
  let redis: Redis;
  let run: RunningConsole;
  let hash = '';
  let keys = 0;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-console-actions-'));
    endings.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    fleet = await startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 100 });
    endings.push(() => fleet.stop());
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
    const keyFile = join(folder, 'console-key');
    const settings = { FLOTILLA_CONSOLE_KEY_FILE: keyFile };
    environment = await startQuickEnvironment({ kubeconfigs: [kubeconfig], settings });
    endings.push(() => environment.stop());
    await putSampleBundles(EXAMPLES, environment.registry.put);
    await putSampleCatalog(EXAMPLES, 'v1', environment.registry);
    await Promise.all(environment.clients.map(subscribe));
    redis = connectRedis(environment.redis.url);
    endings.push(() => redis.disconnect());
    const proofKeys = publicProofKeys(await HubKey.open(hubKeyFile()));
    run = await openConsole(settings, { sender: new RedisActionSender(redis, environment.redisPrefix), proofKeys });
    endings.push(() => run.service.stop());
    for (const cluster of CLUSTERS) await showPlan(cluster);
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

  const planIn = (cluster: string): InstallPlan => {
    const [found] = fleet.cluster(cluster).list(PLAN);
    return InstallPlan.parse(found);
  };
  const refIn = (cluster: string) => ({ ...PLAN, name: planIn(cluster).metadata.name ?? '' });
  const target = (cluster: string) => ({ cluster, namespace: NAMESPACE, name: planIn(cluster).metadata.name ?? '' });

  /** The row of the plan, as the poller makes it. */
  async function showPlan(cluster: string): Promise<void> {
    const waits = () =>
      fleet
        .cluster(cluster)
        .list(PLAN)
        .some(({ status }) => (status as { phase?: string })?.phase === 'RequiresApproval');
    await vi.waitFor(() => expect(waits()).toBe(true), PATIENCE);
    const client = environment.clients.find((one) => one.cluster === cluster);
    if (client === undefined) throw new RangeError(cluster);
    const plan = planIn(cluster);
    // The Subscription refers to the plan a moment after it waits.
    const moves = await vi.waitFor(async () => {
      const found = movesOf(plan, await subscriptionsIn(client, NAMESPACE));
      expect(found).toHaveLength(1);
      return found;
    }, PATIENCE);
    hash = hopHash(plan, moves, 'olm');
    const name = plan.metadata.name ?? '';
    const row = planRow(cluster, 'harbor', hash, { id: `plan/${NAMESPACE}/${name}`, namespace: NAMESPACE, name });
    run.view.write({ cluster, changed: [clusterRow(cluster), row], removed: [] });
  }

  async function act(request: Readonly<Record<string, unknown>>): Promise<ActionAnswer> {
    const headers = { authorization: `Bearer ${run.key}`, 'idempotency-key': `action-000${++keys}` };
    const sent = await run.post('/api/v1/actions', request, headers);
    expect(sent.status).toBe(202);
    const { id } = (await sent.json()) as ActionAnswer;
    const answer = async () => (await (await run.get(`/api/v1/actions/${id}`)).json()) as ActionAnswer;
    const isOpen = async () => (await answer()).results.some(({ outcome }) => outcome === 'pending');
    await expect.poll(isOpen, PATIENCE).toBe(false);
    return answer();
  }
  const outcomes = ({ results }: ActionAnswer) =>
    Object.fromEntries(results.map(({ cluster, outcome, message }) => [cluster, `${outcome}: ${message}`]));

  it('approves nothing that is written to Redis without a proof of a person', async () => {
    const sender = new RedisActionSender(redis, environment.redisPrefix);
    const forged = {
      ...{ v: 1, id: '7f9c3c0e-3f3f-4c44-8b8e-3e4b2f1d2c11', verb: 'approve', targets: [target('east')] },
      ...{ planHash: hash, by: 'boss@bank.example', at: '2020-01-01T00:00:00Z' },
    } as const;
    await redis.xadd(`${environment.redisPrefix}:console:actions`, '*', 'action', JSON.stringify(forged));
    await expect.poll(async () => (await sender.results(forged.id)).length, PATIENCE).toBe(1);
    expect(await sender.results(forged.id)).toMatchObject([
      { outcome: 'refused', message: expect.stringContaining('no proof') },
    ]);
    expect(planIn('east').spec.approved).toBe(false);
  });

  it('approves one plan in three clusters, but not where it has changed since it was reviewed', async () => {
    fleet.cluster('north').edit(
      refIn('north'),
      ({ status }) => {
        const { plan: [first] = [] } = status as { plan?: { resource: { manifest: string } }[] };
        if (first) first.resource.manifest = first.resource.manifest.replace('{', '{"slipped":"in",');
      },
      'status',
    );
    const answer = await act({
      ...{ verb: 'approve', planHash: hash, targets: CLUSTERS.map(target) },
      comment: 'CHG-4711',
    });
    expect(outcomes(answer)).toEqual({
      east: 'done: approved',
      west: 'done: approved',
      north: 'changed-meanwhile: the content of the InstallPlan changed since the review: review it again',
    });
    expect(planIn('north').spec.approved).toBe(false);
    for (const cluster of ['east', 'west']) {
      expect(planIn(cluster).metadata.annotations).toMatchObject({
        [APPROVAL_ANNOTATIONS.by]: 'local',
        [APPROVAL_ANNOTATIONS.plan]: hash,
        [APPROVAL_ANNOTATIONS.comment]: 'CHG-4711',
      });
      await expect.poll(() => planIn(cluster).status?.phase, PATIENCE).toBe('Complete');
      const events = fleet.cluster(cluster).list({ apiVersion: 'v1', kind: 'Event', namespace: NAMESPACE });
      expect(events.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
        'Approved: approved by local in the console: CHG-4711',
      );
    }
  });

  it('says of a plan that is approved already by whom, and of one that is gone that it is', async () => {
    const again = await act({ verb: 'approve', planHash: hash, targets: [target('east')] });
    expect(outcomes(again)).toEqual({ east: 'changed-meanwhile: the InstallPlan is approved already, by local' });
    const gone = target('north');
    fleet.cluster('north').delete(refIn('north'));
    const answer = await act({ verb: 'approve', planHash: hash, targets: [gone] });
    expect(outcomes(answer)).toEqual({ north: 'changed-meanwhile: the InstallPlan no longer exists' });
  });

  it('leaves a cluster that refuses as it is, with the words of its API server', async () => {
    await showPlan('north');
    fleet.cluster('north').failNext({ verb: 'patch', resource: 'installplans' }, 403, 'Forbidden', 'not yours');
    const answer = await act({ verb: 'approve', planHash: hash, targets: [target('north')] });
    expect(outcomes(answer)).toEqual({ north: expect.stringContaining('refused: ') });
    expect(planIn('north').spec.approved).toBe(false);
  });
});
