import { describe, expect, it, vi } from 'vitest';
import type { ActionResult, ConsoleAction } from '#core/view/actions/console-action';
import { ManualClock } from '#platform/clock/manual-clock';
import { silentLog } from '#platform/telemetry/log.port';
import { DRIVEN } from '#testing/patience';
import { ActionBook } from './action-book.js';

const target = (cluster: string) => ({ cluster, namespace: 'lamps', name: 'install-1' });
const ACTION: ConsoleAction = {
  ...{ v: 1, id: '7f9c3c0e-3f3f-4c44-8b8e-3e4b2f1d2c11', verb: 'approve', planHash: 'hash', by: 'jane', at: 'now' },
  targets: [target('east'), target('west')],
};
const pending = ACTION.targets.map((one): ActionResult => ({ ...one, outcome: 'pending', message: '' }));

describe('an action under way', () => {
  it('gets each result once; what no applier answered is unknown after half a minute, and never pending for ever', async () => {
    const clock = new ManualClock();
    const results: ActionResult[] = [];
    const sender = { send: async () => ACTION.id, find: async () => ACTION, results: async () => results };
    const book = new ActionBook({ sender, clock, log: silentLog });
    const seen: string[] = [];
    book.note(ACTION, pending, [], async (_, news) => {
      seen.push(...news.map(({ cluster, outcome }) => `${cluster} ${outcome}`));
    });
    results.push({ ...target('east'), outcome: 'done', message: 'approved' });
    await vi.waitFor(async () => {
      await clock.advance(250);
      expect(seen).toEqual(['east done']);
    }, DRIVEN);
    expect(book.find(ACTION.id)?.answer.results.map(({ outcome }) => outcome)).toEqual(['done', 'pending']);
    await vi.waitFor(async () => {
      await clock.advance(5_000);
      expect(seen).toEqual(['east done', 'west unknown']);
    }, DRIVEN);
    await book.close();
  });
});
