import { describe, expect, it } from 'vitest';
import { type HolderFacts, holderIn, isHolderAlive, type LockHolder, upRunsAlready } from './lock-holder.js';

const HOLDER: LockHolder = { pid: 4711, host: 'here', started: '100' };
const FACTS: HolderFacts = { host: 'here', isRunning: true, started: '100', renewedMsAgo: 1_000 };
const LONG_AGO = { renewedMsAgo: 60_000 };

describe('the process that has a lock', () => {
  it.each<{ because: string; alive: boolean; holder?: Partial<LockHolder>; facts?: Partial<HolderFacts> }>([
    { because: 'it runs', alive: true },
    { because: 'it runs, though it was suspended and renewed nothing', alive: true, facts: LONG_AGO },
    { because: 'it was killed', alive: false, facts: { isRunning: false, started: null } },
    { because: 'another process has its number now', alive: false, facts: { started: '200' } },
    { because: 'it has ended, and its parent has not taken notice', alive: false, facts: { started: null } },
    { because: 'it gave the lock back', alive: false, holder: { ended: '2026-01-01T00:00:00Z' } },
    { because: 'the system does not say when it began', alive: true, holder: { started: null } },
    {
      because: 'nor that, and nothing is renewed: a later process has its number',
      alive: false,
      holder: { started: null },
      facts: LONG_AGO,
    },
    { because: 'it renews the lock from another machine', alive: true, holder: { host: 'there' } },
    { because: 'it no longer does so', alive: false, holder: { host: 'there' }, facts: LONG_AGO },
    { because: 'the lock names no process', alive: false, holder: { pid: 0 } },
  ])('alive $alive: $because', ({ alive, holder = {}, facts = {} }) => {
    expect(isHolderAlive({ ...HOLDER, ...holder }, { ...FACTS, ...facts })).toBe(alive);
  });

  it.each(['', 'null', '[]', '{"pid":', '{"pid":"1"}', '{"pid":1,"host":"here"}', '7'])(
    'is no process in a lock that says %s',
    (text) => {
      expect(holderIn(text)).toEqual({ pid: 0, host: '', started: null });
    },
  );

  it('is read as it was written', () => {
    const holder = { ...HOLDER, id: 'x', url: 'http://127.0.0.1:1' };
    expect(holderIn(JSON.stringify(holder))).toEqual(holder);
  });
});

describe('a second flotilla up says', () => {
  const END = 'or give this hub another identity with FLOTILLA_HUB_ID=NAME';
  it.each<{ said: string; holder?: Partial<LockHolder> }>([
    {
      holder: { url: 'http://127.0.0.1:8080' },
      said: `flotilla up already runs (pid 4711, http://127.0.0.1:8080): stop it first, ${END}`,
    },
    { said: `flotilla up already runs (pid 4711, which is starting): stop it first, ${END}` },
    {
      holder: { host: 'there', url: 'http://127.0.0.1:1' },
      said: `flotilla up already runs (pid 4711 on there, http://127.0.0.1:1): stop it first (after a kill its lock ends within a minute), ${END}`,
    },
    {
      holder: holderIn(''),
      said: `flotilla up already runs (another process, which is starting): stop it first, ${END}`,
    },
  ])('$said', ({ said, holder = {} }) => {
    expect(upRunsAlready({ ...HOLDER, ...holder }, 'here')).toBe(said);
  });
});
