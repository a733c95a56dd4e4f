import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GateSpec } from '#core/kernel/api/fleet/fleet-strategy';
import type { GateQuestion } from '#core/rollout/gates/gate-question';
import { PATIENCE } from '#testing/patience';
import { HttpGates } from './http-gates.js';

const policy = { addresses: ['loopback' as const], registryHosts: [], grpcHosts: [] };

describe('gates that are asked over HTTP', () => {
  let server: Server;
  let url = '';
  const requests: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        requests.push(`${request.method} ${decodeURIComponent(request.url ?? '')} ${body}`.trim());
        if (request.url?.startsWith('/elsewhere')) return void response.writeHead(302, { location: '/hook' }).end();
        if (request.url?.startsWith('/broken')) return void response.writeHead(503).end();
        const vector = { status: 'success', data: { resultType: 'vector', result: [{ value: [1, '0.5'] }] } };
        response.end(JSON.stringify(request.method === 'GET' ? vector : { green: true, message: 'go' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const question = (gate: object): GateQuestion => ({
    ...{ rollout: 'platform/kafka-1', wave: 'lab', cluster: 'store-1', bundle: 'kafka.v2' },
    gate: GateSpec.parse({ name: 'g', ...gate }),
  });
  const ask = (gate: object, hosts: readonly string[] = ['127.0.0.1']) =>
    new HttpGates({ hosts, policy }).ask(question(gate));

  it('ask a Prometheus server about the cluster', async () => {
    const gate = { prometheus: { url: `${url}/`, query: 'up{cluster="$cluster"}', max: 1 } };
    expect(await ask(gate)).toEqual({ green: true, message: '' });
    expect(requests.at(-1)).toBe('GET /api/v1/query?query=up{cluster="store-1"}');
  });

  it('ask a webhook about the change', async () => {
    expect(await ask({ webhook: { url: `${url}/hook` } })).toEqual({ green: true, message: 'go' });
    const body = '{"rollout":"platform/kafka-1","wave":"lab","cluster":"store-1","bundle":"kafka.v2"}';
    expect(requests.at(-1)).toBe(`POST /hook ${body}`);
  });

  it('ask no host that the hub does not allow, and follow no redirect', async () => {
    const hook = { webhook: { url: `${url}/hook` } };
    const before = requests.length;
    expect(await ask(hook, [])).toMatchObject({
      message: expect.stringMatching(
        /\(FLOTILLA_FLEET_GATE_HOSTS\): .* add the host to that setting and restart the fleet controller$/,
      ),
    });
    expect(await ask(hook, ['other.example'])).not.toHaveProperty('green');
    const strict = new HttpGates({ hosts: ['127.0.0.1'], policy: { ...policy, addresses: ['public'] as never } });
    expect(await strict.ask(question(hook))).toEqual({
      message: expect.stringMatching(
        /^address of 127\.0\.0\.1:\d+ is not allowed by the hub \(FLOTILLA_OUTBOUND_ADDRESSES\): /,
      ),
    });
    // A name that leads into the network of the hub by now is checked when the connection is made.
    const { port } = new URL(url);
    const rebound = new HttpGates({ hosts: ['localhost'], policy: { ...policy, addresses: ['public'] as never } });
    expect(await rebound.ask(question({ webhook: { url: `http://localhost:${port}/hook` } }))).toEqual({
      message: expect.stringMatching(/^address of localhost:\d+ is not allowed by the hub/),
    });
    expect(requests).toHaveLength(before);
    expect(await ask({ webhook: { url: `${url}/elsewhere` } })).not.toHaveProperty('green');
    expect(await ask({ webhook: { url: `${url}/broken` } })).toEqual({
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ answers 503$/),
    });
  });

  it('wait for a host that does not answer within bounds, and keep no other rollout and host waiting', async () => {
    let hanging = 0;
    const silent = createServer(() => {
      hanging += 1;
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const slow = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const gates = new HttpGates({ hosts: ['127.0.0.1'], policy, timeoutMs: 3_000 });
    const of = (rollout: string, hook: string) => gates.ask({ ...question({ webhook: { url: hook } }), rollout });
    const many = Array.from({ length: 40 }, () => of('team-a/hung', `${slow}/hook`));
    await expect.poll(() => hanging, PATIENCE).toBe(32);
    expect(await of('team-a/hung', `${url}/hook`)).toMatchObject({ green: true });
    const others = Array.from({ length: 40 }, () => of('team-b/hung', `${slow}/hook`));
    await expect.poll(() => hanging, PATIENCE).toBe(48);
    expect(await of('team-c/quick', `${url}/hook`)).toMatchObject({ green: true });
    expect(hanging).toBe(48);
    silent.closeAllConnections();
    silent.close();
    for (const { message } of await Promise.all([...many, ...others])) expect(message).toContain('cannot reach');
  });

  it('say why a host gave no answer', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    await new Promise((resolve) => other.close(resolve));
    expect(await ask({ webhook: { url: `http://${host}/hook` } })).toEqual({
      message: `cannot reach ${host} (connection refused): check the host name, the network and the proxy`,
    });
  });
});
