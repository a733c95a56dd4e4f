import { describe, expect, it } from 'vitest';
import type { Reason } from '../../classic/resolution/problem/resolution-problem.js';
import { type ClusterServiceVersion, CSV_API } from '../../kernel/api/cluster-service-version.js';
import { SUBSCRIPTION_API, type Subscription } from '../../kernel/api/subscription.js';
import { resolutionAdvice } from './resolution-advice.js';

const reason = (
  kind: Reason['kind'],
  subject: string,
  facts: Record<string, string> = {},
  ...because: Reason[]
): Reason => ({
  ...{ kind, subject, text: '', facts, because },
});
const samePackage = reason(
  'subscription',
  'two',
  {},
  reason('candidate', 'x', {}, reason('same-package', 'x', { shared: 'bolt' })),
);
const orphan = (name: string) => reason('installed', name, { namespace: 'team' });
const subscription = (
  name: string,
  installedCSV = '',
  creationTimestamp = '2026-01-01T00:00:00Z',
  of = 'bolt',
): Subscription => ({
  ...SUBSCRIPTION_API,
  metadata: { name, namespace: 'team', creationTimestamp },
  spec: { name: of, source: 's', sourceNamespace: 'olm' },
  status: installedCSV === '' ? {} : { installedCSV },
});
const properties = JSON.stringify({
  properties: [{ type: 'olm.package', value: { packageName: 'bolt', version: '1.0.0' } }],
});
const csv = (
  name: string,
  metadata: object = { labels: { 'operators.coreos.com/bolt.team': '' } },
  replaces = '',
): ClusterServiceVersion => ({
  ...CSV_API,
  metadata: { name, namespace: 'team', ...metadata },
  spec: replaces === '' ? {} : { replaces },
});
/** What the commands do: `delete two`, `one holds bolt.v1`. */
const short = (advice: readonly string[]) =>
  advice.map((text) => {
    const dropped = /: kubectl -n team delete subscription (\S+)$/.exec(text)?.[1];
    if (dropped !== undefined) return `delete ${dropped}`;
    const [, name, held] =
      /: kubectl -n team patch subscription (\S+) --subresource=status --type merge -p '\{"status":\{"installedCSV":"([^"]+)"\}\}'$/.exec(
        text,
      ) ?? [];
    return `${name} holds ${held}`;
  });

describe('what helps a namespace that cannot be resolved', () => {
  it.each<
    [what: string, explanation: Reason[], subscriptions: Subscription[], csvs: ClusterServiceVersion[], does: string[]]
  >([
    [
      'the second Subscription holds nothing',
      [samePackage],
      [subscription('one', 'bolt.v1'), subscription('two')],
      [csv('bolt.v1')],
      ['delete two'],
    ],
    [
      'the first holds nothing',
      [samePackage],
      [subscription('one'), subscription('two', 'bolt.v1')],
      [csv('bolt.v1')],
      ['delete one'],
    ],
    [
      'one names what is gone',
      [samePackage],
      [subscription('one', 'bolt.v0'), subscription('two', 'bolt.v1')],
      [csv('bolt.v1')],
      ['delete one'],
    ],
    [
      'none holds anything: the oldest stays',
      [samePackage],
      [subscription('one', '', '2026-01-02T00:00:00Z'), subscription('two')],
      [],
      ['delete one'],
    ],
    [
      'three',
      [samePackage],
      [subscription('a'), subscription('b', 'bolt.v1'), subscription('c')],
      [csv('bolt.v1')],
      ['delete a', 'delete c'],
    ],
    [
      'a Subscription was renamed',
      [orphan('bolt.v1'), samePackage],
      [subscription('three')],
      [csv('bolt.v1')],
      ['three holds bolt.v1'],
    ],
    [
      'the properties name the package',
      [orphan('bolt.v1')],
      [subscription('three')],
      [csv('bolt.v1', { annotations: { 'operatorframework.io/properties': properties } })],
      ['three holds bolt.v1'],
    ],
    [
      'the holder of three was deleted',
      [orphan('bolt.v1'), samePackage],
      [subscription('two'), subscription('three')],
      [csv('bolt.v1')],
      ['three holds bolt.v1', 'delete two'],
    ],
    [
      'it is being replaced',
      [orphan('bolt.v1')],
      [subscription('three')],
      [csv('bolt.v1'), csv('bolt.v2', {}, 'bolt.v1')],
      [],
    ],
    [
      'no Subscription is of its package',
      [orphan('bolt.v1')],
      [subscription('nut', '', '', 'nut')],
      [csv('bolt.v1')],
      [],
    ],
    [
      'properties that are no JSON',
      [orphan('bolt.v1')],
      [subscription('three')],
      [csv('bolt.v1', { annotations: { 'operatorframework.io/properties': '{' } })],
      [],
    ],
    [
      'it is a copy',
      [orphan('bolt.v1')],
      [subscription('three')],
      [{ ...csv('bolt.v1'), status: { reason: 'Copied' } }],
      [],
    ],
    [
      'it is left out by isolation',
      [{ ...orphan('bolt.v1'), facts: { left: 'true' } }],
      [subscription('three')],
      [csv('bolt.v1')],
      [],
    ],
    ['for other reasons', [reason('missing', 'x', { what: 'y' })], [subscription('one'), subscription('two')], [], []],
  ])('%s', (_what, explanation, subscriptions, csvs, does) => {
    expect(short(resolutionAdvice(explanation, { subscriptions, csvs }))).toEqual(does);
  });
});

describe('a channel that does not exist', () => {
  const missing = (channel: string, has: string) =>
    reason(
      'subscription',
      'bolt',
      { namespace: 'team' },
      reason('nothing-found', 'bolt', { lacks: 'channel', package: 'bolt', channel, has }),
    );
  it.each([
    ['stabel', 'stable', 'stable'],
    ['fast', 'stable', 'stable'],
    ['stabel', 'alpha, stable', 'stable'],
    ['fast', 'alpha, stable', undefined],
    ['fast', '', undefined],
  ])('%s of %s is changed to %s', (channel, has, wanted) => {
    const patch = `{"spec":{"channel":"${wanted}"}}`;
    const command = `kubectl -n team patch subscription bolt --type merge -p '${patch}'`;
    expect(resolutionAdvice([missing(channel, has)], { subscriptions: [], csvs: [] })).toEqual(
      wanted === undefined
        ? []
        : [expect.stringMatching(/^Package bolt has no such channel\. Request channel stable: /)],
    );
    const [advice = ''] = resolutionAdvice([missing(channel, has)], { subscriptions: [], csvs: [] });
    if (wanted !== undefined) expect(advice.endsWith(command)).toBe(true);
  });
});
