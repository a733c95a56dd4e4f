import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { RECEIVER_SECRET } from '#core/rollout/notifications/receiver-login';
import type { ReceiverRequest } from '#core/rollout/notifications/receiver-requests';
import { Notifier } from '#lifecycle/rollouts/notifications/notifier';
import { SystemClock } from '#platform/clock/system-clock';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { memoryQueues } from '#platform/queue/queues';
import { silentLog } from '#platform/telemetry/log.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';

const REF = { apiVersion: FLEET_API, kind: 'FleetNotification' } as const;
const CLUSTERS = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
const CHAT = { name: 'chat', type: 'Slack', secretRef: { name: 'chat', namespace: 'receivers' } };

describe('notifications on a real API server, with the rights that are shipped', () => {
  let controlPlane: ControlPlane | undefined;
  let admin: KubeClient;
  let flags: readonly string[] = [];
  let notifier: Notifier;
  const queues = memoryQueues();
  const sent: ReceiverRequest[] = [];

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const [{ kubeconfigPath, name } = { kubeconfigPath: '', name: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'flotilla-notifier' });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    admin = loaded;
    flags = ['--fleet', name, '--kubeconfig', kubeconfigPath];
    expect((await runFlotilla(['fleet', 'init', '--context', name, '--kubeconfig', kubeconfigPath])).exit).toBe(0);
    for (const namespace of ['flotilla', 'receivers']) {
      await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    const rights = await readFile(join(PROJECT_ROOT, 'k8s/components/notifications/rights.yaml'), 'utf8');
    for (const one of loadAll(rights)) await admin.apply(KubernetesObject.parse(one));
    await admin.create({
      ...{
        apiVersion: 'v1',
        kind: 'Secret',
        type: RECEIVER_SECRET,
        metadata: { name: 'chat', namespace: 'receivers' },
      },
      data: { url: Buffer.from('https://chat.example/hush').toString('base64') },
    } as KubernetesObject);
    const account = admin.actingAs({
      user: 'system:serviceaccount:flotilla:notifier',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:flotilla', 'system:authenticated'],
    });
    notifier = new Notifier({
      ...{ hub: account, queue: queues.notify, clock: new SystemClock(), log: silentLog },
      send: async (request) => {
        sent.push(request);
        return {};
      },
    });
    notifier.start();
    const signal = new AbortController().signal;
    await queues.notify.process((job) => notifier.run(job, signal), { concurrency: 1 });
  });
  afterAll(async () => {
    await queues.notify.close({ deadlineMs: 5_000 });
    await notifier?.stop();
    await admin?.close();
    await controlPlane?.stop();
  });

  const notification = (spec: object, name = 'other') =>
    admin.create({ ...REF, metadata: { name }, spec } as KubernetesObject);
  const listed = async (...args: readonly string[]) => {
    const { out, exit } = await runFlotilla(['fleet', 'notifications', '-o', 'json', ...args, ...flags]);
    const { receivers } = JSON.parse(out) as { receivers: Readonly<{ delivered: number; failure: string }>[] };
    return { exit, receivers };
  };

  it.each([
    [{}, /receivers/],
    [{ receivers: [] }, /should have at least 1 items/],
    [{ receivers: [CHAT, CHAT] }, /receivers must have different names/],
    [{ receivers: [{ ...CHAT, type: 'Carrier' }] }, /Unsupported value/],
    [{ receivers: [CHAT], events: ['Started'] }, /Unsupported value/],
    [{ receivers: [CHAT], group: { interval: '1s' } }, /must be at least 5s/],
    [{ receivers: [CHAT], consoleURL: 'ftp://console' }, /consoleURL/],
  ])('refuses a FleetNotification %j', async (spec, says) => {
    await expect(notification(spec)).rejects.toThrow(says);
  });

  it('name the right to the Secret, and are sent once the owner of the namespace gives it', async () => {
    await notification({ receivers: [CHAT], group: { wait: '0s', interval: '5s' } }, 'on-call');
    await expect
      .poll(async () => (await listed('--test', 'on-call')).receivers[0]?.failure, LONG_PATIENCE)
      .toMatch(/^the notifier may not read Secret receivers\/chat: bind ClusterRole flotilla:notifier-secrets /);
    expect(sent).toEqual([]);
    await admin.create({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' },
      metadata: { name: 'notifier', namespace: 'receivers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'flotilla:notifier-secrets' },
      subjects: [{ kind: 'ServiceAccount', name: 'notifier', namespace: 'flotilla' }],
    } as KubernetesObject);
    await expect.poll(async () => (await listed()).receivers[0]?.delivered, LONG_PATIENCE).toBeGreaterThan(0);
    expect(sent[0]).toMatchObject({ url: 'https://chat.example/hush' });
  });

  it('report a cluster that does not answer, once', async () => {
    const { object } = await admin.create({
      ...CLUSTERS,
      metadata: { name: 'east' },
      spec: { access: { context: 'e' } },
    } as KubernetesObject);
    const lastTransitionTime = new Date().toISOString();
    const conditions = [{ type: 'Reachable', status: 'False', reason: 'Timeout', message: 'gone', lastTransitionTime }];
    await admin.updateStatus({ ...object, status: { conditions } } as KubernetesObject);
    const about = () => sent.filter(({ body }) => body.includes('ClusterUnreachable FleetCluster/east: Timeout: gone'));
    await expect.poll(() => about().length, LONG_PATIENCE).toBe(1);
    await admin.patch({ ...CLUSTERS, name: 'east' }, { metadata: { labels: { moved: 'yes' } } });
    await expect.poll(async () => (await listed()).exit, LONG_PATIENCE).toBe(0);
    expect(about()).toHaveLength(1);
  });
});
