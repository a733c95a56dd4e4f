import { describe, expect, it } from 'vitest';
import { OutageLog, outagesOf } from './outage-log.js';

function outages() {
  const said: string[] = [];
  const note = (level: string) => (fields: object, message: string) =>
    void said.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
  return { said, log, outage: new OutageLog(log) };
}

const AWAY = 'warn cluster does not answer {"cluster":"east","reason":"refused"}';
const BACK = 'info cluster answers again {"cluster":"east"}';

describe('the lines about a cluster that is away', () => {
  it('are one when its first watch breaks and one when its last watch is back', () => {
    const { said, outage } = outages();
    const kinds = Array.from({ length: 30 }, (_, at) => `Kind${at}`);
    for (let minute = 0; minute < 10; minute += 1)
      for (const kind of kinds) outage.failed('east', kind, 'refused', minute * 60_000);
    expect(said).toEqual([AWAY]);
    for (const kind of kinds) outage.recovered('east', kind);
    expect(said).toEqual([AWAY, BACK]);
  });

  it('are at most one a minute while it comes and goes', () => {
    const { said, outage } = outages();
    for (let seconds = 0; seconds < 120; seconds += 1) {
      outage.failed('east', 'Pod', 'refused', seconds * 1_000);
      outage.recovered('east', 'Pod');
    }
    expect(said).toEqual([AWAY, BACK, AWAY, BACK]);
  });

  it('come for an outage that began less than a minute after the one before', () => {
    const { said, outage } = outages();
    outage.failed('east', 'Pod', 'refused', 0);
    outage.recovered('east', 'Pod');
    outage.failed('east', 'Pod', 'refused', 5_000);
    outage.failed('east', 'Pod', 'refused', 59_999);
    expect(said).toEqual([AWAY, BACK]);
    outage.failed('east', 'Pod', 'refused', 60_000);
    outage.recovered('east', 'Pod');
    expect(said).toEqual([AWAY, BACK, AWAY, BACK]);
  });

  it('do not wait for a watch that was stopped', () => {
    const { said, outage } = outages();
    for (const part of ['Pod', 'Secret']) outage.failed('east', part, 'refused', 0);
    outage.stopped('east', 'Pod');
    outage.recovered('east', 'Secret');
    expect(said).toEqual([AWAY, BACK]);
  });

  it('are one for many jobs that meet the outage before its watches do', () => {
    const { said, outage } = outages();
    for (let job = 0; job < 20; job += 1) outage.met('east', 'refused', job * 100);
    for (let minute = 0; minute < 5; minute += 1) outage.failed('east', 'Pod', 'refused', 3_000 + minute * 60_000);
    for (let job = 0; job < 20; job += 1) outage.met('east', 'refused', 300_000 + job);
    outage.recovered('east', 'Pod');
    expect(said).toEqual([AWAY, BACK]);
  });

  it('are at most one a minute for jobs whose watches go on', () => {
    const { said, outage } = outages();
    for (let seconds = 0; seconds < 120; seconds += 1) outage.met('east', 'refused', seconds * 1_000);
    expect(said).toEqual([AWAY, AWAY]);
    outage.failed('east', 'Pod', 'refused', 600_000);
    outage.recovered('east', 'Pod');
    expect(said).toEqual([AWAY, AWAY, AWAY, BACK]);
  });

  it('end with one line where only jobs met the outage, once a request works', () => {
    const { said, outage } = outages();
    for (let job = 0; job < 20; job += 1) outage.met('east', 'refused', job * 100);
    outage.recovered('west', 'requests');
    expect(said).toEqual([AWAY]);
    for (let time = 0; time < 3; time += 1) outage.recovered('east', 'requests');
    expect(said).toEqual([AWAY, BACK]);
    outage.met('east', 'refused', 30_000);
    outage.recovered('east', 'requests');
    expect(said).toEqual([AWAY, BACK]);
    outage.met('east', 'refused', 90_000);
    outage.recovered('east', 'requests');
    expect(said).toEqual([AWAY, BACK, AWAY, BACK]);
  });

  it('do not end by a request while a watch is still broken', () => {
    const { said, outage } = outages();
    outage.met('east', 'refused', 0);
    outage.failed('east', 'Pod', 'refused', 1_000);
    outage.recovered('east', 'requests');
    expect(said).toEqual([AWAY]);
    outage.recovered('east', 'Pod');
    expect(said).toEqual([AWAY, BACK]);
  });

  it('are of each cluster, and shared by all parts with one log', () => {
    const { said, log } = outages();
    outagesOf(log).failed('east', 'Pod', 'refused', 0);
    outagesOf(log).failed('west', 'Pod', 'refused', 0);
    outagesOf(log).failed('east', 'Secret', 'refused', 0);
    expect(said).toHaveLength(2);
  });
});
