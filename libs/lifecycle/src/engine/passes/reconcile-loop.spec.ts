import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterReads } from './pass-reader.js';
import { DecidedOnCache } from './perform.js';
import { concluded, MOST_ROUNDS, type PassOutcome, pauseAfter, reconcile } from './reconcile-loop.js';
import { AT_REST, joined, MOVED, type RoundInput, type StageOutcome, waitFor } from './stage.js';

const CACHED: ClusterReads = {
  get: async () => undefined,
  list: async () => ({ items: [], resourceVersion: '1' }),
  serverVersion: async () => 'v1.34.0',
  cache: { get: () => undefined, list: () => undefined, noteWritten: () => undefined, noteDeleted: () => undefined },
};
const apiError = (status: number, reason: string) => new KubeApiError('east', status, reason, 'no');
const FORBIDDEN = apiError(403, 'Forbidden');
const AWAY = apiError(0, 'Unreachable');

/** What a stage does in each round, the last one repeated: an outcome, or an error that it throws. */
type Script = readonly (StageOutcome | Error)[];

/** Runs a pass of scripted stages; `log` has `<round>.<stage>`, with a star where the round reads live. */
async function played(scripts: readonly Script[], before: (entry: string, stop: AbortController) => void = () => {}) {
  const log: string[] = [];
  const stop = new AbortController();
  let round = 0;
  const stages = scripts.map((script, index) => async ({ reader }: RoundInput): Promise<StageOutcome> => {
    const entry = `${round}.${index}${reader.live ? '*' : ''}`;
    log.push(entry);
    before(entry, stop);
    const next = script[Math.min(round, script.length) - 1] ?? AT_REST;
    if (next instanceof Error) throw next;
    return next;
  });
  const read = async () => {
    round += 1;
    return { round };
  };
  const pass = { client: {} as unknown as KubeClient, reads: CACHED, read, stages: () => stages };
  const outcome = await reconcile(pass, new ManualClock(new Date(0)), stop.signal);
  return { outcome, log };
}

describe('the reconcile loop', () => {
  it.each<[string, Script[], PassOutcome, string[]]>([
    ['nothing to do', [[AT_REST], [AT_REST]], { rounds: 1, result: 'done' }, ['1.0', '1.1']],
    [
      'a write: a new round begins at once, with the first stage',
      [[MOVED, AT_REST], [AT_REST]],
      { rounds: 2, result: 'done' },
      ['1.0', '2.0', '2.1'],
    ],
    [
      'two waits: the one that ends first counts',
      [[waitFor('pods', 500)], [waitFor('the catalog', 200)], [waitFor('the solution')]],
      { rounds: 1, result: 'waits', waitsFor: 'the catalog', againAfterMs: 200 },
      ['1.0', '1.1', '1.2'],
    ],
    [
      'a wait that only an event ends',
      [[waitFor('the solution')]],
      { rounds: 1, result: 'waits', waitsFor: 'the solution' },
      ['1.0'],
    ],
    [
      'a wait of an earlier round is over',
      [
        [waitFor('pods', 500), AT_REST],
        [MOVED, AT_REST],
      ],
      { rounds: 2, result: 'done' },
      ['1.0', '1.1', '2.0', '2.1'],
    ],
    [
      'a refusal: the stages after it run',
      [[FORBIDDEN], [waitFor('pods', 500)]],
      { rounds: 1, result: 'refused', error: FORBIDDEN, againAfterMs: 500 },
      ['1.0', '1.1'],
    ],
    [
      'a refusal that a later round does not meet again',
      [
        [FORBIDDEN, AT_REST],
        [MOVED, AT_REST],
      ],
      { rounds: 2, result: 'done' },
      ['1.0', '1.1', '2.0', '2.1'],
    ],
    [
      'an API server that does not answer: nothing more is tried',
      [[AWAY], [AT_REST]],
      { rounds: 1, result: 'failed', error: AWAY },
      ['1.0'],
    ],
    [
      'a conflict: the next round reads live',
      [[apiError(409, 'Conflict'), AT_REST], [AT_REST]],
      { rounds: 2, result: 'done' },
      ['1.0', '2.0*', '2.1*'],
    ],
    [
      'a deletion that is decided on the cache: it is decided again on live reads',
      [[new DecidedOnCache(), AT_REST]],
      { rounds: 2, result: 'done' },
      ['1.0', '2.0*'],
    ],
    [
      'an object that is gone: missing on live reads, too, it is a refusal',
      [[apiError(404, 'NotFound')]],
      { rounds: 2, result: 'refused', error: apiError(404, 'NotFound') },
      ['1.0', '2.0*'],
    ],
  ])('%s', async (_, scripts, outcome, log) => {
    expect(await played(scripts)).toEqual({ outcome, log });
  });

  it.each([
    { error: FORBIDDEN, result: 'refused', because: 'the API server refuses a read of the subject' },
    { error: apiError(500, 'InternalError'), result: 'refused', because: 'a conversion webhook does not answer' },
    { error: AWAY, result: 'failed', because: 'nothing answers' },
    { error: apiError(429, 'TooManyRequests'), result: 'failed', because: 'the API server is busy' },
    { error: new Error('bug'), result: 'failed', because: 'the code is wrong' },
  ])('ends as $result when $because', async ({ error, result }) => {
    const read = async () => Promise.reject(error);
    const pass = { client: {} as unknown as KubeClient, reads: CACHED, read, stages: () => [] };
    const outcome = await reconcile(pass, new ManualClock(new Date(0)), new AbortController().signal);
    expect(outcome).toEqual({ rounds: 1, result, error });
  });

  it('gives other subjects a turn where writes never end', async () => {
    const { outcome, log } = await played([[MOVED]]);
    expect(outcome).toEqual({ rounds: MOST_ROUNDS, result: 'again', againAfterMs: 5_000 });
    expect(log).toHaveLength(MOST_ROUNDS);
  });

  it('begins no further stage once it is stopped, and is due again at once', async () => {
    const { outcome, log } = await played([[MOVED], [AT_REST]], (_, stop) => stop.abort());
    expect({ outcome, log }).toEqual({ outcome: { rounds: 1, result: 'again', againAfterMs: 0 }, log: ['1.0'] });
  });

  it('ends where the subject is gone', async () => {
    const pass = { client: {} as unknown as KubeClient, reads: CACHED, read: async () => undefined, stages: () => [] };
    const { signal } = new AbortController();
    expect(await reconcile(pass, new ManualClock(new Date(0)), signal)).toEqual({ rounds: 1, result: 'done' });
  });
});

describe('what becomes of a pass', () => {
  it.each<[Parameters<typeof concluded>[0], ReturnType<typeof concluded>]>([
    [{}, { result: 'done' }],
    [{ againAfterMs: 5 }, { result: 'again', againAfterMs: 5 }],
    [
      { waitsFor: 'pods', againAfterMs: 5 },
      { result: 'waits', waitsFor: 'pods', againAfterMs: 5 },
    ],
    [{ waitsFor: 'pods' }, { result: 'waits', waitsFor: 'pods' }],
    [{ refused: FORBIDDEN }, { result: 'refused', error: FORBIDDEN }],
    [
      { refused: FORBIDDEN, waitsFor: 'pods', againAfterMs: 5 },
      { result: 'refused', error: FORBIDDEN, againAfterMs: 5 },
    ],
  ])('%j is %j', (wait, outcome) => {
    expect(concluded(wait)).toEqual(outcome);
  });

  it.each<[PassOutcome, number | undefined]>([
    [{ rounds: 1, result: 'done' }, undefined],
    [{ rounds: 1, result: 'again', againAfterMs: 0 }, 0],
    [{ rounds: 1, result: 'waits', waitsFor: 'pods' }, undefined],
    [{ rounds: 1, result: 'waits', waitsFor: 'pods', againAfterMs: 5 }, 5],
    [{ rounds: 1, result: 'refused', error: FORBIDDEN, againAfterMs: 5 }, 5],
  ])('%j is due in %j', (outcome, pause) => {
    expect(pauseAfter(outcome)).toBe(pause);
  });

  it.each<PassOutcome>([
    { rounds: 1, result: 'refused', error: FORBIDDEN },
    { rounds: 1, result: 'failed', error: FORBIDDEN },
  ])('%j is for the queue to retry', (outcome) => {
    expect(() => pauseAfter(outcome)).toThrow(FORBIDDEN);
  });
});

describe('two outcomes together', () => {
  it.each<[string, StageOutcome, StageOutcome, StageOutcome]>([
    ['one moved', MOVED, waitFor('pods', 5), { moved: true, waitsFor: 'pods', againAfterMs: 5 }],
    ['the sooner', waitFor('pods', 7), waitFor('the catalog', 5), waitFor('the catalog', 5)],
    ['the first of two as soon', waitFor('pods', 5), waitFor('the catalog', 5), waitFor('pods', 5)],
    ['a pause before an event', waitFor('the solution'), waitFor('pods', 5), waitFor('pods', 5)],
    ['an event before nothing', AT_REST, waitFor('the solution'), waitFor('the solution')],
  ])('%s', (_, a, b, both) => {
    expect(joined(a, b)).toEqual(both);
  });
});
