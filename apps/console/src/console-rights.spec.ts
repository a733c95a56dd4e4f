import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleQuestion } from '#core/view/questions/console-question';
import { PolicyModel } from '#core/view/rights/console-policy';
import { type Grantee, rightsOf } from '#core/view/rights/rights';
import { SystemClock } from '#platform/clock/system-clock';
import type { TrailEntry } from '#platform/console/audit-trail.port';
import { silentLog } from '#platform/telemetry/log.port';
import { AuditLog } from './audit/audit-log.js';
import { contentAnswer } from './catalog/content.fixture.js';
import { clusterRow, fillTwoClusters, openConsole, planRow, type RunningConsole } from './console.fixture.js';
import type { SignIn } from './sign-in/sign-in.js';

const POLICY = PolicyModel.parse({
  grants: [
    { groups: ['sre'], role: 'admin', clusters: ['*'] },
    { users: ['owner'], role: 'viewer', clusters: ['west'], namespaces: ['lamps'] },
    { users: ['lamps', 'both'], role: 'approver', clusters: ['*'], packages: ['lamp'] },
    { users: ['both'], role: 'viewer', clusters: ['*'] },
  ],
});
const PEOPLE: Readonly<Record<string, Grantee>> = {
  ann: { name: 'ann', groups: ['sre'] },
  owner: { name: 'owner', groups: [] },
  lamps: { name: 'lamps', groups: [] },
  both: { name: 'both', groups: [] },
  stranger: { name: 'stranger', groups: [] },
};

/** The cookie names the person: what an account signs in as. */
const byName: SignIn = {
  personOf: async ({ cookie = '' }) => {
    const known = PEOPLE[cookie];
    return known && { ...known, by: 'oidc', rights: rightsOf(POLICY, known), session: cookie, csrf: `token-${cookie}` };
  },
};

const asker = {
  ask: async (question: ConsoleQuestion) =>
    question.ask === 'explain' ? { answer: { because: [], advice: [] } } : contentAnswer(question),
};

let run: RunningConsole;
let folder: string;
let audit: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  audit = join(folder, 'audit.jsonl');
  run = await openConsole({ FLOTILLA_CONSOLE_AUDIT_FILE: audit }, { signIns: [byName], asker });
  fillTwoClusters(run.view);
  const labelled = clusterRow('east', { labels: { site: 'east-1', harbor: 'yes' } });
  run.view.write({ cluster: 'east', changed: [labelled], removed: [] });
});
afterAll(async () => {
  await run.service.stop();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const ask = async (who: string, path: string) => {
  const answer = await run.get(`/api/v1/${path}`, { cookie: who });
  return { status: answer.status, text: await answer.text() };
};
const audited = async () =>
  (await readFile(audit, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const LISTS = ['clusters', 'operators', 'packages', 'plans', 'plan-classes', 'catalogs', 'catalog-rows', 'causes'];
const PICTURES = ['trend', 'version-trend?package=harbor', 'cluster-map'];
const ALL = [...LISTS, ...PICTURES, 'fleet', 'rollouts', 'changes', 'search?q=e', 'search?q=harbor'];

describe('plan classes', () => {
  it.each([
    ['ann', 1],
    ['both', 1],
    ['owner', 0],
  ])('count the plans that %s may approve: %i', async (who, mayApprove) => {
    const { items } = JSON.parse((await ask(who, 'plan-classes')).text);
    expect(items).toMatchObject([{ plans: 1, mayApprove }]);
  });

  it('are filtered by the parts to review first, and counted', async () => {
    const { facets } = JSON.parse((await ask('ann', 'plan-classes?facets=change,risk')).text);
    expect(facets).toEqual({ change: [{ value: 'minor', count: 1 }], risk: [] });
    expect(JSON.parse((await ask('ann', 'plan-classes?change=major')).text)).toMatchObject({ total: 0 });
    expect(JSON.parse((await ask('ann', 'plan-classes?risk=crds')).text)).toMatchObject({ total: 0 });
  });
});

describe('what a person may not see', () => {
  it('is the content of a catalog that none of their clusters has', async () => {
    const packages = `catalogs/${'a'.repeat(16)}/packages`;
    for (const path of [packages, `${packages}/lamp`, `${packages}/lamp/graph`]) {
      expect((await ask('ann', path)).status).toBe(200);
      expect((await ask('owner', path)).status).toBe(404);
    }
  });

  it.each([
    { who: 'ann', status: 200 },
    { who: 'owner', status: 200 },
    // No row says any more which packages it moved.
    { who: 'lamps', status: 404 },
    { who: 'stranger', status: 404 },
  ])('is a plan that is complete, for who does not see all of its namespace: $who', async ({ who, status }) => {
    const plan = { cluster: 'west', kind: 'InstallPlan', namespace: 'lamps', name: 'install-0' };
    const headers = { cookie: who, 'sec-fetch-site': 'same-origin', 'x-csrf-token': `token-${who}` };
    expect((await run.post('/api/v1/questions/explain', plan, headers)).status).toBe(status);
  });

  it.each([
    { ask: 'explain', cluster: 'west', status: 200 },
    { ask: 'explain', cluster: 'east', status: 404 },
    // A catalog is seen by who sees anything in its cluster: no more of it than its row, and why it is so.
    { ask: 'object', cluster: 'west', status: 404 },
    { ask: 'whole-object', cluster: 'west', status: 404 },
    { ask: 'events', cluster: 'west', status: 404 },
  ])('$ask of a catalog in $cluster: $status', async ({ ask: what, cluster, status }) => {
    const catalog = { cluster, kind: 'CatalogSource', namespace: 'olm', name: 'samples' };
    const headers = { cookie: 'owner', 'sec-fetch-site': 'same-origin', 'x-csrf-token': 'token-owner' };
    expect((await run.post(`/api/v1/questions/${what}`, catalog, headers)).status).toBe(status);
  });

  it.each(ALL)('is in no answer of /%s', async (path) => {
    const { status, text } = await ask('owner', path);
    if (status === 404) return;
    expect(status).toBe(200);
    expect(text).not.toMatch(/east|harbor/);
    const stranger = await ask('stranger', path);
    expect(stranger.text).not.toMatch(/east|west|harbor|lamp/);
  });

  it('sums are those of what is seen', async () => {
    expect(JSON.parse((await ask('owner', 'operators?facets=true')).text)).toMatchObject({ total: 1 });
    expect(JSON.parse((await ask('owner', 'clusters')).text)).toMatchObject({
      total: 1,
      items: [{ cluster: 'west', counts: { failed: 0, 'needs-approval': 1 }, standing: 'needs-approval' }],
    });
    expect(JSON.parse((await ask('ann', 'operators')).text)).toMatchObject({ total: 3 });
  });

  it('is not there: the page Hub is a 404, and the refusal is in the audit log', async () => {
    expect(await ask('owner', 'hub')).toMatchObject({ status: 404 });
    expect(await ask('ann', 'hub')).toMatchObject({ status: 200 });
    expect(await audited()).toContainEqual(
      expect.objectContaining({
        ...{ event: 'refused', person: 'owner', verb: 'hub', address: '127.0.0.1' },
        because: expect.stringContaining('needs the role admin'),
      }),
    );
  });
});

describe('/can-i', () => {
  beforeAll(() => {
    const moves = ['lamp', 'harbor'].map((name) => ({ package: name, from: '', to: `${name}.v1.0.0` }));
    const plan = planRow('west', 'lamp', 'hash-2', { id: 'plan/lamps/install-2', name: 'install-2', moves });
    run.view.write({ cluster: 'west', changed: [plan], removed: [] });
  });

  it.each([
    ['lamps', 'verb=approve&cluster=east&namespace=lamps&package=lamp', true, 'approver of all clusters'],
    ['lamps', 'verb=approve&cluster=east&package=harbor', false, 'package harbor is outside'],
    ['lamps', 'verb=approve&cluster=east&package=lamp,harbor', false, 'package harbor is outside'],
    ['ann', 'verb=approve&cluster=east&package=lamp,harbor', true, 'admin of all clusters'],
    ['lamps', 'verb=approve&cluster=west&namespace=lamps&plan=install-1', true, 'approver of all clusters'],
    // This one moves a package of another team, too.
    ['both', 'verb=approve&cluster=west&namespace=lamps&plan=install-2', false, 'package harbor is outside'],
    ['ann', 'verb=approve&cluster=west&namespace=lamps&plan=install-2', true, 'admin of all clusters'],
    ['owner', 'verb=approve', false, 'needs the role approver'],
    ['stranger', 'verb=see&cluster=east', false, 'no grant names this person'],
  ])('%s %s: %s', async (who, query, allowed, says) => {
    const { text } = await ask(who, `can-i?${query}`);
    expect(JSON.parse(text)).toMatchObject({ allowed });
    expect(text).toContain(says);
  });

  it.each([
    ['lamps', 'verb=approve&cluster=west&namespace=lamps&plan=install-2', 404],
    ['owner', 'verb=approve&cluster=east&namespace=lamps&plan=install-1', 404],
    ['ann', 'verb=approve&cluster=west&plan=install-1', 400],
    ['ann', 'verb=approve&plan=install-1', 400],
  ])('%s %s: says nothing of a plan that is not seen, and asks for its address: %i', async (who, query, status) => {
    expect((await ask(who, `can-i?${query}`)).status).toBe(status);
  });
});

describe('the audit log', () => {
  it('is read by its owner alone, and holds neither key nor token', async () => {
    await run.get('/api/v1/hub');
    await ask('owner', 'hub');
    expect((await stat(audit)).mode & 0o777).toBe(0o600);
    const text = await readFile(audit, 'utf8');
    expect(text).not.toContain(run.key);
    expect(text).not.toContain('token-owner');
  });

  it('has one line for an event, whatever its texts hold', async () => {
    const file = join(folder, 'lines.jsonl');
    const log = new AuditLog({ file, clock: new SystemClock(), log: silentLog });
    const subject = { person: 'jane\u001b[2J', groups: [], address: '127.0.0.1', request: 'r' };
    await Promise.all([1, 2, 3].map(() => log.write(subject, { event: 'action', comment: 'a\nb\r"}' })));
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([1, 2, 3].map(() => ({ comment: 'a b "}' })));
    expect(lines.join()).not.toContain('\\u001b');
  });

  it('cuts a text that is too long, on the page Changes sooner, and no character in two', async () => {
    const file = join(folder, 'long.jsonl');
    const traced: TrailEntry[] = [];
    const trail = { add: async (entry: TrailEntry) => void traced.push(entry), read: async () => traced };
    const log = new AuditLog({ file, clock: new SystemClock(), log: silentLog, trail });
    const long = `x${'🚢'.repeat(5_000)}`;
    const subject = { person: long, groups: [], address: long, request: 'r' };
    await log.write(subject, { event: 'refused', verb: long, targets: [long], because: long });
    const [line = ''] = (await readFile(file, 'utf8')).split('\n');
    const cut = (most: number) => `x${'🚢'.repeat(most - 2)}…`;
    expect(JSON.parse(line)).toMatchObject({ person: cut(1_000), because: cut(1_000), targets: [cut(1_000)] });
    expect(traced).toMatchObject([
      { person: cut(200), because: cut(300), verb: cut(100), address: cut(100), targets: [cut(600)] },
    ]);
  });

  it('that cannot be written is an error: what it would record is not done', async () => {
    const log = new AuditLog({ file: join(folder, 'none', 'audit'), clock: new SystemClock(), log: silentLog });
    const subject = { person: 'jane', groups: [], address: '127.0.0.1', request: 'r' };
    await expect(log.write(subject, { event: 'action' })).rejects.toThrow('cannot be written (no such file');
    await expect(log.note(subject, { event: 'refused' })).resolves.toBeUndefined();
  });
});
