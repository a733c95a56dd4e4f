import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ActionResult, ConsoleAction } from '#core/view/actions/console-action';
import { PolicyModel } from '#core/view/rights/console-policy';
import { rightsOf } from '#core/view/rights/rights';
import type { ActionSender } from '#platform/console/action-channel.port';
import { PATIENCE } from '#testing/patience';
import { ActionAnswer, Problem } from './api/actions.schema.js';
import { fillTwoClusters, openConsole, planRow, type RunningConsole } from './console.fixture.js';
import type { SignIn } from './sign-in/sign-in.js';

const POLICY = PolicyModel.parse({
  grants: [
    { users: ['lamps'], role: 'approver', clusters: ['west'], packages: ['lamp'] },
    { users: ['owner'], role: 'viewer', clusters: ['*'] },
  ],
});
const byName: SignIn = {
  personOf: async ({ cookie: name = '' }) =>
    name === '' ? undefined : { ...accountOf(name), session: name, csrf: `token-${name}` },
};
const accountOf = (name: string) =>
  ({ name, groups: [], by: 'oidc', rights: rightsOf(POLICY, { name, groups: [] }) }) as const;

const actions = new Map<string, ConsoleAction>();
const keys = new Map<string, string>();
let results: ActionResult[] = [];
const sender: ActionSender = {
  send: async (action, key) => {
    const known = keys.get(`${action.by} ${key}`);
    if (known !== undefined) return known;
    keys.set(`${action.by} ${key}`, action.id);
    actions.set(action.id, action);
    return action.id;
  },
  find: async (id) => actions.get(id),
  results: async () => results,
};

let run: RunningConsole;
let folder: string;
let audit: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'actions-'));
  audit = join(folder, 'audit.jsonl');
  run = await openConsole({ FLOTILLA_CONSOLE_AUDIT_FILE: audit }, { signIns: [byName], sender });
  fillTwoClusters(run.view);
  run.view.write({ cluster: 'east', changed: [planRow('east', 'lamp', 'hash-1')], removed: [] });
});
beforeEach(() => {
  actions.clear();
  results = [];
});
afterAll(async () => {
  await run.service.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const target = (cluster: string, name = 'install-1') => ({ cluster, namespace: 'lamps', name });
const approval = (...clusters: string[]) => ({
  ...{ verb: 'approve', planHash: 'hash-1', targets: clusters.map((cluster) => target(cluster)) },
});
let count = 0;
const asPage = (who: string, more: Readonly<Record<string, string>> = {}) => ({
  ...{ cookie: who, 'x-csrf-token': `token-${who}`, 'sec-fetch-site': 'same-origin' },
  ...{ 'idempotency-key': `key-000${++count}`, ...more },
});
const act = (who: string, body: unknown, more?: Readonly<Record<string, string>>) =>
  run.post('/api/v1/actions', body, asPage(who, more));
const audited = async () =>
  (await readFile(audit, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('an approval', () => {
  it('is sent for what the person may approve; the rest has ended, each with its reason', async () => {
    const answer = ActionAnswer.parse(await (await act('lamps', approval('west', 'east', 'north'))).json());
    expect(answer.results).toMatchObject([
      { cluster: 'west', outcome: 'pending' },
      { cluster: 'east', outcome: 'changed-meanwhile', message: expect.stringContaining('visible to you') },
      { cluster: 'north', outcome: 'changed-meanwhile', message: answer.results[1]?.message },
    ]);
    expect([...actions.values()]).toMatchObject([{ by: 'lamps', planHash: 'hash-1', targets: [target('west')] }]);
    results = [{ ...target('west'), outcome: 'done', message: 'approved' }];
    const later = async () => (await run.get(`/api/v1/actions/${answer.id}`, asPage('lamps'))).json();
    await expect.poll(later, PATIENCE).toMatchObject({ results: [{ cluster: 'west', outcome: 'done' }, {}, {}] });
    expect((await run.get(`/api/v1/actions/${answer.id}`, asPage('owner'))).status, 'of another person').toBe(404);
    await expect.poll(audited, PATIENCE).toContainEqual(
      expect.objectContaining({
        event: 'result',
        person: 'lamps',
        targets: ['west/lamps/install-1'],
        outcome: 'done',
      }),
    );
    expect(await audited()).toContainEqual(
      expect.objectContaining({ event: 'action', verb: 'approve', planHash: 'hash-1', action: answer.id }),
    );
  });

  it('of another content than the row has is not sent', async () => {
    const answer = await (await act('lamps', { ...approval('west'), planHash: 'hash-0' })).json();
    expect(answer).toMatchObject({
      results: [{ outcome: 'changed-meanwhile', message: expect.stringContaining('review again') }],
    });
    expect(actions.size).toBe(0);
  });

  it('of a plan that a rollout of the fleet decides about is not sent, and such plans are no class', async () => {
    const plan = planRow('west', 'lamp', 'hash-9', {
      id: 'plan/lamps/install-9',
      name: 'install-9',
      fleet: 'fleets/lamp',
    });
    run.view.write({ cluster: 'west', changed: [plan], removed: [] });
    const classes = async () => (await run.get('/api/v1/plan-classes', asPage('lamps'))).json();
    await expect
      .poll(classes, PATIENCE)
      .toMatchObject({ fleet: { plans: 1, operators: [{ operator: 'fleets/lamp', plans: 1, clusters: 1 }] } });
    expect(((await classes()) as { items: { hash: string }[] }).items.map(({ hash }) => hash)).toEqual(['hash-1']);
    const body = { verb: 'approve', planHash: 'hash-9', targets: [target('west', 'install-9')] };
    const message = expect.stringContaining('rollouts of FleetOperator fleets/lamp');
    expect(await (await act('lamps', body)).json()).toMatchObject({ results: [{ outcome: 'refused', message }] });
    expect(actions.size).toBe(0);
    run.view.write({ cluster: 'west', changed: [], removed: [plan.id] });
  });

  it('is refused to a viewer, and recorded', async () => {
    const refused = await act('owner', approval('west'));
    expect(refused.status).toBe(403);
    expect(Problem.parse(await refused.json()).code).toBe('not-allowed');
    expect(actions.size).toBe(0);
    expect(await audited()).toContainEqual(
      expect.objectContaining({
        event: 'refused',
        person: 'owner',
        verb: 'approve',
        targets: ['west/lamps/install-1'],
      }),
    );
  });

  it('with a key that was used before is the same action', async () => {
    const key = { 'idempotency-key': 'one-and-only' };
    const first = ActionAnswer.parse(await (await act('lamps', approval('west'), key)).json());
    const second = ActionAnswer.parse(await (await act('lamps', approval('west'), key)).json());
    expect([second.id, actions.size]).toEqual([first.id, 1]);
  });

  it.each([
    ['no Idempotency-Key', approval('west'), { 'idempotency-key': '' }, 400],
    ['no hash', { verb: 'approve', targets: [target('west')] }, {}, 400],
    ['a target twice', approval('west', 'west'), {}, 400],
    ['an unknown verb', { ...approval('west'), verb: 'delete' }, {}, 400],
    ['no token of the session', approval('west'), { 'x-csrf-token': '' }, 403],
    ['the token of another session', approval('west'), { 'x-csrf-token': 'token-owner' }, 403],
    ['another site', approval('west'), { 'sec-fetch-site': 'cross-site' }, 403],
    ['a sibling domain', approval('west'), { 'sec-fetch-site': 'same-site' }, 403],
    ['a form', approval('west'), { 'content-type': 'text/plain' }, 415],
  ])('with %s is refused', async (_, body, headers, status) => {
    const refused = await act('lamps', body, headers);
    expect(refused.status).toBe(status);
    expect(Problem.parse(await refused.json()).todo).not.toBe('');
    expect(actions.size).toBe(0);
  });
});

describe('where the audit log cannot be written', () => {
  it('nothing is done', async () => {
    const file = join(folder, 'none', 'audit.jsonl');
    const other = await openConsole({ FLOTILLA_CONSOLE_AUDIT_FILE: file }, { signIns: [byName], sender });
    fillTwoClusters(other.view);
    const refused = await other.post('/api/v1/actions', approval('west'), asPage('lamps'));
    expect([refused.status, Problem.parse(await refused.json()).code]).toEqual([503, 'no-audit']);
    expect(actions.size).toBe(0);
    await other.service.stop();
  });
});
