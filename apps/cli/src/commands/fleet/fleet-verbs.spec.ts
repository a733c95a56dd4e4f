import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { NEW, OLD, offerAll, type PlayedHub, startPlayedHub } from './played-hub.fixture.js';

const LAB = { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, soak: '10h' };
const NAMES = ['lab-1', 'shop-1', 'shop-2', 'shop-3'];
const because = ['--reason', 'CHG-1182'];
let hub: PlayedHub;

const installed = () => Promise.all(hub.fleet.clusters.map((cluster) => cluster.installed()));
const classOf = async () => (await hub.fleet.rollout('kafka-1')).classes?.[0]?.hash ?? '';

describe('a rollout whose plans wait for approval', () => {
  beforeAll(async () => {
    const approval = { rules: [{ changes: ['Minor'], action: 'Manual' }] };
    hub = await startPlayedHub(NAMES, { waves: [LAB], approval });
  });
  afterEach(() => vi.unstubAllEnvs());
  afterAll(() => hub.stop());

  it('there is none while no cluster plans a change', async () => {
    const { out, exit } = await hub.flotilla('status');
    expect({ out, exit }).toEqual({
      out: '4 clusters, all reachable · 1 subject · 0 rollouts\nNo cluster plans a change: there is nothing to roll out.\n',
      exit: 0,
    });
    expect((await hub.flotilla('status', 'kafka-1')).err).toBe('error: there is no rollout "kafka-1"\n');
  });

  it('does not say that nothing is to be done where a catalog cannot be read, or clusters are silent', async () => {
    const catalog = { apiVersion: FLEET_API, kind: 'FleetCatalog', name: 'curated', namespace: 'platform' };
    const condition = { type: 'Ready', status: 'False', reason: 'PullFailed', message: 'no such image' };
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-05T00:00:00Z' }];
    await hub.fleet.apply('FleetCatalog', 'curated', {
      image: 'registry.example/curated:v1',
      catalogSource: { name: 'curated' },
    });
    const found = await hub.fleet.hub.client.get(catalog);
    await hub.fleet.hub.client.updateStatus({ ...found, status: { conditions } } as KubernetesObject);
    const { out } = await hub.flotilla('status');
    expect(out.split('\n').slice(1)).toEqual([
      'Nothing is rolled out, and pending changes are not known yet:',
      '  FleetCatalog platform/curated is not ready (PullFailed): no such image',
      '',
    ]);
    await hub.fleet.hub.client.delete(catalog);
  });

  it('fleet explain says where an operator waits for its strategy', async () => {
    const ref = { apiVersion: FLEET_API, kind: 'FleetStrategy', name: 's', namespace: 'platform' };
    const found = await hub.fleet.hub.client.get(ref);
    await hub.fleet.hub.client.delete(ref);
    const { out, exit } = await hub.flotilla('explain', 'kafka');
    expect(out).toContain('has no rollout (StrategyMissing): there is no FleetStrategy platform/s: no rollout begins');
    expect(exit).toBe(1);
    await hub.fleet.apply('FleetStrategy', 's', found?.['spec'] as object);
  });

  it('fleet status ends with the page of the console, for readers and not in data', async () => {
    await offerAll(hub);
    await classOf();
    vi.stubEnv('FLOTILLA_CONSOLE_EXTERNAL_URL', 'https://flotilla.example.com');
    expect((await hub.flotilla('status')).out).toMatch(/\nConsole https:\/\/flotilla\.example\.com\/rollouts\n$/);
    const one = (await hub.flotilla('status', 'kafka')).out;
    expect(one).toMatch(/\nConsole https:\/\/flotilla\.example\.com\/rollouts\/platform%2Fkafka-1\n$/);
    for (const format of ['json', 'name']) {
      expect((await hub.flotilla('status', '-o', format)).out).not.toContain('flotilla.example.com');
    }
  });

  it('fleet status shows its waves, what clusters wait for, and the class', async () => {
    await offerAll(hub);
    const hash = await classOf();
    const { out, exit } = await hub.flotilla('status', 'kafka');
    expect(exit).toBe(0);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^platform\/kafka-1 {2}kafka-operator\.v2\.4\.0 {2}Progressing {3}wave 1 of 2 \(lab\), /),
      'WAVE  STATE    MEMBERS  DONE  FLIGHT  WAIT  FAILED  SKIPPED  NOTE',
      'lab   Open     1        0     0/1     1     0       0        soak 10h after the last success',
      'rest  Pending  3        0     0       3     0       0',
      '4 Approval',
      `1 class waits for approval: ${hash}, 4 clusters (Minor)`,
      `  → flotilla fleet plan kafka-1 --class ${hash}`,
      '',
    ]);
    const all = await hub.flotilla('status');
    expect(all.out).toMatch(/^platform\/kafka-1 +\S+ +Progressing +1\/2 lab +0\/4 +0 +1 class waits for approval$/m);
    const data = await hub.flotilla('status', 'kafka-1', '-o', 'json');
    expect(JSON.parse(data.out)).toMatchObject({
      verdict: 'yes',
      name: 'platform/kafka-1',
      counts: { targets: 4, waiting: 4 },
      waiting: [{ reason: 'Approval', clusters: 4 }],
      classes: [{ hash, clusters: 4, changes: ['Minor'], approval: 'Waiting' }],
    });
    expect((await hub.flotilla('status', '-o', 'name')).out).toBe('fleetrollout.fleet.flotilla.dev/kafka-1\n');
  });

  it('fleet status and explain say what of the installed operators their catalogs deprecate', async () => {
    const reference = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'Subscription',
      name: 'kafka',
      namespace: 'kafka-system',
    };
    const say = async (status: 'True' | 'False') => {
      const conditions = [{ type: 'Deprecated', status, message: 'package kafka-operator: use strimzi' }];
      for (const name of ['shop-1', 'shop-3']) {
        await hub.fleet.cluster(name).client.patch(reference, { status: { conditions } }, { subresource: 'status' });
      }
      await hub.fleet.settle();
    };
    await say('True');
    const line = (clusters: string) =>
      `deprecated: FleetOperator/platform/kafka in ${clusters}: package kafka-operator: use strimzi\n`;
    const all = line('2 clusters (shop-1, shop-3)');
    expect((await hub.flotilla('status')).out).toContain(`\n${all}`);
    expect((await hub.flotilla('status', '-n', 'elsewhere')).out).not.toContain('deprecated');
    expect((await hub.flotilla('status', 'kafka-1')).out).toContain(`\n${all}`);
    for (const args of [['status'], ['status', 'kafka-1']]) {
      expect(JSON.parse((await hub.flotilla(...args, '-o', 'json')).out).deprecated).toEqual([
        {
          subject: 'FleetOperator/platform/kafka',
          because: 'package kafka-operator: use strimzi',
          clusters: ['shop-1', 'shop-3'],
        },
      ]);
    }
    expect((await hub.flotilla('explain', 'kafka')).out).toContain(`\n  ${all}`);
    expect((await hub.flotilla('explain', 'kafka', '-C', 'shop-1')).out).toContain(`\n  ${line('1 cluster (shop-1)')}`);
    expect((await hub.flotilla('explain', 'kafka', '-C', 'shop-2')).out).not.toContain('deprecated');
    expect((await hub.flotilla('explain', 'shop-3')).out).toContain(`\n  ${line('1 cluster (shop-3)')}`);
    await say('False');
    expect((await hub.flotilla('status')).out).not.toContain('deprecated');
  });

  it('fleet explain says what the cluster waits for, and what to do', async () => {
    const hash = await classOf();
    const { out, exit } = await hub.flotilla('explain', 'kafka', '-C', 'lab');
    expect(exit).toBe(1);
    expect(out).toBe(
      `lab-1 waits for approval (Approval) of class ${hash}: Minor.\n  needs 1 approval of any user with the right\n` +
        `  → flotilla fleet plan kafka-1 --class ${hash}   (its changes)\n` +
        `  → flotilla fleet approve kafka-1 --class ${hash} --reason "…"\n`,
    );
    expect((await hub.flotilla('explain', 'nothing')).exit).toBe(1);
  });

  it.each([
    { args: ['approve', 'kafka-1', '--class', '0000', ...because], says: /there is no plan class "0000"/, exit: 1 },
    { args: ['approve', 'kafka-1', ...because], says: /name one plan class with --class HASH/, exit: 2 },
    { args: ['approve', 'kafka-1', '--all-classes'], says: /a decision needs a reason/, exit: 2 },
    {
      args: ['resume', 'kafka-1', ...because],
      says: /kafka-1 is not resumed: only a rollout that a decision paused, or that halted after failures, can be resumed; it is Progressing, Planned/,
      exit: 1,
    },
    { args: ['break-glass', 'kafka-1', '--for', '5h', ...because], says: /4h at most/, exit: 2 },
    { args: ['break-glass', 'kafka-1', ...because], says: /specify a duration/, exit: 2 },
    {
      args: ['pause', 'kafka-9', ...because],
      says: /there is no rollout "kafka-9" \(did you mean "kafka-1"\?\)/,
      exit: 1,
    },
    { args: ['skip', 'kafka-1', '-C', 'none', ...because], says: /there is no cluster "none"/, exit: 1 },
  ])('refuses $args in one line, and makes no decision', async ({ args, says, exit }) => {
    const answer = await hub.flotilla(...args);
    expect(answer.err).toMatch(says);
    expect(answer.exit).toBe(exit);
    expect(hub.fleet.hub.cluster.list({ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetDecision' })).toEqual(
      [],
    );
  });

  it('fleet approve --dry-run says what would be, and approves nothing', async () => {
    const hash = await classOf();
    const { out, err, exit } = await hub.flotilla(
      'approve',
      'kafka',
      '--class',
      hash.slice(0, 4),
      '--dry-run',
      ...because,
    );
    expect(err).toContain(
      `${OLD} → ${NEW}, 1 hop, 4 clusters\n  class    ${hash}: Minor\n  approval needs 1 approval of any user with the right\n  also     no other operator moves in these namespaces\n`,
    );
    expect(out).toBe(
      `class ${hash} of kafka-1 would be approved by admin: clusters of the class may start (--dry-run)\n`,
    );
    expect(exit).toBe(0);
    expect(await installed()).toEqual([OLD, OLD, OLD, OLD]);
  });

  it('fleet approve without a controller says that the decision stays', async () => {
    const { err, exit } = await hub.flotilla('pause', 'kafka-1', '--timeout', '300ms', ...because);
    expect(exit).toBe(3);
    expect(err).toMatch(/^error: decision kafka-1-pause-\w+ is stored, but no controller answered within 0\.3s/);
    await hub.fleet.settle();
    const { out } = await hub.flotilla('explain', 'kafka-1', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ verdict: 'no', explanations: [{ sentence: 'is paused by a decision' }] });
  });

  it('fleet resume and approve, as explain and status advise, start its clusters', async () => {
    const resumed = await hub.decide('resume', 'kafka-1', ...because);
    expect(resumed).toMatchObject({ exit: 0, out: 'kafka-1 resumed by admin: it continues\n' });
    const hash = await classOf();
    const { out, exit } = await hub.decide('approve', 'kafka-1', '--all-classes', ...because);
    expect({ out, exit }).toEqual({
      out: `class ${hash} of kafka-1 approved by admin (1 of 1): 4 clusters may start\n`,
      exit: 0,
    });
    expect(await installed()).toEqual([NEW, OLD, OLD, OLD]);
    const again = await hub.flotilla('approve', 'kafka-1', '--all-classes', ...because);
    expect(again).toMatchObject({ exit: 1, err: 'error: nothing waits for this decision\n' });
  });

  it('fleet promote ends the soak', async () => {
    expect((await hub.flotilla('status', 'kafka-1')).out).toMatch(/^lab +Soaking .* soaks for another \d+h/m);
    expect((await hub.flotilla('explain', 'shop-1')).out).toContain(
      'shop-1, platform/kafka-1: waits for wave rest (WaveNotOpen).\n  wave lab is Soaking (Soak): 1 of 1 done',
    );
    const { out } = await hub.decide('promote', 'kafka-1', '--wave', 'lab', ...because);
    expect(out).toBe('kafka-1 promoted by admin: the wave continues\n');
    expect((await installed()).filter((bundle) => bundle === NEW)).toHaveLength(4);
  });

  it('fleet status --watch ends with the rollout, with one event a line', async () => {
    expect((await hub.decide('promote', 'kafka-1', ...because)).exit).toBe(0);
    const { out, exit } = await hub.flotilla('status', 'kafka-1', '--watch', '-o', 'json');
    const events = out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { kind: string; phase: string });
    expect(events.filter(({ kind }) => kind === 'rollout').map(({ phase }) => phase)).toEqual(['Completed']);
    expect(exit).toBe(0);
    expect((await hub.flotilla('explain', 'kafka')).exit).toBe(0);
  });

  it('fleet explain says what users have changed in a cluster since', async () => {
    const found = await hub.fleet.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: 'shop-1' });
    const { status } = found as unknown as { status: { rows: object[] } };
    const [row] = status.rows;
    const message = 'Subscription kafka: spec.channel is "beta", not "stable"';
    const rows = [{ ...row, drift: true, reason: 'Drifted', message }];
    await hub.fleet.hub.client.updateStatus({ ...found, status: { ...status, rows } } as KubernetesObject);
    const { out, exit } = await hub.flotilla('explain', 'kafka-1', '-C', 'shop-1');
    expect({ out, exit }).toEqual({
      out: expect.stringContaining(`changed in the cluster by others: ${message}`),
      exit: 0,
    });
  });
});

describe('a class whose clusters are all set aside', () => {
  beforeAll(async () => {
    const approval = { rules: [{ changes: ['Minor'], action: 'Manual' }] };
    hub = await startPlayedHub(['lab-1'], { waves: [], approval });
    await offerAll(hub);
  });
  afterAll(() => hub.stop());

  it('is not shown as one that waits, and an approval says that nothing starts', async () => {
    const hash = await classOf();
    expect((await hub.decide('skip', 'kafka-1', '-C', 'lab-1', ...because)).exit).toBe(0);
    expect((await hub.flotilla('status', 'kafka-1')).out).not.toContain('for approval');
    expect((await hub.flotilla('plan', 'kafka-1', '--class', hash)).out).not.toContain('fleet approve');
    const { out } = await hub.decide('approve', 'kafka-1', '--class', hash, ...because);
    expect(out).toBe(`class ${hash} of kafka-1 approved by admin (1 of 1): all its clusters are skipped\n`);
  });
});

describe('a rollout that stops', () => {
  beforeAll(async () => {
    hub = await startPlayedHub(NAMES, { waves: [{ ...LAB, soak: '0s' }] });
    hub.fleet.cluster('lab-1').failing.add(NEW);
    await offerAll(hub);
  });
  afterAll(() => hub.stop());

  it('shows why, and the commands that help', async () => {
    const { out } = await hub.flotilla('status', 'kafka-1');
    expect(out).toContain('  Halted (ThresholdExceeded)   wave 1 of 2 (lab), ');
    expect(out).toContain('1 Failed (ApplyFailed): ImagePullBackOff [lab-1]\n');
    expect(out).toContain(
      '  → flotilla fleet resume kafka-1 --reason "…"   (continues; the failures no longer count)\n',
    );
    const one = await hub.flotilla('explain', 'kafka-1', '-C', 'lab-1');
    expect(one.out).toMatch(/^lab-1 could not be changed: ImagePullBackOff \(ApplyFailed\)\.\n/);
    const whole = await hub.flotilla('explain', 'kafka-1');
    expect(whole.out).toMatch(/^platform\/kafka-1 has halted .*\n {2}wave lab: 1 failure, 0 accepted\n/);
    expect([one.exit, whole.exit]).toEqual([1, 1]);
  });

  it('goes on without the cluster that fleet skip sets aside', async () => {
    const { out } = await hub.decide('skip', 'kafka-1', '-C', 'lab-1', ...because);
    expect(out).toBe('kafka-1 skipped by admin: the clusters do not change\n');
    expect((await hub.flotilla('explain', 'kafka-1', '-C', 'lab-1')).out).toMatch(/was skipped by a decision/);
  });

  it('ends with fleet abort', async () => {
    const { out, exit } = await hub.decide('abort', 'kafka-1', ...because, '-o', 'json');
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'yes',
      decisions: [{ action: 'Abort', result: 'effective', by: 'admin' }],
    });
    expect((await hub.flotilla('status', 'kafka-1')).out).toMatch(/ {2}Aborted {3}after /);
  });
});

describe('windows', () => {
  beforeAll(async () => {
    hub = await startPlayedHub(NAMES, { waves: [{ ...LAB, soak: '0s' }] });
    await hub.fleet.apply('FleetWindow', 'freeze', {
      type: 'Deny',
      clusters: { selector: { matchLabels: { tier: 'lab' } } },
      breakGlassGroups: ['system:masters'],
    });
    await hub.fleet.apply('FleetWindow', 'fair', {
      type: 'Deny',
      period: { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' },
    });
    await offerAll(hub);
  });
  afterAll(() => hub.stop());

  it('are listed with what is active, and whether a change may start', async () => {
    const { out, exit } = await hub.flotilla('windows');
    expect(out).toMatch(/^freeze +Deny +yes +no end is set +1 +all$/m);
    expect(out).toMatch(/^fair +Deny +no +never again +4 +all$/m);
    expect(out).toMatch(/\nA change may start in 3 of 4 clusters\.\n$/);
    expect(exit).toBe(0);
    const lab = await hub.flotilla('windows', '-C', 'lab-1');
    expect(lab.out).toMatch(/No change may start in lab-1 \(Frozen: freeze\); the next time is unknown\.\n$/);
    expect(lab.exit).toBe(1);
    const then = await hub.flotilla('windows', '-C', 'shop-1', '--at', '2020-01-01T12:00:00Z');
    expect(then.out).toContain('(Window: fair); one may Thu 00:00 UTC.');
    expect((await hub.flotilla('windows', '--at', 'soon')).err).toMatch(/"soon" is not a time/);
  });

  it('are explained, and lifted by fleet break-glass as the explanation says', async () => {
    const { out } = await hub.flotilla('explain', 'kafka-1', '-C', 'lab-1');
    expect(out).toBe(
      'lab-1 waits for the end of a freeze (Frozen): Deny "freeze" freezes all changes until it is deleted.\n' +
        '  → flotilla fleet break-glass kafka-1 --for 1h --reason "…"   (needs group system:masters)\n',
    );
    const lifted = await hub.decide('break-glass', 'kafka-1', '--for', '1h', ...because);
    expect(lifted.out).toBe('kafka-1 freed from windows by admin: windows do not block it\n');
    expect(await hub.fleet.cluster('lab-1').installed()).toBe(NEW);
  });
});
