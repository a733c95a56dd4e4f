import { describe, expect, it } from 'vitest';
import { ANSWER_AGAIN_WITHIN_MS, ANSWER_WITHIN_MS, ASK_AGAIN_MS, instanceStatus } from './hub-instance.js';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms).toISOString();
const statusOf = (instance: string, holder?: string, question?: string, questionSeenAt?: Date) =>
  instanceStatus({
    instance,
    questionSeenAt,
    now: NOW,
    annotations: {
      ...(holder !== undefined && { 'flotilla.dev/hub-instance': holder }),
      ...(question !== undefined && { 'flotilla.dev/hub-asks': question }),
    },
  });

describe('the instance that a cluster names', () => {
  it('is written where none is, as by an earlier release', () => {
    expect(statusOf('a')).toEqual({ acts: true, marks: { 'flotilla.dev/hub-instance': 'a' } });
  });

  it.each([
    { because: 'no other one asks', question: undefined },
    { because: 'its own question is left', question: `a ${ago(1)}` },
    { because: 'the text is no question', question: 'lies' },
    { because: 'the time of the question is none', question: 'b yesterday' },
  ])('acts, and writes nothing, where $because', ({ question }) => {
    expect(statusOf('a', 'a', question)).toEqual({ acts: true });
  });

  it('answers one that asks, and names it', () => {
    const askedAt = ago(1_000);
    expect(statusOf('a', 'a', `b ${askedAt}`)).toEqual({
      acts: true,
      twin: { instance: 'b', askedAt: new Date(askedAt) },
      marks: { 'flotilla.dev/hub-asks': `b ${askedAt} answered` },
      isAwaited: true,
    });
    expect(statusOf('a', 'a', `b ${askedAt} answered`)).toEqual({
      acts: true,
      twin: { instance: 'b', askedAt: new Date(askedAt) },
    });
  });
});

describe('another instance with the same identity', () => {
  const asks = (again = '') => ({
    acts: false,
    holder: 'a',
    marks: { 'flotilla.dev/hub-asks': `b ${NOW.toISOString()}${again}` },
    isAwaited: true,
    againAfterMs: 3_000,
  });
  const LATE = ANSWER_WITHIN_MS + ASK_AGAIN_MS;

  it.each([
    { because: 'no question is there', question: undefined },
    { because: 'the text is no question', question: 'lies' },
    { because: 'the question comes from a clock that was set back', question: `b ${ago(-1)}` },
    { because: 'another one was answered long ago', question: `c ${ago(ASK_AGAIN_MS)} answered` },
    { because: 'another one got no answer, and went', question: `c ${ago(ANSWER_WITHIN_MS)}` },
    { because: 'it was not there when its question was over', question: `b ${ago(LATE)}` },
  ])('asks, and stays away, where $because', ({ question }) => {
    expect(statusOf('b', 'a', question)).toEqual(asks());
  });

  it.each([
    { because: 'its own question is young', question: `b ${ago(5_000)}`, againAfterMs: 3_000 },
    { because: 'it is over in a second', question: `b ${ago(ANSWER_WITHIN_MS - 1_000)}`, againAfterMs: 1_000 },
    { because: 'that of another one is', question: `c ${ago(5_000)}`, againAfterMs: 3_000 },
    {
      because: 'the other one has answered before, and may be restarted now',
      question: `b ${ago(ANSWER_WITHIN_MS)} again`,
      againAfterMs: ANSWER_AGAIN_WITHIN_MS - ANSWER_WITHIN_MS,
    },
  ])('waits for the answer where $because', ({ question, againAfterMs }) => {
    expect(statusOf('b', 'a', question)).toEqual({ acts: false, holder: 'a', againAfterMs });
  });

  it('stays away once it is answered, and asks again later', () => {
    expect(statusOf('b', 'a', `b ${ago(1_000)} answered`)).toEqual({
      acts: false,
      holder: 'a',
      answeredAt: new Date(ago(1_000)),
      againAfterMs: ASK_AGAIN_MS - 1_000,
    });
    expect(statusOf('b', 'a', `b ${ago(ASK_AGAIN_MS)} answered`)).toEqual(asks(' again'));
  });

  it('takes an answer to a third one for its own: two that ask in turns would never end', () => {
    const answered = { acts: false, holder: 'a', answeredAt: new Date(ago(1_000)), againAfterMs: ASK_AGAIN_MS - 1_000 };
    expect(statusOf('b', 'a', `c ${ago(1_000)} answered`)).toEqual(answered);
  });

  it.each([ago(-600_000), ago(600_000), '9999-01-01T00:00:00Z'])(
    'waits as long where the clock of a third one says %s',
    (time) => {
      const seenFor = (ms: number, state = '') => statusOf('b', 'a', `c ${time}${state}`, new Date(NOW.getTime() - ms));
      expect(seenFor(1_000)).toEqual({ acts: false, holder: 'a', againAfterMs: 3_000 });
      expect(seenFor(ANSWER_WITHIN_MS)).toEqual(asks());
      expect(seenFor(1_000, ' answered')).toMatchObject({ acts: false, againAfterMs: ASK_AGAIN_MS - 1_000 });
      expect(seenFor(ASK_AGAIN_MS, ' answered')).toEqual(asks());
    },
  );

  it.each([`b ${ago(ANSWER_WITHIN_MS)}`, `b ${ago(LATE - 1)}`, `b ${ago(ANSWER_AGAIN_WITHIN_MS)} again`])(
    'takes the place of one that does not answer, and acts once that is written: %s',
    (question) => {
      expect(statusOf('b', 'a', question)).toEqual({
        acts: false,
        holder: 'a',
        againAfterMs: 3_000,
        marks: { 'flotilla.dev/hub-instance': 'b', 'flotilla.dev/hub-asks': null },
        isAwaited: true,
      });
    },
  );
});
