import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { type FleetNotificationStatus, TEST_ANNOTATION } from '#core/kernel/api/fleet/fleet-notification';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { MessageSender } from '#platform/fleet/receivers/message-sender';
import { memoryQueues } from '#platform/queue/queues';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { fleetDefinitions, serveKinds } from '#testing/cluster/fleet-definitions';
import { Refusal } from '#testing/cluster/objects/refusal';
import { PATIENCE, PATIENCE_MS } from '#testing/patience';
import { Notifier } from './notifier.js';

const REF = { apiVersion: FLEET_API, kind: 'FleetNotification' } as const;
const RECEIVERS = 'receivers';
const HUSH = 'hush-path';
const SIGNING_KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const b64 = (text: string): string => Buffer.from(text).toString('base64');

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
type Taken = Readonly<{ path: string; id: string; body: string }>;

/** A receiver on this machine. */
class Receiver {
  readonly taken: Taken[] = [];
  answers: Readonly<Record<string, Answer>> = {};
  #server: Server | undefined;
  #port = 0;

  async start(): Promise<void> {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const path = request.url ?? '';
      const id = String(request.headers['webhook-id'] ?? '');
      this.taken.push({ path, id, body: Buffer.concat(chunks).toString('utf8') });
      const answer = Object.entries(this.answers).find(([end]) => path.endsWith(end))?.[1];
      if (answer === undefined) response.writeHead(200).end('ok');
      else answer(request, response);
    });
    const server = this.#server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
  }
}

describe('the notifier', () => {
  let hub: DirectCluster;
  let clock: ManualClock;
  let receiver: Receiver;
  let notifier: Notifier;
  let queues: ReturnType<typeof memoryQueues>;
  const attempts: string[] = [];

  /** A process of the notifier, with a queue of its own as after a restart of the whole hub. */
  const startNotifier = async ({ hosts = [receiver.host], timeoutMs = PATIENCE_MS } = {}) => {
    queues = memoryQueues({ clock });
    const policy = { addresses: ['loopback'], registryHosts: [], grpcHosts: [] } as const;
    const sender = new MessageSender({ hosts, policy, timeoutMs });
    notifier = new Notifier({
      ...{ hub: hub.client, queue: queues.notify, clock, log: silentLog },
      send: (request) => sender.send(request),
      onAttempt: (name, outcome) => attempts.push(`${name} ${outcome}`),
    });
    notifier.start();
    const signal = new AbortController().signal;
    await queues.notify.process((job) => notifier.run(job, signal), { concurrency: 4 });
  };
  const stopNotifier = async () => {
    await queues.notify.close({ deadlineMs: 1_000 });
    await notifier.stop();
  };

  beforeEach(async () => {
    attempts.length = 0;
    clock = new ManualClock();
    hub = directCluster('hub');
    await serveKinds(hub, await fleetDefinitions());
    await hub.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: RECEIVERS } });
    await hub.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'platform' } });
    receiver = new Receiver();
    await receiver.start();
  });
  afterEach(async () => {
    await stopNotifier();
    await hub.stop();
    await receiver.stop();
  });

  const passed = (ms = 1_000) => clock.advance(ms);
  const secret = (name: string, type = 'fleet.flotilla.dev/receiver') =>
    hub.client.apply({
      ...{ apiVersion: 'v1', kind: 'Secret', type, metadata: { name, namespace: RECEIVERS } },
      data: { url: b64(`http://${receiver.host}/${HUSH}/${name}`), signingKey: b64(SIGNING_KEY) },
    } as KubernetesObject);
  const to = (name: string, type = 'Webhook') => ({ name, type, secretRef: { name, namespace: RECEIVERS } });
  const notification = (name: string, spec: object) =>
    hub.client.create({
      ...{ ...REF, metadata: { name } },
      spec: { group: { wait: '0s', interval: '5s' }, ...spec },
    } as KubernetesObject);
  const cluster = async (name: string, status: 'True' | 'False') => {
    const ref = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
    const held = await hub.client.get({ ...ref, name });
    const object =
      held ?? (await hub.client.create({ ...ref, metadata: { name }, spec: { access: { context: name } } })).object;
    const lastTransitionTime = clock.now().toISOString();
    const condition = { type: 'Reachable', status, reason: 'Timeout', message: 'no answer', lastTransitionTime };
    await hub.client.updateStatus({ ...object, status: { conditions: [condition] } } as KubernetesObject);
  };
  const statusOf = async (name: string) => {
    await passed();
    return (hub.cluster.get({ ...REF, name })?.['status'] ?? {}) as FleetNotificationStatus;
  };
  const readyOf = async (name: string) => {
    const { conditions = [] } = await statusOf(name);
    return conditions.map(({ reason, message }) => `${reason}: ${message}`).join();
  };
  const delivered = async (name: string) =>
    Object.fromEntries(((await statusOf(name)).receivers ?? []).map((one) => [one.name, one.delivered]));

  it('sends an event once, also after a restart, and keeps secrets to itself', async () => {
    await secret('hook');
    await startNotifier();
    await notification('on-call', { receivers: [to('hook')] });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 1 receiver');
    await passed(60_000);
    await cluster('east', 'False');
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hook: 1 });
    await stopNotifier();
    await startNotifier();
    await cluster('west', 'False');
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hook: 2 });
    const subjects = receiver.taken.map(({ body }) =>
      JSON.parse(body).data.events.map((one: { subject: string }) => one.subject),
    );
    expect(subjects).toEqual([['FleetCluster/east'], ['FleetCluster/west']]);
    expect(JSON.stringify(hub.cluster.list(REF))).not.toContain(HUSH);
    expect(attempts).toEqual(['on-call delivered', 'on-call delivered']);
  });

  it('sends events of a time in which it was away', async () => {
    await secret('hook');
    await startNotifier();
    await notification('on-call', { receivers: [to('hook')] });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 1 receiver');
    await stopNotifier();
    await cluster('east', 'False');
    await startNotifier();
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hook: 1 });
  });

  it('names a receiver that hangs, one that answers 500 and one without a Secret, and holds up no other', async () => {
    for (const name of ['good', 'hangs', 'broken']) await secret(name);
    await secret('of-others', 'Opaque');
    receiver.answers = {
      hangs: () => undefined,
      broken: (_request, response) => response.writeHead(500).end('x'.repeat(1_000_000)),
    };
    await startNotifier({ timeoutMs: 1_000 });
    const receivers = [to('hangs'), to('broken'), to('absent'), to('of-others'), to('good', 'Slack')];
    await notification('on-call', { receivers });
    await notification('others', { receivers: [to('good')] });
    await expect.poll(() => readyOf('others'), PATIENCE).toBe('Delivering: 1 receiver');
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 5 receivers');
    await cluster('east', 'False');
    await expect.poll(() => delivered('on-call'), PATIENCE).toMatchObject({ good: 1, hangs: 0, broken: 0, absent: 0 });
    await expect.poll(() => delivered('others'), PATIENCE).toEqual({ good: 1 });
    const failures = async () =>
      Object.fromEntries(((await statusOf('on-call')).receivers ?? []).map((one) => [one.name, one.lastFailure]));
    await expect.poll(failures, PATIENCE).toEqual({
      hangs: `${receiver.host} gave no answer within 1 s`,
      broken: `${receiver.host} answers 500`,
      absent: 'there is no Secret receivers/absent: create it',
      'of-others': 'Secret receivers/of-others is not used: its type must be fleet.flotilla.dev/receiver',
      good: undefined,
    });
    expect(await readyOf('on-call')).toMatch(/^DeliveryFails: hangs: .*; 1 more$/);
    receiver.answers = {};
    await secret('absent');
    await secret('of-others-2');
    await passed(60_000);
    await expect.poll(() => delivered('on-call'), PATIENCE).toMatchObject({ hangs: 1, broken: 1, absent: 1, good: 1 });
  });

  it('stores the outcome of a receiver while another one hangs', async () => {
    for (const name of ['good', 'hangs']) await secret(name);
    const held: ServerResponse[] = [];
    receiver.answers = {
      hangs: (_request, response) => {
        held.push(response);
      },
    };
    await startNotifier();
    await notification('on-call', { receivers: [to('hangs'), to('good')] });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 2 receivers');
    await cluster('east', 'False');
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hangs: 0, good: 1 });
    expect(held).toHaveLength(1);
    for (const response of held) response.writeHead(204).end();
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hangs: 1, good: 1 });
  });

  it('repeats a message with the same identity, if an answer was lost', async () => {
    await secret('hook');
    let failures = 2;
    receiver.answers = {
      hook: (request, response) => {
        failures -= 1;
        if (failures >= 0) request.socket.destroy();
        else response.writeHead(204).end();
      },
    };
    await startNotifier();
    await notification('on-call', { receivers: [to('hook')] });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 1 receiver');
    await cluster('east', 'False');
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hook: 1 });
    const [first, ...others] = receiver.taken.map(({ id, body }) => `${id} ${body}`);
    expect(others).toEqual([first, first]);
  });

  it.each([
    ['refused as a conflict', 'Conflict', 409, 1],
    ['lost in the API server', 'InternalError', 500, 2],
  ])('loses nothing if the outcome of a message is %s', async (_what, reason, status, times) => {
    await secret('hook');
    await startNotifier();
    await notification('on-call', { receivers: [to('hook')] });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 1 receiver');
    const match = { verb: 'update', resource: 'fleetnotifications', subresource: 'status' };
    receiver.answers = {
      hook: (_request, response) => {
        if (receiver.taken.length === 1) hub.cluster.failNext(match, status, reason);
        response.writeHead(200).end();
      },
    };
    await cluster('east', 'False');
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hook: 1 });
    await passed(60_000);
    expect(receiver.taken).toHaveLength(times);
    expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(1);
  });

  it('asks no host that the hub does not allow', async () => {
    await secret('hook');
    await startNotifier({ hosts: ['chat.example'] });
    await notification('on-call', { receivers: [to('hook')] });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 1 receiver');
    await cluster('east', 'False');
    await expect
      .poll(() => readyOf('on-call'), PATIENCE)
      .toMatch(
        /^DeliveryFails: hook: host 127\.0\.0\.1:\d+ is not allowed by the hub \(FLOTILLA_NOTIFICATION_HOSTS\): /,
      );
    expect(receiver.taken).toEqual([]);
  });

  it('names a template that fails and a right that is missing, and sends the usual text', async () => {
    await secret('hook');
    await startNotifier();
    await notification('on-call', { receivers: [to('hook')], template: { line: '{{cluster}}' } });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toMatch(/^InvalidTemplate: spec\.template\.line: /);
    const refusal = new Refusal(403, 'Forbidden', 'secrets "hook" is forbidden');
    const grant = hub.cluster.failAll({ verb: 'get', resource: 'secrets' }, refusal);
    await cluster('east', 'False');
    await expect
      .poll(() => readyOf('on-call'), PATIENCE)
      .toBe(
        'DeliveryFails: hook: the notifier may not read Secret receivers/hook: bind ClusterRole flotilla:notifier-secrets to its account in namespace receivers',
      );
    grant();
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hook: 1 });
    expect(receiver.taken[0]?.body).toContain('ClusterUnreachable FleetCluster/east: Timeout: no answer');
  });

  it('makes one message of 200 clusters', async () => {
    await secret('hook');
    await startNotifier();
    await notification('on-call', { receivers: [to('hook')], group: { wait: '30s', interval: '1m' } });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 1 receiver');
    for (let at = 0; at < 200; at += 1) await cluster(`c-${at}`, 'False');
    await expect.poll(async () => (await statusOf('on-call')).receivers?.[0]?.waiting, PATIENCE).toBe(200);
    await passed(30_000);
    await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hook: 1 });
    await passed(300_000);
    expect(receiver.taken.map(({ body }) => JSON.parse(body).data.counts)).toEqual([{ ClusterUnreachable: 200 }]);
  });

  it('sends a test message for each request, and costs no request at rest', async () => {
    await secret('hook');
    await startNotifier();
    await notification('on-call', { receivers: [to('hook')] });
    await expect.poll(() => readyOf('on-call'), PATIENCE).toBe('Delivering: 1 receiver');
    for (const [at, value] of ['a', 'b'].entries()) {
      await hub.client.patch({ ...REF, name: 'on-call' }, { metadata: { annotations: { [TEST_ANNOTATION]: value } } });
      await expect.poll(() => delivered('on-call'), PATIENCE).toEqual({ hook: at + 1 });
    }
    expect(receiver.taken.map(({ body }) => JSON.parse(body).data.title)).toEqual(
      Array(2).fill('Test message of Flotilla'),
    );
    await passed(5_000);
    const writes = () => hub.cluster.requests.filter(({ method }) => method !== 'GET').length;
    const before = writes();
    for (let minutes = 0; minutes < 10; minutes += 1) await passed(60_000);
    expect(writes()).toBe(before);
  });

  it('watches no other kind while there is no FleetNotification', async () => {
    await startNotifier();
    for (let seconds = 0; seconds < 10; seconds += 1) await passed();
    const asked = hub.cluster.requests
      .map(({ path }) => path)
      .filter((path) => /fleet(clusters|rollouts)\b/.test(path));
    expect(asked).toEqual([]);
  });
});
