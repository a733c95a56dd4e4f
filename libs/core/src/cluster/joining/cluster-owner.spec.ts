import { describe, expect, it } from 'vitest';
import { ownerStatus, twinText } from './cluster-owner.js';

const HUB = { id: 'hub-2', older: ['hub-1'] };
const NOW = new Date('2026-06-01T12:00:00.000Z');
const given = (annotations: Readonly<Record<string, string>> | undefined, hub: typeof HUB | undefined = HUB) =>
  ownerStatus({ cluster: 'east', hub, annotations, now: NOW });
const status = (holder: string | undefined) => given(holder === undefined ? {} : { 'flotilla.dev/hub': holder });
const MARKS = { 'flotilla.dev/hub': 'hub-2', 'flotilla.dev/hub-instance': null, 'flotilla.dev/hub-asks': null };

describe('which hub manages a cluster', () => {
  it.each([
    { because: 'no hub does: it is taken', holder: undefined, expected: { acts: true, marks: MARKS } },
    { because: 'an empty annotation names none', holder: '', expected: { acts: true, marks: MARKS } },
    { because: 'this hub does', holder: 'hub-2', expected: { acts: true } },
    {
      because: 'this hub does under its older key, and writes the newer one',
      holder: 'hub-1',
      expected: { acts: true, marks: { 'flotilla.dev/hub': 'hub-2' } },
    },
  ])('it acts where $because', ({ holder, expected }) => {
    expect(status(holder)).toEqual(expected);
  });

  it('it does nothing where another one does, and says how to take the cluster over', () => {
    expect(status('hub-9')).toEqual({
      acts: false,
      holder: 'hub-9',
      because:
        'hub hub-9 manages the cluster (annotation flotilla.dev/hub of namespace kube-system), and this hub is hub-2. Nothing is written. If that hub is gone or must stop: "flotilla clusters take-over east --context east --hub-id hub-2"',
    });
  });

  it('it does nothing where the cluster is handed over to OLM', () => {
    expect(status('olm')).toMatchObject({
      acts: false,
      because: expect.stringContaining('flotilla clusters handover east --context east --from olm'),
    });
  });

  it('without an identity it takes no cluster, and leaves those of others alone', () => {
    const of = (annotations: Readonly<Record<string, string>>) =>
      ownerStatus({ cluster: 'east', hub: undefined, instance: 'a', annotations, now: NOW });
    expect(of({})).toEqual({ acts: true });
    expect(of({ 'flotilla.dev/hub': 'hub-9' })).toMatchObject({
      acts: false,
      because: expect.stringContaining('FLOTILLA_HUB_ID'),
    });
  });

  it('it acts, and marks nothing, where the namespace may not be read', () => {
    expect(given(undefined)).toEqual({ acts: true });
  });
});

describe('two hubs with one identity', () => {
  const of = (annotations: Readonly<Record<string, string>>) =>
    ownerStatus({ cluster: 'east', hub: HUB, instance: 'b', annotations, now: NOW });
  const AT = '2026-06-01T11:59:59.000Z';

  it('are told apart by their instances', () => {
    expect(of({ 'flotilla.dev/hub': 'hub-2', 'flotilla.dev/hub-instance': 'a' })).toMatchObject({
      acts: false,
      holder: 'a',
      because:
        'another hub with the same identity hub-2 (instance a, annotation flotilla.dev/hub-instance of namespace kube-system) managed the cluster; this hub has asked it whether it still does. Nothing is written',
    });
  });

  it('are two hubs, and no question is asked, once one of them got an identity of its own as advised', () => {
    expect(of({ 'flotilla.dev/hub': 'hub-1', 'flotilla.dev/hub-instance': 'a' })).toEqual({
      acts: false,
      holder: 'hub-1',
      because: expect.stringMatching(
        /^hub hub-1 manages the cluster .* this hub is hub-2\. Nothing is written\. If that hub is gone/,
      ),
    });
    expect(of({ 'flotilla.dev/hub': 'hub-1', 'flotilla.dev/hub-instance': 'b' })).toEqual({
      acts: true,
      marks: { 'flotilla.dev/hub': 'hub-2' },
    });
  });

  it('are named, with what to do, by the one that stays away', () => {
    const marks = { 'flotilla.dev/hub': 'hub-2', 'flotilla.dev/hub-instance': 'a' };
    expect(of({ ...marks, 'flotilla.dev/hub-asks': `b ${AT} answered` })).toMatchObject({
      acts: false,
      because:
        'another hub with the same identity hub-2 (instance a, annotation flotilla.dev/hub-instance of namespace kube-system) manages the cluster, according to its answer to the question of 2026-06-01T11:59:59.000Z. Nothing is written: give one of the two hubs its own key or FLOTILLA_HUB_ID, or stop it. This hub asks again every five minutes. If the other hub has stopped, take over now: "flotilla clusters take-over east --context east --hub-id hub-2"',
    });
  });

  it('and what a person wrote there, are named in one short line', () => {
    const text = `lies\n${'x'.repeat(1_000_000)}\u001b[2J`;
    const annotations = { 'flotilla.dev/hub': HUB.id, 'flotilla.dev/hub-instance': text };
    const because = [
      ownerStatus({ cluster: 'east', hub: HUB, instance: 'a', annotations, now: NOW }),
      status(text),
      given({ 'flotilla.dev/hub': 'hub-9' }),
    ].map((found) => (found.acts ? '' : found.because));
    for (const line of [...because, twinText({ instance: text, askedAt: NOW })]) {
      expect(line).toMatch(/^[\x20-\x7e…]+$/);
      expect(line.length).toBeLessThan(400);
    }
  });

  it('are named by the one that acts', () => {
    expect(twinText({ instance: 'b', askedAt: new Date(AT) })).toBe(
      'another hub with the same identity (instance b) asked for the cluster at 2026-06-01T11:59:59.000Z and does not manage it: give one of the two hubs its own key or FLOTILLA_HUB_ID, or stop it',
    );
  });

  it('are one hub where the mark is of an earlier release, which is completed', () => {
    expect(of({ 'flotilla.dev/hub': 'hub-2' })).toEqual({ acts: true, marks: { 'flotilla.dev/hub-instance': 'b' } });
    expect(of({ 'flotilla.dev/hub': 'hub-1' })).toEqual({
      acts: true,
      marks: { 'flotilla.dev/hub': 'hub-2', 'flotilla.dev/hub-instance': 'b' },
    });
    expect(of({})).toEqual({
      acts: true,
      marks: { 'flotilla.dev/hub': 'hub-2', 'flotilla.dev/hub-instance': 'b', 'flotilla.dev/hub-asks': null },
    });
  });
});
