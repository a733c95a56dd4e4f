import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { outagesOf } from '#platform/telemetry/outage-log';
import { ClusterContact } from './cluster-contact.js';

const unreachable = (cluster: string) => new KubeApiError(cluster, 0, 'Unreachable', 'connection refused');
const refused = (cluster: string) => new KubeApiError(cluster, 403, 'Forbidden', 'not yours');

/** Two clusters; those in `away` do not answer. `heard`: when each last sent something through a watch. */
function contactOf(names = ['east', 'west'], idle: ReadonlySet<string> = new Set()) {
  const heard = new Map<string, Date>();
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const away = new Set<string>();
  const refusals = new Map<string, KubeApiError>();
  const asked: string[] = [];
  const serverVersion = async (cluster: string) => {
    asked.push(cluster);
    if (away.has(cluster)) throw unreachable(cluster);
    const refusal = refusals.get(cluster);
    if (refusal !== undefined) throw refusal;
  };
  const clusters = {
    known: () => names,
    client: (cluster: string) => ({ cluster, serverVersion: () => serverVersion(cluster) }) as unknown as KubeClient,
    problemOf: () => undefined,
  };
  const views = { isIdle: (cluster: string) => idle.has(cluster), lastSeen: (cluster: string) => heard.get(cluster) };
  const said: string[] = [];
  const note = (_fields: object, message: string) => void said.push(message);
  const log = { ...silentLog, info: note, warn: note };
  const contact = new ClusterContact({ clock, log }, clusters, views);
  const health = () => contact.check.check();
  const pass = (ms: number) => clock.advance(ms);
  return { contact, clock, heard, away, refusals, asked, health, pass, log, said };
}

describe('ClusterContact', () => {
  const clusters = ['east', 'west'];

  it('is not up before any cluster was heard of', async () => {
    const { health } = contactOf();
    expect(await health()).toEqual({
      up: false,
      degraded: true,
      detail: '2 of 2 clusters do not answer: east (no answer yet), west (no answer yet)',
      clusters,
      away: clusters,
      troubles: {
        east: 'the cluster does not answer: no answer yet',
        west: 'the cluster does not answer: no answer yet',
      },
    });
  });

  it('ends an outage that jobs alone met with one line, at the next answer of the cluster', async () => {
    const { contact, clock, away, log, said, pass } = contactOf();
    contact.start();
    await pass(0);
    away.add('east');
    for (let job = 0; job < 3; job += 1) outagesOf(log).met('east', 'refused', clock.now().getTime());
    contact.noteEnd('east', unreachable('east'));
    await pass(31_000);
    expect(said).toEqual(['cluster does not answer']);
    away.delete('east');
    await pass(90_000);
    expect(said).toEqual(['cluster does not answer', 'cluster answers again']);
    contact.stop();
  });

  it('is up once all have answered, and asks no cluster that work has reached', async () => {
    const { contact, health, pass, asked } = contactOf();
    contact.start();
    await pass(0);
    expect(await health()).toEqual({ up: true, detail: '2 of 2 clusters answer', clusters, away: [] });
    await pass(20_000);
    contact.noteEnd('east');
    await pass(10_000);
    expect(asked).toEqual(['east', 'west', 'west']);
    contact.stop();
  });

  it('asks no cluster whose watches get a bookmark a minute, and soon one whose watches fall silent', async () => {
    const { contact, clock, heard, away, asked, health, pass } = contactOf();
    contact.start();
    await pass(0);
    asked.length = 0;
    for (let minute = 0; minute < 5; minute += 1) {
      heard.set('east', clock.now());
      await pass(60_000);
    }
    expect(asked).toEqual(Array.from({ length: 10 }, () => 'west'));
    away.add('east');
    await pass(90_000);
    expect(asked.includes('east')).toBe(true);
    await pass(60_000);
    expect(await health()).toMatchObject({ detail: '1 of 2 clusters do not answer: east (connection refused)' });
    contact.stop();
  });

  it('is degraded while one is away, with the reason, and not up when all are', async () => {
    const { contact, away, health, pass } = contactOf();
    contact.start();
    await pass(0);
    away.add('west');
    await pass(30_000);
    expect(await health(), 'one failure is none').toMatchObject({ up: true, detail: '2 of 2 clusters answer' });
    await pass(30_000);
    expect(await health()).toEqual({
      up: true,
      degraded: true,
      detail: '1 of 2 clusters do not answer: west (connection refused)',
      clusters,
      away: ['west'],
      troubles: { west: 'the cluster does not answer: connection refused' },
    });
    away.add('east');
    await pass(30_000);
    await pass(30_000);
    expect((await health()).up).toBe(false);
    away.clear();
    await pass(30_000);
    expect(await health()).toEqual({ up: true, detail: '2 of 2 clusters answer', clusters, away: [] });
    contact.stop();
  });

  it.each([
    { because: 'a refusal is an answer', error: refused('east'), up: true },
    { because: 'no answer is none', error: unreachable('east'), up: false },
    { because: 'an error of another kind says nothing about the cluster', error: new Error('bug'), up: false },
  ])('$because', async ({ error, up }) => {
    const { contact, health } = contactOf();
    contact.noteEnd('east', error);
    expect((await health()).up).toBe(up);
  });

  it.each([
    { what: 'fails', status: 500, advice: /log of its API server/ },
    { what: 'does not accept the login any more', status: 401, advice: /login in the kubeconfig .* renew it/ },
  ])('names an API server that $what, with what to do', async ({ status, advice }) => {
    const { contact, refusals, health, pass } = contactOf();
    contact.start();
    await pass(0);
    const error = new KubeApiError('west', status, 'Some', 'no');
    refusals.set('west', error);
    for (let second = 0; second < 70; second += 1) {
      contact.noteEnd('west', error);
      await pass(1_000);
    }
    expect(await health()).toMatchObject({ up: true, degraded: true, detail: expect.stringMatching(advice) });
    refusals.clear();
    await pass(30_000);
    expect(await health()).toMatchObject({ detail: '2 of 2 clusters answer' });
    contact.stop();
  });

  it('holds a failure of one request against no API server that answers others', async () => {
    const { contact, health, pass } = contactOf();
    contact.start();
    for (let second = 0; second < 100; second += 1) {
      contact.noteEnd('west', new KubeApiError('west', 500, 'InternalError', 'failed calling webhook'));
      await pass(1_000);
    }
    expect(await health()).toEqual({ up: true, detail: '2 of 2 clusters answer', clusters, away: [] });
    contact.stop();
  });

  it('is about the clusters of the moment', async () => {
    const names = ['east'];
    const { contact, health } = contactOf(names);
    contact.noteEnd('east');
    names.push('west');
    expect(await health()).toMatchObject({ detail: expect.stringMatching(/^1 of 2 clusters do not answer: west/) });
    names.splice(0, 2, 'west');
    contact.update();
    contact.noteEnd('west');
    expect(await health()).toEqual({ up: true, detail: '1 of 1 clusters answer', clusters: ['west'], away: [] });
  });

  it('asks an idle cluster a few times an hour', async () => {
    const { contact, pass, asked } = contactOf(['east'], new Set(['east']));
    contact.start();
    await pass(3_600_000);
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.length).toBeLessThan(15);
    contact.stop();
  });

  it('is not degraded by one failure of an idle cluster, and by the second one soon', async () => {
    const { contact, away, health, pass, asked } = contactOf(['east', 'west'], new Set(['west']));
    contact.start();
    await pass(0);
    away.add('west');
    for (let n = asked.length; !asked.slice(n).includes('west'); ) await pass(30_000);
    expect(await health()).toMatchObject({ up: true, detail: '2 of 2 clusters answer' });
    await pass(60_000);
    expect(await health()).toMatchObject({ up: true, degraded: true });
    away.clear();
    await pass(30_000);
    expect(await health()).toMatchObject({ up: true, detail: '2 of 2 clusters answer' });
    contact.stop();
  });
});
