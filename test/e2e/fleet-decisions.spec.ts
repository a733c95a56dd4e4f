import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { DECISION_POLICY } from '#core/rollout/review/decision-policy';
import { decisionPolicyCheck } from '#lifecycle/rollouts/controller/decision-policy-check';
import { ManualClock } from '#platform/clock/manual-clock';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';
import { whoAmI } from '../../apps/cli/src/clusters/who-am-i.js';
import { decide as commandDecides } from '../../apps/cli/src/commands/fleet/decide/decide.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';

const AUTHENTICATED = 'system:authenticated';
const NAMESPACE = 'platform';
const ROLLOUT = 'platform/kafka-1';
const object = (kind: string, name: string, spec: object, namespace?: string) =>
  KubernetesObject.parse({ apiVersion: FLEET_API, kind, metadata: { name, namespace }, spec });
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();

/** Each action, with its further fields in the API. */
const ACTIONS: Readonly<Record<string, object>> = {
  ...{ Approve: { class: 'c' }, Reject: { class: 'c' }, BreakGlass: { expiresAt: hours(1) } },
  ...Object.fromEntries(
    ['Pause', 'Resume', 'Promote', 'Retry', 'Skip', 'Abort', 'Rollback'].map((action) => [action, {}]),
  ),
};
/** Each with its role in namespace platform. */
const USERS = {
  viola: 'fleet-viewer',
  alma: 'fleet-author',
  anna: 'fleet-approver',
  otto: 'fleet-operator',
  bert: 'fleet-break-glass',
} as const;
type User = keyof typeof USERS;

describe('a hub that flotilla fleet init has made', () => {
  let controlPlane: ControlPlane | undefined;
  let admin: KubeClient;
  let flags: readonly string[] = [];
  let adminName = '';

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const [{ kubeconfigPath, name } = { kubeconfigPath: '', name: '' }] = controlPlane.clusters;
    const [loaded] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'e2e' });
    if (loaded === undefined) throw new Error('the control plane has no cluster');
    admin = loaded;
    flags = ['--context', name, '--kubeconfig', kubeconfigPath];
    const { exit, err } = await runFlotilla(['fleet', 'init', ...flags]);
    expect({ exit, err }).toMatchObject({ exit: 0, err: expect.stringContaining('11 kinds, 7 roles') });
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    for (const [user, role] of Object.entries(USERS)) await bind(user, role);
    adminName = (await whoAmI(admin)).user;
    await vi.waitFor(async () => expect(await isPolicyInForce()).toBe(true), PATIENCE);
  });
  afterAll(async () => {
    await admin?.close();
    await controlPlane?.stop();
  });

  const bind = (user: string, role: string) =>
    admin.create(
      KubernetesObject.parse({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: `${role}-${user}`, namespace: NAMESPACE },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `flotilla:${role}` },
        subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
      }),
    );
  const as = (user: string, groups: readonly string[] = []) =>
    admin.actingAs({ user, groups: [...groups, AUTHENTICATED] });

  /** A policy is in force some moments after it was written. */
  async function isPolicyInForce(): Promise<boolean> {
    return (await decide(admin, 'Pause', { by: { user: 'nobody' } })) !== 'accepted';
  }

  /** Returns `accepted`, or the answer of the API server. */
  async function decide(client: KubeClient, action: string, more: object = {}): Promise<string> {
    const spec = { rollout: 'kafka-1', action, reason: 'CHG-1182', ...more };
    return told(() => client.create(object('FleetDecision', `d-${Math.random()}`, spec, NAMESPACE), { dryRun: true }));
  }
  async function told(write: () => Promise<unknown>): Promise<string> {
    try {
      await write();
      return 'accepted';
    } catch (error) {
      if (!(error instanceof KubeApiError)) throw error;
      return error.message;
    }
  }
  const by = (user: string, groups: readonly string[] = []) => ({ by: { user, groups } });

  it('changes nothing when it is made again, and says so', async () => {
    const again = await runFlotilla(['fleet', 'init', ...flags]);
    expect(again.exit).toBe(0);
    expect(again.out.trimEnd().split('\n')).toHaveLength(20);
    expect(again.out).not.toMatch(/created|configured/);
    const dry = await runFlotilla(['fleet', 'init', ...flags, '--dry-run', '-o', 'json']);
    expect(JSON.parse(dry.out)).toMatchObject({ verdict: 'yes', dryRun: true });
  });

  it.each([
    ['anna', 'Approve', { class: '3f9c1e2ab7d0' }],
    ['anna', 'Reject', { class: '3f9c1e2ab7d0' }],
    ...['Pause', 'Resume', 'Promote', 'Retry', 'Skip', 'Abort', 'Rollback'].map((action) => ['otto', action, {}]),
    ['bert', 'BreakGlass', { expiresAt: hours(1) }],
  ] as [User, string, object][])(
    'accepts a decision of %s, whose role has the verb: %s',
    async (user, action, more) => {
      expect(await decide(as(user), action, { ...by(user), ...more })).toBe('accepted');
    },
  );

  it('accepts groups that the author is in', async () => {
    const client = as('anna', ['change-board']);
    expect(await decide(client, 'Approve', { class: 'c', ...by('anna', ['change-board', AUTHENTICATED]) })).toBe(
      'accepted',
    );
  });

  it('refuses a decision in the name of another user', async () => {
    expect(await decide(as('otto'), 'Pause', by('anna'))).toMatch(
      /a decision is made in one's own name: you are otto, not anna/,
    );
  });

  it('refuses groups that the author is not in', async () => {
    const said = await decide(as('anna'), 'Approve', { class: 'c', ...by('anna', ['change-board']) });
    expect(said).toMatch(/spec\.by\.groups: some are not yours/);
  });

  it.each([
    ['anna', 'Pause', {}],
    ['otto', 'Approve', { class: 'c' }],
    ['otto', 'BreakGlass', { expiresAt: hours(1) }],
    ['bert', 'Abort', {}],
  ] as [User, string, object][])(
    'refuses a decision of %s, whose role lacks the verb: %s',
    async (user, action, more) => {
      const said = await decide(as(user), action, { ...by(user), ...more });
      expect(said).toContain(`${user} may not ${action.toLowerCase()} FleetRollout kafka-1 in namespace platform`);
    },
  );

  it('refuses authors and viewers any decision, and everybody one in another namespace', async () => {
    for (const user of ['viola', 'alma'] as const) {
      expect(await decide(as(user), 'Pause', by(user))).toMatch(/cannot create resource "fleetdecisions"/);
    }
    const spec = { rollout: 'kafka-1', action: 'Pause', reason: 'CHG-1182', ...by('otto') };
    const elsewhere = () => as('otto').create(object('FleetDecision', 'd', spec, 'default'), { dryRun: true });
    expect(await told(elsewhere)).toMatch(/cannot create resource "fleetdecisions"/);
  });

  it('refuses to lift windows for longer than four hours', async () => {
    expect(await decide(as('bert'), 'BreakGlass', { ...by('bert'), expiresAt: hours(5) })).toContain(
      'spec.expiresAt: must be at most 4 hours ahead',
    );
  });

  it('answers the command who decides, and refuses what the command asks for without the right', async () => {
    const caller = as('otto', ['night-shift']);
    const author = await whoAmI(caller);
    expect(author).toEqual({ user: 'otto', groups: ['night-shift', AUTHENTICATED] });
    const asked = { action: 'Pause', reason: 'CHG-1182' } as const;
    const terms = { dryRun: true, waitMs: undefined };
    expect(await commandDecides(caller, ROLLOUT, asked, author, terms)).toMatchObject({ result: 'would-be-effective' });
    const viewer = as('viola');
    expect(await commandDecides(viewer, ROLLOUT, asked, await whoAmI(viewer), terms)).toMatchObject({
      result: 'refused',
      reason: 'Forbidden',
    });
  });

  it('keeps decisions as they were made', async () => {
    const spec = { rollout: 'kafka-1', action: 'Pause', reason: 'CHG-1182', ...by('otto') };
    const { object: made } = await as('otto').create(object('FleetDecision', 'kept', spec, NAMESPACE));
    const changed = { ...made, spec: { ...spec, reason: 'another one' } } as KubernetesObject;
    expect(await told(() => admin.update(changed))).toContain('a decision is immutable');
    const effective = { ...made, status: { effective: true } } as KubernetesObject;
    expect(await told(() => as('otto').updateStatus(effective))).toMatch(
      /cannot update resource "fleetdecisions\/status"/,
    );
  });

  const wave = (more: object) => object('FleetStrategy', 's', { waves: [{ name: 'w', ...more }] }, NAMESPACE);
  const operator = (more: object) =>
    object('FleetOperator', 'o', { package: 'p', namespace: 'n', catalog: { fleetCatalog: 'c' }, ...more }, NAMESPACE);
  it.each([
    ['a percentage over 100', wave({ percent: 101 }), /spec\.waves\[0\]\.percent.*less than or equal to 100/],
    ['percent and count', wave({ percent: 5, count: 1 }), /only one of percent and count may be given/],
    ['a share that is none', wave({ maxConcurrent: '101%' }), /spec\.waves\[0\]\.maxConcurrent.*should match '\^\(100/],
    [
      'two waves of one name',
      object('FleetStrategy', 's', { waves: [{ name: 'w' }, { name: 'w' }] }, NAMESPACE),
      /waves need different names/,
    ],
    ['v1 of a Classic operator', operator({ v1: {} }), /classic goes with api Classic, v1 with api V1/],
    [
      'two forms of a catalog',
      operator({ catalog: { fleetCatalog: 'c', name: 'd' } }),
      /either fleetCatalog, or name and namespace/,
    ],
    [
      'a schedule and a period',
      object('FleetWindow', 'w', {
        type: 'Deny',
        schedule: { cron: '* * * * *', duration: '1h' },
        period: { from: hours(0), to: hours(1) },
      }),
      /only one of schedule and period/,
    ],
    ['an Allow without times', object('FleetWindow', 'w', { type: 'Allow' }), /an Allow needs schedule or period/],
    [
      'two logins',
      object('FleetCluster', 'c', { access: { context: 'a', secretRef: { name: 'b' } } }),
      /exactly one of secretRef and context/,
    ],
    [
      'Staged without a strategy',
      object('FleetCatalog', 'c', { image: 'i', clusterCatalog: { name: 'c' }, promotion: 'Staged' }, NAMESPACE),
      /promotion Staged needs strategyRef/,
    ],
    [
      'an approval without class',
      object('FleetDecision', 'd', { rollout: 'r', action: 'Approve', reason: 'CHG-1', by: { user: 'a' } }, NAMESPACE),
      /Approve and Reject need a class/,
    ],
    [
      'no reason',
      object('FleetDecision', 'd', { rollout: 'r', action: 'Pause', reason: '', by: { user: 'a' } }, NAMESPACE),
      /spec\.reason.*at least 3/,
    ],
  ] as const)('refuses %s with a line that names the field', async (_, wrong, says) => {
    const said = await told(() => admin.create(wrong, { dryRun: true }));
    expect(said).toMatch(says);
    expect(said).not.toContain('\n');
  });

  it('warns of unknown fields, which kubectl then refuses', async () => {
    const { warnings } = await admin.create(operator({ pakage: 'typo' }), { dryRun: true });
    expect(warnings).toEqual(['unknown field "spec.pakage"']);
  });

  it('keeps what must not change', async () => {
    const { object: made } = await admin.create(operator({}));
    const moved = { ...made, spec: { ...(made['spec'] as object), namespace: 'other' } } as KubernetesObject;
    expect(await told(() => admin.update(moved))).toContain('namespace is immutable');
  });

  it('refuses every forged decision of each shipped role', async () => {
    const forged = Object.entries(ACTIONS).flatMap(([action, more]) =>
      Object.keys(USERS).flatMap((user) => [
        ...Object.keys({ ...USERS, admin: '' }).flatMap((name) =>
          name === user ? [] : [{ user, action, by: by(name), more }],
        ),
        { user, action, by: by(user, ['system:masters']), more },
      ]),
    );
    expect(forged).toHaveLength(300);
    const accepted: unknown[] = [];
    for (const one of forged) {
      if ((await decide(as(one.user), one.action, { ...one.by, ...one.more })) === 'accepted') accepted.push(one);
    }
    expect(accepted).toEqual([]);
  });

  it('takes no decision from the services of the hub, by the roles that they are shipped with', async () => {
    const rights = await readFile(join(PROJECT_ROOT, 'k8s/components/fleet/rights.yaml'), 'utf8');
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'flotilla' } });
    for (const one of parseAllDocuments(rights)) await admin.apply(KubernetesObject.parse(one.toJSON()));
    const { object: made } = await admin.create(
      object(
        'FleetDecision',
        'of-the-admin',
        { rollout: 'r', action: 'Pause', reason: 'CHG-1182', ...by(adminName) },
        NAMESPACE,
      ),
    );
    for (const service of ['fleet-controller', 'catalog-poller', 'applier']) {
      const user = `system:serviceaccount:flotilla:${service}`;
      const client = admin.actingAs({ user, groups: ['system:serviceaccounts', AUTHENTICATED] });
      expect(await decide(client, 'Pause', by(user)), service).toMatch(/cannot create resource "fleetdecisions"/);
      expect(await told(() => client.update(made)), service).toMatch(/cannot update resource "fleetdecisions"/);
    }
  });

  it('says when nothing holds decisions to their authors any more, and fleet init puts that right', async () => {
    const clock = new ManualClock();
    const { check } = decisionPolicyCheck({ hub: admin, clock });
    expect(await check()).not.toHaveProperty('degraded');
    const binding = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' };
    await admin.delete({ ...binding, name: DECISION_POLICY });
    await clock.advance(60_000);
    expect(await check()).toMatchObject({ degraded: true, detail: expect.stringContaining('flotilla fleet init') });
    // So it is without the policy: the right to create decisions is the right to all of them.
    await expect.poll(() => decide(as('anna'), 'Abort', by('otto')), PATIENCE).toBe('accepted');
    expect(await decide(as('alma'), 'Pause', by('otto'))).toMatch(/cannot create resource "fleetdecisions"/);
    expect((await runFlotilla(['fleet', 'init', ...flags])).exit).toBe(0);
    await clock.advance(60_000);
    expect(await check()).not.toHaveProperty('degraded');
    await expect.poll(() => decide(as('anna'), 'Abort', by('otto')), PATIENCE).toMatch(/in one's own name/);
  });
});
