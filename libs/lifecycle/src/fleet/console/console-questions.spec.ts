import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ProofRefusal } from '#core/view/proof/console-proof';
import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import { ALL_RIGHTS, LOCAL, rightsOf } from '#core/view/rights/rights';
import type { OperatorRow, ViewRow } from '#core/view/rows/rows';
import { ManualClock } from '#platform/clock/manual-clock';
import type { ProvedPerson } from '#platform/console/proof/proof-checker';
import type { QuestionReceiver } from '#platform/console/question-channel.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { KubeApiError } from '#platform/kube/errors/kube-api.error';
import { fixedClusters } from '#platform/membership/service-clusters.port';
import { type LogFields, silentLog } from '#platform/telemetry/log.port';
import { PATIENCE } from '#testing/patience';
import { ConsoleQuestions, type ConsoleQuestionsOptions } from './console-questions.js';

const CLUSTERS = Array.from({ length: 9 }, (_, index) => `ship-${index}`);
const question = (name: string, cluster = 'ship-0'): ConsoleQuestion => ({
  ...{ v: 1, ask: 'object', kind: 'Subscription', cluster, namespace: 'lamps', name },
});
const LAMP = 'ship-0/lamp';
const hangs = () => new Promise<never>(() => undefined);

let clock: ManualClock;
let answers: Map<string, QuestionAnswer>;
let logged: LogFields[];
let deliveries = 0;
/** Person and rights that a proof shows. */
let proved: ProvedPerson | ProofRefusal;
let rows: readonly ViewRow[];
let refused: string[];
let ask: (question: ConsoleQuestion) => void;
/** What a cluster answers to a read. */
let read: (name: string) => Promise<unknown>;

beforeEach(() => {
  [clock, answers, logged] = [new ManualClock(), new Map(), []];
  read = async (name) => ({ metadata: { name }, spec: {} });
  const clientOf = (cluster: string) =>
    ({ cluster, get: ({ name }: { name: string }) => read(name) }) as unknown as KubeClient;
  const receiver: QuestionReceiver = {
    follow: (take) => {
      ask = (one) => take({ question: one, proof: 'proof', delivery: String(++deliveries) });
    },
    refuse: async ({ question: { cluster, name } }, answer) => void answers.set(`${cluster}/${name}`, answer),
    claim: async ({ name }) => name !== 'taken',
    answer: async ({ cluster, name }, answer) => void answers.set(`${cluster}/${name}`, answer),
    stop: async () => undefined,
  };
  const joined = fixedClusters(CLUSTERS.map(clientOf));
  const labelsOf = (cluster: string): Record<string, string> => (cluster === 'ship-0' ? { tier: 'prod' } : {});
  const clusters = { ...joined, labelsOf, knows: (name: string) => name === 'dark' || joined.knows(name) };
  clusters.problemOf = (cluster) => (cluster === 'dark' ? 'connection refused' : undefined);
  const log = { ...silentLog, warn: (fields: LogFields) => void logged.push(fields) };
  const globalCatalogNamespaceOf = async () => 'olm';
  const resolutionOf = async () => undefined;
  const catalogAnswer = async ({ package: name }: { package?: string }) => ({ answer: `content of ${name}` });
  const of = {
    globalCatalogNamespaceOf,
    resolutionOf,
    catalogsOf: () => [],
    csvsOf: () => [],
    extensionOf: resolutionOf,
    catalogAnswer,
  };
  const checker = { check: async () => proved, note: (reason: string) => refused.push(reason) };
  [proved, rows, refused] = [{ person: LOCAL, rights: ALL_RIGHTS, use: async () => undefined }, [], []];
  const proofs = { checker, stop: () => undefined };
  const options = { proofs, rowsIn: () => rows, receiver, clusters, clock, log, ...of };
  new ConsoleQuestions(options as unknown as ConsoleQuestionsOptions).start();
});

const answerTo = (key: string) => vi.waitFor(() => answers.get(key) ?? expect.fail(`no answer to ${key}`), PATIENCE);

describe('questions of the console', () => {
  it('are answered for the clusters of this process, once, and for no other', async () => {
    ask(question('lamp'));
    ask(question('lamp', 'elsewhere'));
    expect(await answerTo('ship-0/lamp')).toEqual({ answer: { yaml: expect.stringContaining('lamp'), cut: false } });
    ask(question('taken'));
    ask(question('last'));
    await answerTo('ship-0/last');
    expect([...answers.keys()]).toEqual(['ship-0/lamp', 'ship-0/last']);
  });

  it.each([
    { of: 'an object that is not there', name: 'a', answers: undefined, because: 'gone', message: 'no longer there' },
    {
      of: 'a refusal of the cluster, in its words',
      name: 'b',
      answers: new KubeApiError('ship-0', 403, 'Forbidden', 'at ship-0: no', [], 'you may not get subscriptions'),
      because: 'failed',
      message: 'you may not get subscriptions',
    },
    {
      of: 'a cluster that gives no answer',
      name: 'c',
      answers: new KubeApiError('ship-0', 0, 'Unavailable', 'ship-0 does not answer'),
      because: 'away',
      message: 'ship-0 does not answer',
    },
  ])('say why there is no answer: $of', async ({ name, answers: given, because, message }) => {
    read = async () => {
      if (given !== undefined) throw given;
      return undefined;
    };
    ask(question(name));
    expect(await answerTo(`ship-0/${name}`)).toEqual({ because, message: expect.stringContaining(message) });
    expect(logged).toEqual([]);
  });

  it('do not show what is secret in an object', async () => {
    read = async (name) => ({
      metadata: { name },
      spec: { config: { env: [{ name: 'API_TOKEN', value: 'hunter2' }] } },
    });
    ask(question('lamp'));
    expect(await answerTo('ship-0/lamp')).toEqual({
      answer: { yaml: expect.stringContaining('value: ••••'), cut: false },
    });
    expect(JSON.stringify([...answers])).not.toContain('hunter2');
  });

  it('do not show it in the whole of an object either, which a page shows cut', async () => {
    const env = Array.from({ length: 9_000 }, (_, at) => ({ name: `API_TOKEN_${at}`, value: `hunter2-${at}` }));
    read = async (name) => ({ metadata: { name }, spec: { config: { env } } });
    ask(question('lamp'));
    const shown = z.object({ answer: z.object({ yaml: z.string(), cut: z.boolean() }) }).parse(await answerTo(LAMP));
    expect([shown.answer.cut, shown.answer.yaml.length]).toEqual([true, 256_000]);
    answers.clear();
    ask({ ...question('lamp'), ask: 'whole-object' } as ConsoleQuestion);
    const packed = z.object({ answer: z.object({ gzip: z.string() }) }).parse(await answerTo(LAMP));
    const whole = gunzipSync(Buffer.from(packed.answer.gzip, 'base64')).toString();
    expect(whole.slice(0, 256_000)).toBe(shown.answer.yaml);
    expect(whole).toContain('API_TOKEN_8999');
    expect(whole).not.toContain('hunter2');
  });

  it('about a catalog are answered from its content, also while its cluster is away', async () => {
    const content = { source: 'CatalogSource', digest: 'sha256:1', package: 'lamp' } as const;
    ask({ v: 1, ask: 'package', cluster: 'dark', namespace: 'olm', name: 'samples', ...content });
    expect(await answerTo('dark/samples')).toEqual({ answer: 'content of lamp' });
  });

  it('say why a cluster does not take part', async () => {
    ask(question('lamp', 'dark'));
    expect(await answerTo('dark/lamp')).toEqual({ because: 'away', message: 'connection refused' });
  });

  it('do not wait for ever where the hub itself has a fault, and its log has the cause', async () => {
    const fault = new TypeError('x is undefined');
    read = () => Promise.reject(fault);
    ask(question('lamp'));
    expect(await answerTo('ship-0/lamp')).toEqual({
      because: 'failed',
      message: 'the hub could not answer; see the log of the catalog poller',
    });
    expect(logged).toEqual([{ cluster: 'ship-0', ask: 'object', error: fault }]);
  });

  it('end when a cluster takes too long', async () => {
    read = hangs;
    ask(question('lamp'));
    await clock.advance(9_000);
    expect(await answerTo('ship-0/lamp')).toMatchObject({ because: 'away' });
  });

  it('are refused beyond eight of one cluster and 64 of all', async () => {
    read = hangs;
    for (let at = 0; at < 9; at += 1) ask(question(`lamp-${at}`));
    expect(await answerTo('ship-0/lamp-8')).toMatchObject({ message: expect.stringContaining('about this cluster') });
    for (const cluster of CLUSTERS.slice(1)) {
      for (let at = 0; at < 7; at += 1) ask(question(`lamp-${at}`, cluster));
    }
    ask(question('lamp-7', 'ship-1'));
    expect(answers.size).toBe(1);
    ask(question('one-more', 'ship-1'));
    expect(await answerTo('ship-1/one-more')).toMatchObject({ message: expect.stringContaining('about all clusters') });
  });
});

describe('the person behind a question', () => {
  const jane = (namespaces: string[], labels: Record<string, string> = {}): ProvedPerson => ({
    person: { name: 'jane', groups: [] },
    rights: rightsOf(
      {
        grants: [
          {
            users: ['jane'],
            groups: [],
            role: 'viewer',
            labels,
            clusters: ['ship-*'],
            packages: ['lamp'],
            namespaces,
          },
        ],
      },
      { name: 'jane', groups: [] },
    ),
    use: async () => undefined,
  });
  const operator = (name: string) =>
    ({ kind: 'operator', cluster: 'ship-0', namespace: 'lamps', name, package: name, api: 'classic' }) as OperatorRow;

  it('gets no answer without a proof, and nothing is read', async () => {
    proved = { reason: 'no-proof', message: 'no proof of a person came with it' };
    read = hangs;
    ask(question('lamp'));
    expect(await answerTo(LAMP)).toEqual({ because: 'refused', message: 'no proof of a person came with it' });
    expect(refused).toEqual(['no-proof']);
  });

  it('gets no answer by a proof that was used before, and none where another process answers', async () => {
    const use = vi.fn<ProvedPerson['use']>(async () => ({ reason: 'used', message: 'used before' }));
    proved = { person: LOCAL, rights: ALL_RIGHTS, use: use.mockResolvedValueOnce('elsewhere') };
    ask(question('lamp'));
    ask(question('mast'));
    expect(await answerTo('ship-0/mast')).toEqual({ because: 'refused', message: 'used before' });
    expect(answers.has(LAMP)).toBe(false);
  });

  it.each([
    ['in the namespaces that are granted', ['lamps'], { answer: expect.anything() }, []],
    [
      'in no others',
      ['harbors'],
      { because: 'refused', message: expect.stringContaining('does not let jane see') },
      ['not-allowed'],
    ],
  ])('sees objects %s, as the policy of the poller says', async (_where, namespaces, answer, reasons) => {
    [proved, rows] = [jane(namespaces), [operator('lamp'), operator('mast')]];
    ask(question('lamp'));
    expect(await answerTo(LAMP)).toEqual(answer);
    expect(refused).toEqual(reasons);
  });

  it('sees objects of clusters with the labels that are granted', async () => {
    [proved, rows] = [jane(['lamps'], { tier: 'prod' }), [operator('lamp')]];
    ask(question('lamp'));
    expect(await answerTo(LAMP)).toEqual({ answer: expect.anything() });
    [proved, rows] = [jane(['lamps'], { tier: 'lab' }), [operator('lamp')]];
    answers.clear();
    ask(question('lamp'));
    expect(await answerTo(LAMP)).toMatchObject({ because: 'refused' });
  });

  it('sees no object of another package', async () => {
    [proved, rows] = [jane(['lamps']), [operator('lamp'), operator('mast')]];
    ask(question('mast'));
    expect(await answerTo('ship-0/mast')).toMatchObject({ because: 'refused' });
  });
});
