import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HttpHubDecisions, HubApiUnusable, HubNotAsked } from './http-hub-decisions.js';
import type { HubDecision } from './hub-decisions.port.js';

type Asked = Readonly<{ method: string; path: string; authorization: string; body: unknown }>;
type Answer = Readonly<{ status: number; body: unknown }>;

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const ACCESS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const DECISIONS = '/apis/fleet.flotilla.dev/v1alpha1/namespaces/fleet/fleetdecisions';
const DECISION: HubDecision = {
  ...{ rollout: 'fleet/lamp-2', action: 'Approve', class: '3f9c', changes: ['Minor'] },
  ...{ reason: 'CHG-1', key: 'key-1' },
};
const JANE = { user: 'jane@example.com', groups: ['sre'] };

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? undefined : JSON.parse(text);
}

describe('the hub API, asked with the token of a person', () => {
  const asked: Asked[] = [];
  let answer: (request: Asked) => Answer;
  let server: Server;
  let hub: HttpHubDecisions;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, authorization: headers.authorization ?? '', body: await jsonOf(request) };
      asked.push(one);
      const { status, body } = answer(one);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    hub = await HttpHubDecisions.open({ server: `http://127.0.0.1:${port}`, caFile: '', answerWithinMs: 0 });
  });
  beforeEach(() => {
    asked.length = 0;
  });
  afterAll(async () => {
    await hub.close();
    server.close();
  });

  it('names the person by the token, which goes with the request alone', async () => {
    answer = () => ({ status: 201, body: { status: { userInfo: { username: JANE.user, groups: JANE.groups } } } });
    expect(await hub.personOf('token-1')).toEqual(JANE);
    expect(asked).toMatchObject([{ method: 'POST', path: REVIEWS, authorization: 'Bearer token-1' }]);
  });

  it('may not know the token: then there is no person', async () => {
    answer = () => ({ status: 401, body: { kind: 'Status', message: 'Unauthorized' } });
    expect(await hub.personOf('token-1')).toBeUndefined();
  });

  it('says which decisions the person may make about this rollout', async () => {
    answer = ({ body }) => {
      const { verb } = (body as { spec: { resourceAttributes: { verb: string } } }).spec.resourceAttributes;
      return { status: 201, body: { status: { allowed: verb !== 'rollback' } } };
    };
    expect(await hub.allowed('token-1', 'fleet/lamp-2', ['Pause', 'Rollback'])).toEqual(new Set(['Pause']));
    expect(asked.map(({ path }) => path)).toEqual([ACCESS, ACCESS]);
    expect(asked[0]?.body).toMatchObject({
      spec: { resourceAttributes: { resource: 'fleetrollouts', verb: 'pause', namespace: 'fleet', name: 'lamp-2' } },
    });
  });

  it('makes a FleetDecision in the name of the person, and waits for its answer', async () => {
    answer = ({ method }) =>
      method === 'POST'
        ? { status: 201, body: {} }
        : { status: 200, body: { status: { effective: true, reason: 'Effective', at: '2026-11-30T10:00:00Z' } } };
    const end = await hub.decide('token-1', JANE, DECISION);
    expect(end).toMatchObject({
      outcome: 'effective',
      decision: expect.stringMatching(/^lamp-2-approve-[0-9a-f]{16}$/),
    });
    expect(asked.map(({ method, authorization }) => [method, authorization])).toEqual([
      ['POST', 'Bearer token-1'],
      ['GET', 'Bearer token-1'],
    ]);
    const spec = { rollout: 'lamp-2', action: 'Approve', class: '3f9c', changes: ['Minor'], reason: 'CHG-1', by: JANE };
    const metadata = { name: end.decision, namespace: 'fleet' };
    expect(asked[0]).toMatchObject({ path: DECISIONS, body: { kind: 'FleetDecision', metadata, spec } });
    expect(asked[1]?.path).toBe(`${DECISIONS}/${end.decision}`);
  });

  it('makes the same decision once: a second request with its key finds the first', async () => {
    answer = ({ method }) =>
      method === 'POST'
        ? { status: 409, body: { kind: 'Status', reason: 'AlreadyExists', message: 'exists' } }
        : { status: 200, body: { status: { effective: false, at: 'now', message: 'it has ended' } } };
    expect(await hub.decide('token-1', JANE, DECISION)).toMatchObject({
      outcome: 'no-effect',
      message: 'it has ended',
    });
    const names = new Set(asked.flatMap(({ body }) => (body as { metadata?: { name: string } })?.metadata?.name ?? []));
    await hub.decide('token-1', JANE, { ...DECISION, key: 'key-2' });
    const other = (asked[2]?.body as { metadata: { name: string } } | undefined)?.metadata.name ?? '';
    expect(names.has(other)).toBe(false);
  });

  it('makes another decision if any part of it differs', async () => {
    answer = ({ method }) => ({ status: method === 'POST' ? 201 : 200, body: {} });
    const parts = [{}, { class: '77ab' }, { changes: ['Patch'] }, { wave: 'lab' }, { reason: 'CHG-2' }];
    const ends = await Promise.all(parts.map((part) => hub.decide('token-1', JANE, { ...DECISION, ...part })));
    expect(new Set(ends.map(({ decision }) => decision)).size).toBe(parts.length);
  });

  it('names a decision about a rollout with a long name', async () => {
    answer = ({ method }) => ({ status: method === 'POST' ? 201 : 200, body: {} });
    const rollout = `fleet/${'x'.repeat(198)}-.${'y'.repeat(20)}`;
    const { decision } = await hub.decide('token-1', JANE, { ...DECISION, rollout });
    expect(decision).toMatch(/^x{198}-approve-[0-9a-f]{16}$/);
  });

  it('explains a decision without effect by its reason if there is no message', async () => {
    const status = { effective: false, reason: 'NotWaiting', at: 'now' };
    answer = ({ method }) => ({ status: method === 'POST' ? 201 : 200, body: method === 'POST' ? {} : { status } });
    expect(await hub.decide('token-1', JANE, DECISION)).toMatchObject({ outcome: 'no-effect', message: 'not waiting' });
  });

  it('names a decision that was made even if its answer cannot be read', async () => {
    answer = ({ method }) =>
      method === 'POST' ? { status: 201, body: {} } : { status: 500, body: { message: 'etcd is away' } };
    expect(await hub.decide('token-1', JANE, DECISION)).toEqual({
      outcome: 'unanswered',
      decision: expect.stringMatching(/^lamp-2-approve-/),
      message: 'Its answer cannot be read: the hub API answered 500: etcd is away.',
    });
  });

  it.each([
    [{ status: 403, body: { message: 'jane may not approve\u001b[2J it' } }, 'refused', 'jane may not approve [2J it'],
    [{ status: 422, body: { message: 'spec.class: too long' } }, 'refused', 'spec.class: too long'],
    [{ status: 404, body: { message: 'namespaces "fleet" not found' } }, 'refused', 'namespaces "fleet" not found'],
    [{ status: 400, body: { message: 'not this kind' } }, 'refused', 'not this kind'],
  ])('passes a refusal on in one line: %o', async (refusal, outcome, message) => {
    answer = () => refusal;
    expect(await hub.decide('token-1', JANE, DECISION)).toEqual({ outcome, decision: '', message });
  });

  it('has not answered yet: the decision stands', async () => {
    answer = ({ method }) => ({ status: method === 'POST' ? 201 : 200, body: {} });
    expect(await hub.decide('token-1', JANE, DECISION)).toMatchObject({ outcome: 'unanswered' });
  });

  it.each([
    ['an error', { status: 500, body: { message: 'etcd is away' } }],
    ['another answer than asked for', { status: 201, body: { status: 'x' } }],
  ])('answers with %s: the failure is named without the token', async (_, wrong) => {
    answer = () => wrong;
    const failure = await hub.personOf('token-1').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HubNotAsked);
    expect(String(failure)).toMatch(/the hub API answered (500: etcd is away|201: no Status)/);
    expect(String(failure)).not.toContain('token-1');
  });
});

describe('a hub API that cannot be used', () => {
  it('is one without https, unless it is on this machine', async () => {
    const open = HttpHubDecisions.open({ server: 'http://fleet.example.com', caFile: '' });
    await expect(open).rejects.toThrow(HubApiUnusable);
  });

  it('is one whose certificates cannot be read', async () => {
    const open = HttpHubDecisions.open({ server: 'https://fleet.example.com', caFile: '/nowhere/ca.pem' });
    await expect(open).rejects.toThrow('FLOTILLA_CONSOLE_HUB_API_CA_FILE: /nowhere/ca.pem cannot be read');
  });

  it('is one whose file has no certificate', async () => {
    const caFile = import.meta.filename;
    const open = HttpHubDecisions.open({ server: 'https://fleet.example.com', caFile });
    await expect(open).rejects.toThrow(HubApiUnusable);
    await expect(open).rejects.toThrow('has no certificate in PEM');
  });
});
