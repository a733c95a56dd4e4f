import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { SimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { changedFields, objectsIn, type StoredObjects } from '../fleet/changed-fields.js';
import { FolderFleet, NAMESPACE, PACKAGES } from '../fleet/folder-fleet.js';
import { type Endings, startSimulatedClusters } from '../fleet/simulated-clusters.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const CLUSTERS = ['east', 'west'];
const page = await readFile(join(PROJECT_ROOT, 'docs/fleet-folder.md'), 'utf8');
const COMMANDS = [...(page.split('\n## ')[0] ?? '').matchAll(/^flotilla (.+)$/gm)].map(([, line = '']) => line);
/** One wave, and an approval by any user. */
const STRATEGY = `apiVersion: fleet.flotilla.dev/v1alpha1
kind: FleetStrategy
metadata: {name: careful, namespace: fleet}
spec: {approval: {default: Manual}}
`;

/** `flotilla up --context east --context west` becomes a fleet in three commands (design: fleet.md §2). */
describe('clusters of flotilla up that become a fleet in files', () => {
  const endings: Endings = [];
  let simulated: SimulatedFleet;
  let fleet: FolderFleet;

  beforeAll(async () => {
    const started = await startSimulatedClusters(CLUSTERS, endings, {});
    simulated = started.simulated;
    const { kubeconfig } = started;
    fleet = await FolderFleet.start([kubeconfig]);
    endings.push(() => fleet.stop());
  });
  afterAll(async () => {
    for (const end of endings.toReversed()) await end();
  });

  const verb = (...args: string[]) => fleet.verb(...args);
  /** Runs a command of the page on this folder. */
  const asOnPage = (line: string) => {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    return runFlotilla(words.map((word) => (word === 'fleet/' ? fleet.files : word)));
  };

  it('have what Subscriptions of today have installed', () => fleet.install());

  it('in three commands, and of their objects nothing changes but what the design names', async () => {
    const before: readonly StoredObjects[] = CLUSTERS.map((name) => objectsIn(simulated.cluster(name)));
    const [exporting = '', planning = '', starting] = COMMANDS;
    const exported = await asOnPage(exporting);
    expect(exported).toMatchObject({ exit: 0, err: expect.stringContaining('2 clusters, 1 catalog, 2 operators') });
    await fleet.writeStrategy(STRATEGY);
    const planned = await asOnPage(planning);
    expect(planned.out).toMatch(/harbor-operator/);

    expect(starting).toBe('up --fleet fleet/');
    const up = await fleet.begin('--fleet', fleet.files);
    expect(up.said.out).toContain('Flotilla manages 2 clusters');
    expect(up.said.out).not.toContain('No cluster was named');
    const rollouts = async () =>
      JSON.parse((await verb('status', '-o', 'json')).out).rollouts as readonly { name: string; phase: string }[];
    const waiting = async () =>
      (await verb('approve', 'harbor', '--all-classes', '--dry-run', '--reason', 'CHG-1')).exit;
    await expect.poll(waiting, LONG_PATIENCE).toBe(0);
    expect((await verb('explain', 'harbor-operator-1', '-C', 'west')).out).toMatch(/^west waits for (an )?approval/);
    const approvals = await Promise.all(PACKAGES.map((name) => fleet.approve(`${name}-1`)));
    for (const out of approvals) expect(out).toMatch(/approved by \S+ .*2 clusters may start/);
    const phases = async () => (await rollouts()).map(({ phase }) => phase);
    await expect.poll(phases, LONG_PATIENCE).toEqual(['Completed', 'Completed']);

    for (const [index, name] of CLUSTERS.entries()) {
      await expect
        .poll(() => fleet.reportOf(name), LONG_PATIENCE)
        .toMatchObject({
          operators: PACKAGES.length,
          missingRights: { poller: [], applier: [] },
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'PermissionsSufficient', status: 'True', reason: 'AllGranted' }),
          ]),
        });
      const changed = changedFields(before[index] ?? new Map(), objectsIn(simulated.cluster(name)));
      const allowed =
        /^(catalogsources\.\S+ olm\/flotilla-samples|subscriptions\.\S+ harbors\/\S+)\.(metadata\.(annotations|labels)|spec\.(image|updateStrategy|installPlanApproval))/;
      expect(changed.filter((path) => !allowed.test(path))).toEqual([]);
      expect(changed).toContain(
        `subscriptions.operators.coreos.com ${NAMESPACE}/harbor-operator.spec.installPlanApproval`,
      );
    }
  });

  it.each(COMMANDS.slice(3))('has an answer to flotilla %s', async (line) => {
    const { exit, err } = await asOnPage(line);
    // 1 is an answer, too: that nothing waits any more.
    expect({ exit, err }).toEqual({ exit: line.includes(' approve ') ? 1 : 0, err: expect.any(String) });
    expect(err).not.toMatch(/unknown (option|command)|invalid|there is no/i);
  });

  it('keeps who decided in files, not verified, and what people wrote as it was', async () => {
    const decisions = await readdir(join(fleet.files, 'decisions'));
    expect(decisions).toHaveLength(PACKAGES.length);
    const audit = (await verb('export', '--audit')).out.split('\n').filter((line) => line.includes('"FleetDecision"'));
    expect(audit).toHaveLength(PACKAGES.length);
    for (const line of audit) expect(JSON.parse(line)).toMatchObject({ verified: false, effective: true });
    expect(await readFile(join(fleet.files, 'strategies.yaml'), 'utf8')).toBe(STRATEGY);
  });

  it('prints a command that shows what waits in all its clusters, whatever the current context is', async () => {
    const [, command = ''] = /^See waiting objects: flotilla (.+)$/m.exec(fleet.up?.said.out ?? '') ?? [];
    const { out, exit } = await asOnPage(command);
    expect({ exit, out }).toEqual({ exit: 0, out: expect.stringMatching(/east/) });
    expect(out).toMatch(/west/);
  });

  it('names a broken file in health and metrics of the hub until it is mended', async () => {
    const [, url = ''] = /Health (\S+)\/healthz/.exec(fleet.up?.said.out ?? '') ?? [];
    const health = async () =>
      ((await (await fetch(`${url}/healthz`)).json()) as { details: Record<string, object> }).details['fleet-folder'];
    const degraded = async () =>
      /^flotilla_health_check_status\{check="fleet-folder",status="degraded"\} (\d)$/m.exec(
        await (await fetch(`${url}/metrics`)).text(),
      )?.[1];
    expect(await health()).toMatchObject({ status: 'up' });
    await writeFile(join(fleet.files, 'broken.yaml'), 'a: [b\n');
    const detail = expect.stringMatching(/: broken\.yaml:\d+: not YAML/);
    await expect.poll(health, PATIENCE).toMatchObject({ status: 'degraded', detail });
    expect(await degraded()).toBe('1');
    await rm(join(fleet.files, 'broken.yaml'));
    await expect.poll(health, PATIENCE).toMatchObject({ status: 'up' });
    expect(await degraded()).toBe('0');
  });

  it('is used by one hub at a time, also where status/ is deleted meanwhile', async () => {
    const second = () => runUp(['--no-console', '--fleet', fleet.files], {});
    const refused = async (hub: RunningUp) =>
      expect.poll(() => hub.said.err, LONG_PATIENCE).toMatch(/this fleet is in use by process \d+/);
    await refused(second());
    // The hub may write a file there at that moment.
    await rm(join(fleet.files, 'status'), { recursive: true, maxRetries: 10 });
    await refused(second());
    await expect.poll(() => fleet.up?.said.err, PATIENCE).toMatch(/status\/ is created again/);
    expect((await verb('status', 'harbor-operator-1')).out).toMatch(/^fleet\/harbor-operator-1 .* Completed/);
  });

  it('is read without a hub, too; a decision then waits for one', async () => {
    expect(await fleet.end()).toBe(0);
    const { out: shown } = await verb('status', 'harbor-operator-1');
    expect(shown).toMatch(
      /^No hub runs: the following state is from \S+Z \(\d+s ago\)\n {2}→ flotilla up --fleet \S+\n\n/,
    );
    expect(shown).toMatch(/^fleet\/harbor-operator-1 .* Completed/m);
    const { out, err, exit } = await verb('rollback', 'harbor-operator-1', '-C', 'east', '--reason', 'CHG-2');
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(out).toMatch(/^decision harbor-operator-1-rollback-\w+ made: /);
    expect(await readdir(join(fleet.files, 'decisions'))).toHaveLength(PACKAGES.length + 1);
  });

  it('prints a command that takes a cluster over from another hub', async () => {
    const system = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };
    const owner = () => simulated.cluster('west').get(system)?.metadata.annotations?.['flotilla.dev/hub'];
    const found = simulated.cluster('west').get(system);
    const annotations = { ...found?.metadata.annotations, 'flotilla.dev/hub': 'another' };
    simulated.cluster('west').apply(
      KubernetesObject.parse({
        ...{ apiVersion: 'v1', kind: 'Namespace' },
        metadata: { name: 'kube-system', annotations },
      }),
    );
    const up = await fleet.begin('--fleet', fleet.files);
    const [, command = ''] = /WARNING: hub another manages the cluster .*: "flotilla (.+)"/.exec(up.said.out) ?? [];
    expect(await asOnPage(command)).toMatchObject({ exit: 0, out: expect.stringMatching(/\(before: another\)\n$/) });
    expect(owner()).not.toBe('another');
    expect(await fleet.end()).toBe(0);
  });
});
