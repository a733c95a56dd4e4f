import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';
import { PolicyModel } from '#core/view/rights/console-policy';
import { rightsOf } from '#core/view/rights/rights';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import { HubNotAsked } from '#platform/console/decisions/http-hub-decisions';
import {
  type HubDecision,
  type HubDecisionEnd,
  HubDecisions,
  type HubPerson,
} from '#platform/console/decisions/hub-decisions.port';
import { DeciderAnswer, RolloutDecisionAnswer } from './api/decisions.schema.js';
import { openConsole, type RunningConsole } from './console.fixture.js';
import type { SignIn } from './sign-in/sign-in.js';

const ALL = { clusters: ['*'] };
const POLICY = PolicyModel.parse({
  grants: [
    { users: ['jane', 'expired', 'unknown'], role: 'operator', ...ALL },
    { users: ['viewer', 'some'], role: 'viewer', ...ALL },
    { users: ['some'], role: 'operator', clusters: ['east'] },
    { users: ['limited'], role: 'viewer', ...ALL },
    { users: ['limited'], role: 'operator', ...ALL, packages: ['lamp'] },
    { users: ['owner'], role: 'operator', clusters: ['east'] },
  ],
});
const byName: SignIn = {
  personOf: async ({ cookie: name = '' }) =>
    name === ''
      ? undefined
      : {
          ...{ name, groups: [], by: 'oidc', rights: rightsOf(POLICY, { name, groups: [] }), session: name },
          csrf: `token-${name}`,
          signedInWith: async () => (name === 'expired' ? undefined : { token: `id-token-of-${name}` }),
        },
};

/** Knows people by their tokens, and remembers what was decided. */
class KnownHub extends HubDecisions {
  readonly decided: (HubDecision & Readonly<{ token: string; by: HubPerson }>)[] = [];
  end: HubDecisionEnd = { outcome: 'effective', decision: 'lamp-2-pause-1', message: '' };
  isAway = false;

  async personOf(token: string): Promise<HubPerson | undefined> {
    if (this.isAway) throw new HubNotAsked('the hub API did not answer: no route to host');
    const name = token.replace('id-token-of-', '');
    return name === 'unknown' ? undefined : { user: `oidc:${name}`, groups: ['oidc:sre'] };
  }

  async allowed(_token: string, _rollout: string, actions: readonly DecisionAction[]) {
    return new Set(actions.filter((action) => action !== 'Rollback'));
  }

  async decide(token: string, by: HubPerson, decision: HubDecision): Promise<HubDecisionEnd> {
    this.decided.push({ ...decision, token, by });
    return this.end;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const WAVE: FleetRolloutRow['waves'][number] = {
  ...{ name: 'all', phase: 'Open', members: 3, done: 1, underWay: 1, waiting: 1, failed: 0, skipped: 0, note: '' },
  ...{ openedAt: '', completedAt: '', soakUntil: '', deadline: '30m', code: '', soak: '', gates: [] },
};
const LAMP: FleetRolloutRow = {
  ...{ id: 'fleet/lamp-2', package: 'lamp', target: 'lamp.v1.1.0', phase: 'Progressing', reason: '', code: 'Planned' },
  ...{ message: '', startedAt: '2026-11-26T10:00:00Z', finishedAt: '', waves: [WAVE], failures: [], moreDecisions: 0 },
  classes: [{ hash: '3f9c', clusters: 2, changes: ['Minor', 'CRDChange'] }],
  packageKnown: true,
};

const APPROVE = { action: 'Approve', class: '3f9c', changes: ['Minor', 'CRDChange'] };

describe('decisions about rollouts', () => {
  let hub: KnownHub;
  let run: RunningConsole;
  let folder: string;
  let audit: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'decisions-'));
    audit = join(folder, 'audit.jsonl');
  });
  beforeEach(async () => {
    await run?.service.stop();
    hub = new KnownHub();
    run = await openConsole({ FLOTILLA_CONSOLE_AUDIT_FILE: audit }, { signIns: [byName], hubDecisions: hub });
    await run.view.writeRollouts([LAMP]);
  });
  afterAll(async () => {
    await run.service.stop();
    await rm(folder, { recursive: true, maxRetries: 5 });
  });

  const PATH = `/api/v1/rollouts/${encodeURIComponent(LAMP.id)}`;
  let count = 0;
  const asPage = (who: string) => ({
    ...{ cookie: who, 'x-csrf-token': `token-${who}`, 'sec-fetch-site': 'same-origin' },
    'idempotency-key': `key-000${++count}`,
  });
  const decider = async (who: string) =>
    DeciderAnswer.parse(await (await run.get(`${PATH}/decider`, { cookie: who })).json());
  const decide = (who: string, decision: object, headers: Readonly<Record<string, string>> = asPage(who)) =>
    run.post(`${PATH}/decisions`, { reason: 'CHG-1', ...decision }, headers);
  const audited = async () =>
    (await readFile(audit, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('go to the hub API with the token of the person and in their name, and into the audit log first', async () => {
    const answer = await decide('jane', { action: 'Approve', class: '3f9c', changes: ['Minor', 'CRDChange'] });
    expect(RolloutDecisionAnswer.parse(await answer.json())).toMatchObject({ outcome: 'effective', by: 'oidc:jane' });
    expect(hub.decided).toMatchObject([
      {
        ...{ rollout: LAMP.id, action: 'Approve', class: '3f9c', changes: ['Minor', 'CRDChange'], reason: 'CHG-1' },
        ...{ token: 'id-token-of-jane', by: { user: 'oidc:jane', groups: ['oidc:sre'] } },
      },
    ]);
    const lines = (await audited()).slice(-2);
    const line = { person: 'jane', verb: 'rollout-approve', targets: [LAMP.id] };
    expect(lines).toMatchObject([
      { ...line, event: 'action', comment: 'CHG-1' },
      { ...line, event: 'result', outcome: 'effective', action: 'lamp-2-pause-1' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('id-token');
  });

  it('of one person with one key have one key at the hub', async () => {
    const headers = asPage('jane');
    await decide('jane', { action: 'Pause' }, headers);
    await decide('jane', { action: 'Pause' }, headers);
    await decide('jane', { action: 'Pause' });
    const [first, second, third] = hub.decided.map(({ key }) => key);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it('are offered if both the policy and the hub API allow them', async () => {
    expect(await decider('jane')).toEqual({
      ...{ here: true, by: 'oidc:jane', because: '', classes: ['3f9c'] },
      may: ['Approve', 'Pause', 'Resume', 'Promote', 'Retry', 'Abort'],
    });
    expect(await decider('viewer')).toMatchObject({ here: true, may: [] });
    expect(await decider('some')).toMatchObject({ here: true, may: [] });
  });

  it.each([
    ['unknown', 'The hub API does not accept your sign-in here.'],
    ['expired', 'Your sign-in at the issuer has expired. Sign in again to decide here.'],
  ])('are commands for %s', async (who, because) => {
    expect(await decider(who)).toEqual({ here: false, by: '', may: [], classes: [], because });
  });

  it('are commands while the hub API does not answer', async () => {
    hub.isAway = true;
    expect((await decider('jane')).because).toContain('did not answer: no route to host');
    expect((await decide('jane', { action: 'Pause' })).status).toBe(502);
  });

  it.each([
    ['a viewer', 'viewer', { action: 'Pause' }, 403],
    ['an operator of some clusters', 'some', { action: 'Pause' }, 403],
    ['a person who does not see the rollout', 'owner', { action: 'Pause' }, 404],
    ['a token that the hub API does not know', 'unknown', { action: 'Pause' }, 403],
    ['a session whose token has expired', 'expired', { action: 'Pause' }, 401],
    ['a decision that the rollout does not take', 'jane', { action: 'Resume' }, 409],
    ['another class than waits', 'jane', { action: 'Approve', class: 'ffff', changes: ['Minor'] }, 409],
    ['an approval of nothing that was shown', 'jane', { action: 'Approve', class: '3f9c' }, 400],
    ['kinds of change that the class does not have', 'jane', { ...APPROVE, changes: ['Minor', 'Major'] }, 409],
    ['no reason', 'jane', { action: 'Pause', reason: ' x ' }, 400],
  ])('are refused for %s', async (_, who, decision, status) => {
    expect((await decide(who, decision)).status).toBe(status);
    expect(hub.decided).toEqual([]);
  });

  it('about one package need a grant of that package', async () => {
    expect((await decider('limited')).may).toEqual(['Approve', 'Pause', 'Resume', 'Promote', 'Retry', 'Abort']);
    expect((await decide('limited', APPROVE)).status).toBe(200);
    expect((await decide('limited', { action: 'Pause' })).status).toBe(200);
  });

  it('about a rollout whose packages are not known need a grant of all', async () => {
    const { packageKnown: _, ...row } = LAMP;
    await run.view.writeRollouts([row]);
    expect(await decider('limited')).toMatchObject({ here: true, may: [] });
    expect((await decide('limited', { action: 'Pause' })).status).toBe(403);
    expect((await decide('jane', { action: 'Pause' })).status).toBe(200);
  });

  it.each(['NeighbourMove', 'NewDependency', 'CatalogOnly'])(
    'to approve a class with %s need a grant of all packages',
    async (change) => {
      const changes = ['Minor', change];
      await run.view.writeRollouts([{ ...LAMP, classes: [{ hash: '3f9c', clusters: 2, changes }] }]);
      expect((await decider('limited')).may).not.toContain('Approve');
      expect((await decide('limited', { ...APPROVE, changes: ['Minor'] })).status).toBe(403);
      expect((await decide('jane', { ...APPROVE, changes })).status).toBe(200);
      expect((await decide('limited', { action: 'Pause' })).status).toBe(200);
    },
  );

  it('to approve are offered for the classes that the person may approve, and not for others', async () => {
    const classes = [
      { hash: '3f9c', clusters: 2, changes: ['Minor'] },
      { hash: '77ab', clusters: 1, changes: ['Minor', 'NeighbourMove'] },
    ];
    await run.view.writeRollouts([{ ...LAMP, classes }]);
    expect((await decider('jane')).classes).toEqual(['3f9c', '77ab']);
    expect(await decider('limited')).toMatchObject({ may: expect.arrayContaining(['Approve']), classes: ['3f9c'] });
    for (const { hash, changes } of classes) {
      const { status } = await decide('limited', { action: 'Approve', class: hash, changes });
      expect(status, hash).toBe(hash === '3f9c' ? 200 : 403);
    }
  });

  it('are refused without the token of the session, from other pages, and without a key', async () => {
    const { 'x-csrf-token': _token, ...without } = asPage('jane');
    const { 'idempotency-key': _key, ...keyless } = asPage('jane');
    const foreign = { ...asPage('jane'), 'sec-fetch-site': 'cross-site' };
    const answers = await Promise.all(
      [without, keyless, foreign].map((one) => decide('jane', { action: 'Pause' }, one)),
    );
    expect(answers.map(({ status }) => status)).toEqual([403, 400, 403]);
    expect(hub.decided).toEqual([]);
  });

  it('are commands for the key of this machine, which names no person at the hub', async () => {
    const answer = await run.get(`${PATH}/decider`);
    expect(await answer.json()).toEqual({ here: false, by: '', may: [], classes: [], because: '' });
    const bearer = { authorization: `Bearer ${run.key}`, 'idempotency-key': 'key-of-link' };
    expect((await run.post(`${PATH}/decisions`, { action: 'Pause', reason: 'CHG-1' }, bearer)).status).toBe(503);
  });
});
