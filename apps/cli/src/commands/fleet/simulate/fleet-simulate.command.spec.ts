import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { run } from '../../../program.js';
import { recorder, runFlotilla } from '../../../run-flotilla.fixture.js';

const FILES = join(PROJECT_ROOT, 'examples/fleet/files');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-fleet-'));
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const simulate = (...args: readonly string[]) => runFlotilla(['fleet', 'simulate', '-f', FILES, ...args]);

const EVENT_KEYS = [
  ...['type', 'seq', 't', 'time', 'kind', 'rollout', 'subject', 'wave', 'cluster', 'class', 'attempt', 'hop'],
  ...['bundle', 'from', 'phase', 'reason', 'message', 'by', 'inFlight', 'limit', 'counts'],
];
const SUMMARY_KEYS = [
  ...['type', 'version', 'seed', 'start', 'end', 'seconds', 'steps', 'events', 'writes', 'rollouts', 'clusters'],
  'invariants',
];

describe('flotilla fleet simulate', () => {
  it('prints an event a line and then the summary, each with all keys in their order', async () => {
    const { out, err, exit } = await simulate('-o', 'json');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(lines.slice(0, -1).every((line) => Object.keys(line).join() === EVENT_KEYS.join())).toBe(true);
    expect(Object.keys(lines.at(-1) ?? {})).toEqual(SUMMARY_KEYS);
    expect(lines.at(-1)).toMatchObject({ events: lines.length - 1, invariants: { violations: [] } });
  });

  it('writes the same bytes for the same seed, others for another one', async () => {
    const faults = file('jitter.yaml', 'durations: {jitter: 0.5}\n');
    const [one, same, other] = [
      await simulate('-o', 'json', '--faults', faults, '--seed', 'a'),
      await simulate('-o', 'json', '--faults', faults, '--seed', 'a'),
      await simulate('-o', 'json', '--faults', faults, '--seed', 'b'),
    ];
    expect(one.out).toBe(same.out);
    expect(one.out).not.toBe(other.out);
  });

  it('is for people by default: events on standard error, tables on standard output', async () => {
    const { out, err, exit } = await simulate('--clusters', '3');
    expect(exit).toBe(0);
    expect(out).toMatch(/^ROLLOUT +TARGET +PHASE[^\n]*\nplatform\/kafka-1 +kafka-operator\.next +Completed /);
    expect(err).toMatch(/cluster +platform\/kafka-1 lab c-0001 only +Waiting → Applying \(Started\)/);
  });

  it('ends with 1 where a rollout halts', async () => {
    const faults = file('fails.yaml', 'faults: [{applyFails: {}}]\n');
    expect((await simulate('--faults', faults)).exit).toBe(1);
  });

  it('shows a picture on a terminal, and the tables at its end', async () => {
    const { result, io } = recorder();
    await run(['fleet', 'simulate', '-f', FILES, '--watch', '--speed', '1e9'], {
      ...io,
      isTerminal: true,
      columns: 100,
    });
    expect(result.exit).toBe(0);
    expect(result.err).toMatch(/ {2}lab {5}■ +1\/1 {2}Complete/);
    expect(result.out).toMatch(/^ROLLOUT /);
  });

  it.each(['0', '-1', 'fast'])('refuses --speed %s', async (speed) => {
    const { err, exit } = await simulate('--watch', '--speed', speed);
    expect({ exit, err }).toEqual({
      exit: 2,
      err: expect.stringContaining(`--speed: ${speed} must be a number above 0`),
    });
  });

  const FLEET = 'apiVersion: fleet.flotilla.dev/v1alpha1\n';
  const WAVE = `${FLEET}kind: FleetStrategy\nmetadata: {name: s, namespace: ns}\nspec: {waves: [{name: a, %}]}\n`;
  const WINDOW = `${FLEET}kind: FleetWindow\nmetadata: {name: w}\nspec: {type: Deny, schedule: {cron: %}}\n`;
  it.each([
    { text: WAVE.replace('%', 'percent: 101'), says: /:1: spec\.waves\[0\]\.percent: / },
    { text: WAVE.replace('%', 'percent: 1, count: 2'), says: /:1: spec\.waves\[0\]: only one of percent and count/ },
    { text: WAVE.replace('%', 'soke: 1h'), says: /:1: spec\.waves\[0\]: unknown field "soke"/ },
    { text: WAVE.replace('%', 'soak: 1x'), says: /:1: spec\.waves\[0\]\.soak: time: / },
    { text: WAVE.replace('%', 'maxConcurrent: "0%"'), says: /maxConcurrent: must be an integer from 1, or "1%"/ },
    { text: WINDOW.replace('%', '"61 * * * *", duration: 1h'), says: /:1: spec\.schedule\.cron: / },
    {
      text: WINDOW.replace('%', '"1 * * * *", duration: 1h, timeZone: Mars/Olympus'),
      says: /there is no time zone "Mars\/Olympus"/,
    },
    { text: 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n', says: /:1: Pod of v1 is not a fleet kind/ },
  ])('refuses a manifest with one line: $says', async ({ text, says }) => {
    const bad = file('bad.yaml', text);
    const { out, err, exit } = await runFlotilla(['fleet', 'simulate', '-f', bad]);
    expect({ out, exit, lines: err.trimEnd().split('\n').length }).toEqual({ out: '', exit: 2, lines: 1 });
    expect(err).toMatch(says);
  });

  it.each([
    { text: 'nosuch: 1\n', says: /faults\.yaml:1: unknown field "nosuch"/ },
    { text: 'faults:\n  - {offline: {fur: 1h}}\n', says: /faults\.yaml:2: faults\[0\]\.offline: unknown field "fur"/ },
    { text: 'faults:\n  - {clusters: {names: [x]}, applyHangs: {}}\n', says: /:2: there is no cluster x/ },
    {
      text: 'script:\n  - {release: {subject: FleetOperator/a/b}}\n',
      says: /:2: there is no subject FleetOperator\/a\/b/,
    },
    { text: 'script:\n  - {at: 1h}\n', says: /:2: script\[0\]: exactly one of release, decide, / },
    { text: 'a: [\n', says: /faults\.yaml:\d+:\d+: not YAML: / },
    {
      text: 'script:\n  - {join: {name: c-0001}}\n',
      says: /:2: cluster c-0001 is there already/,
    },
    {
      text: `targets:\n${'  - {subject: FleetOperator/platform/kafka, to: v2}\n'.repeat(2)}`,
      says: /:3: targets\[0\] is for v2 of FleetOperator\/platform\/kafka already/,
    },
    {
      text: 'script:\n  - {remove: FleetStrategy/platform/careful}\n',
      says: /:2: spec\.strategyRef\.name: there is no FleetStrategy platform\/careful/,
    },
    {
      text: 'script:\n  - {decide: {rollout: platform/kafka-1, action: Approve, by: {user: a}, reason: ok}}\n',
      says: /:2: script\[0\]\.decide\.class: Approve and Reject need a class/,
    },
    {
      text: 'script:\n  - {decide: {rollout: platform/kafka-1, action: BreakGlass, for: 5h, by: {user: a}, reason: ok}}\n',
      says: /:2: script\[0\]\.decide\.for: must be at most 4h/,
    },
    {
      text: 'targets:\n  - {subject: FleetOperator/platform/kafka, to: b, classes: [{name: rollback}]}\n',
      says: /:2: targets\[0\]\.classes\[0\]\.name: must not be "rollback"/,
    },
    { text: 'durations: {jitter: 2}\n', says: /:1: durations\.jitter: / },
    { text: 'faults: [{applyHangs: {}, slow: {factor: 2}}]\n', says: /:1: faults\[0\]: exactly one of applyFails/ },
  ])('refuses faults with their line: $says', async ({ text, says }) => {
    const { err, exit } = await simulate('--faults', file('faults.yaml', text));
    expect(exit).toBe(2);
    expect(err).toMatch(says);
  });

  it('refuses a cluster that has a subject which is not there, with its line', async () => {
    const text = 'clusters:\n  - {name: a}\n  - {name: b, count: 2, installed: {FleetOperator/x/y: z}}\n';
    const { err, exit } = await simulate('--clusters', file('clusters.yaml', text));
    expect(exit).toBe(2);
    expect(err).toMatch(/clusters\.yaml:3: cluster b-0001: installed: there is no subject FleetOperator\/x\/y/);
  });

  it.each([
    ['onFailure: RollBackAll', 'onFailure: RollBackAll rolls nothing back'],
    ['onClusterFailure: RollBack', 'onClusterFailure: RollBack rolls nothing back'],
    ['onFailure: Halt', undefined],
  ])('notes that a rule which denies Rollback contradicts %s', async (field, says) => {
    const text = `${FLEET}kind: FleetOperator\nmetadata: {name: k, namespace: ns}\nspec: {package: k, namespace: k, catalog: {name: c, namespace: olm}, strategyRef: {name: s}}\n---\n${FLEET}kind: FleetStrategy\nmetadata: {name: s, namespace: ns}\nspec: {${field}, approval: {default: Auto, rules: [{changes: [Rollback], action: Deny}]}}\n`;
    const { err } = await runFlotilla(['fleet', 'simulate', '-f', file('denied.yaml', text)]);
    const notes = err.split('\n').filter((line) => line.includes('denies Rollback'));
    expect(notes).toEqual(says === undefined ? [] : [`note: ns/k: a rule of approval denies Rollback, so ${says}`]);
  });
});
