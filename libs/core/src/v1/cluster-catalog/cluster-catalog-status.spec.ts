import { describe, expect, it } from 'vitest';
import { CLUSTER_CATALOG_API, type ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import { failureOf, type RefreshProblem } from './catalog-failure.js';
import { clusterCatalogStatus, type ServedState } from './cluster-catalog-status.js';

const SHA = `sha256:${'a'.repeat(64)}`;
const TAG = 'registry.example/shop:v1';
const DIGEST = `registry.example/shop@${SHA}`;
const NOW = new Date('2026-02-02T02:02:02.900Z');
const settings = { baseUrl: 'https://hub.example/clusters/east/catalogs/shop', now: NOW };
const catalog = (status?: ClusterCatalog['status'], availabilityMode = 'Available'): ClusterCatalog => ({
  ...CLUSTER_CATALOG_API,
  metadata: { name: 'shop', generation: 4 },
  spec: { source: { type: 'Image', image: { ref: TAG } }, availabilityMode },
  ...(status === undefined ? {} : { status }),
});
const held = { ref: DIGEST, unpacked: '2026-01-01T01:01:01.999Z', generation: 3 };
const failure = { message: 'source catalog content: away', blocked: false };
const condition = (type: string, status: string, reason: string, message: string, observedGeneration = 4) => ({
  type,
  status,
  reason,
  message,
  observedGeneration,
  lastTransitionTime: '2026-02-02T02:02:02Z',
});
const SUCCEEDED = condition(
  'Progressing',
  'True',
  'Succeeded',
  'Successfully unpacked and stored content from resolved source',
);
const SERVING = condition('Serving', 'True', 'Available', 'Serving desired content from resolved source', 3);
const CONTENT = {
  resolvedSource: { type: 'Image', image: { ref: DIGEST } },
  urls: { base: settings.baseUrl },
  lastUnpacked: '2026-01-01T01:01:01Z',
};
const OFF = 'Catalog availability mode is set to Unavailable';

describe('v1-catalog.md §1, conditions of a ClusterCatalog', () => {
  const rows: {
    because: string;
    before?: ClusterCatalog['status'];
    state: ServedState;
    gives: unknown;
    mode?: string;
  }[] = [
    { because: 'nothing is known yet', state: { settled: false }, gives: {} },
    {
      because: 'what an earlier process told stays until there is news',
      before: { ...CONTENT, conditions: [SERVING] },
      state: { settled: false },
      gives: { ...CONTENT, conditions: [SERVING] },
    },
    {
      because: 'Serving True/Available, Progressing True/Succeeded: content is served',
      state: { settled: true, held },
      gives: { ...CONTENT, conditions: [SUCCEEDED, SERVING] },
    },
    {
      because: 'Progressing True/Retrying: a failure leaves what is served alone',
      state: { settled: true, held, failure },
      gives: {
        ...CONTENT,
        conditions: [condition('Progressing', 'True', 'Retrying', failure.message), SERVING],
      },
    },
    {
      because: 'Progressing False/Blocked: a failure that only a change of the spec can mend',
      state: { settled: true, failure: { message: 'no', blocked: true } },
      gives: { conditions: [condition('Progressing', 'False', 'Blocked', 'no')] },
    },
    {
      because: 'Serving False/Unavailable, empty message: what was served is gone',
      before: { ...CONTENT, conditions: [SUCCEEDED, SERVING] },
      state: { settled: true, failure },
      gives: {
        conditions: [
          condition('Progressing', 'True', 'Retrying', failure.message),
          condition('Serving', 'False', 'Unavailable', ''),
        ],
      },
    },
    {
      because: 'Serving False/UserSpecifiedUnavailable, Progressing True/Succeeded: it is switched off',
      before: { ...CONTENT, conditions: [SUCCEEDED, SERVING] },
      state: { settled: true },
      mode: 'Unavailable',
      gives: {
        conditions: [
          condition('Progressing', 'True', 'Succeeded', OFF),
          condition('Serving', 'False', 'UserSpecifiedUnavailable', OFF),
        ],
      },
    },
    {
      because: 'any other type is removed',
      before: { conditions: [condition('Healthy', 'True', 'Odd', '')] },
      state: { settled: true, held },
      gives: { ...CONTENT, conditions: [SUCCEEDED, SERVING] },
    },
  ];
  it.each(rows)('$because', ({ before, state, gives, mode }) => {
    expect(clusterCatalogStatus(catalog(before, mode), state, settings)).toEqual(gives);
  });

  it('is the same again from its own result, and its times move only with a status', () => {
    const once = clusterCatalogStatus(catalog(), { settled: true, held }, settings);
    const later = { ...settings, now: new Date('2027-01-01T00:00:00Z') };
    expect(clusterCatalogStatus(catalog(once), { settled: true, held }, later)).toEqual(once);
    const failing = clusterCatalogStatus(catalog(once), { settled: true, held, failure }, later);
    expect(failing.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      '2026-02-02T02:02:02Z',
      '2026-02-02T02:02:02Z',
    ]);
  });
});

describe('v1-catalog.md §1, error prefixes and terminal errors', () => {
  const LABEL = 'catalog image is missing the required label "operators.operatorframework.io.index.configs.v1"';
  const rows: { ref: string; problem: RefreshProblem; blocked: boolean; message: string }[] = [
    {
      ref: 'Odd',
      problem: { kind: 'unparsable', why: 'repository name must be lowercase' },
      blocked: true,
      message: 'source catalog content: error parsing image reference "Odd": repository name must be lowercase',
    },
    { ref: TAG, problem: { kind: 'label missing' }, blocked: false, message: `source catalog content: ${LABEL}` },
    { ref: DIGEST, problem: { kind: 'label missing' }, blocked: true, message: `source catalog content: ${LABEL}` },
    {
      ref: DIGEST,
      problem: { kind: 'pull', why: 'read tcp 10.0.0.1:51234->10.0.0.2:443: connection reset by peer' },
      blocked: false,
      message: 'source catalog content: connection reset by peer',
    },
    {
      ref: TAG,
      problem: { kind: 'pull', why: 'dial: write udp [::1]:1->[::1]:53' },
      blocked: false,
      message: 'source catalog content: dial: ',
    },
    {
      ref: DIGEST,
      problem: { kind: 'store', why: 'a.yaml:1: bad' },
      blocked: false,
      message: 'error storing fbc: a.yaml:1: bad',
    },
  ];
  it.each(rows)('$ref, $problem.kind → blocked $blocked: $message', ({ ref, problem, blocked, message }) => {
    expect(failureOf(ref, problem)).toEqual({ message, blocked });
  });
});
