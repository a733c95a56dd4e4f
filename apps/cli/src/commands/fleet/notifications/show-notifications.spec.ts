import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { TEST_ANNOTATION } from '#core/kernel/api/fleet/fleet-notification';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { fleetDefinitions, serveKinds } from '#testing/cluster/fleet-definitions';
import { PATIENCE } from '#testing/patience';
import { recorder } from '../../../run-flotilla.fixture.js';
import { showNotifications } from './show-notifications.js';

const REF = { apiVersion: FLEET_API, kind: 'FleetNotification' } as const;
const TAKEN = { delivered: 3, failures: 0, waiting: 0, lastDeliveredAt: '2026-01-05T01:00:00.000Z' };

describe('flotilla fleet notifications', () => {
  let hub: DirectCluster;
  beforeEach(async () => {
    hub = directCluster('hub');
    await serveKinds(hub, await fleetDefinitions());
  });
  afterEach(() => hub.stop());

  const make = async (name: string, receivers: readonly string[]) => {
    const secretRef = { name: 'chat', namespace: 'receivers' };
    const spec = { receivers: receivers.map((one) => ({ name: one, type: 'Slack', secretRef })) };
    await hub.client.create({ ...REF, metadata: { name }, spec } as KubernetesObject);
  };
  const report = async (name: string, status: object) => {
    const object = await hub.client.get({ ...REF, name });
    await hub.client.updateStatus({ ...object, status } as KubernetesObject);
  };
  const run = async (asked: Parameters<typeof showNotifications>[2]) => {
    const { result, io } = recorder();
    await showNotifications(hub.client, io, asked);
    return result;
  };

  it('says that there is none', async () => {
    expect(await run({ output: 'table' })).toEqual({ out: 'There is no FleetNotification.\n', err: '', exit: 0 });
  });

  it('lists each receiver, and exits with 1 if a delivery fails', async () => {
    await make('on-call', ['chat', 'pager']);
    await report('on-call', { receivers: [{ name: 'chat', ...TAKEN }] });
    const well = await run({ output: 'table' });
    expect(well.out.split('\n').slice(1, 3)).toEqual([
      'on-call  chat      Slack  3          0        2026-01-05T01:00:00.000Z  -',
      'on-call  pager     Slack  0          0        -                         -',
    ]);
    expect(well.exit).toBe(0);
    const failing = { name: 'pager', delivered: 0, failures: 2, waiting: 4, lastFailure: 'pager.example answers 500' };
    await report('on-call', { receivers: [{ name: 'chat', ...TAKEN }, failing] });
    const bad = await run({ output: 'json' });
    expect(bad.exit).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({
      verdict: 'no',
      receivers: [{ failure: '' }, { receiver: 'pager', waiting: 4, failure: 'pager.example answers 500' }],
    });
  });

  it('asks for a test message, and waits for its outcome', async () => {
    await make('on-call', ['chat']);
    const running = run({ test: 'on-call', output: 'table' });
    const asked = () => hub.cluster.get({ ...REF, name: 'on-call' })?.metadata.annotations?.[TEST_ANNOTATION];
    await expect.poll(asked, PATIENCE).toBeDefined();
    await report('on-call', { tested: asked(), receivers: [{ name: 'chat', ...TAKEN, delivered: 4 }] });
    expect(await running).toMatchObject({ out: expect.stringMatching(/ chat +Slack +4 /), exit: 0 });
  });

  it('does not take an earlier failure of a receiver for the answer', async () => {
    await make('on-call', ['chat']);
    const gathering = { since: TAKEN.lastDeliveredAt, counts: { Test: 1 }, lines: [] };
    const failed = { ...TAKEN, name: 'chat', failures: 3, waiting: 1, lastFailure: 'chat.example answers 404' };
    await report('on-call', { receivers: [failed] });
    const running = run({ test: 'on-call', output: 'table' });
    const asked = () => hub.cluster.get({ ...REF, name: 'on-call' })?.metadata.annotations?.[TEST_ANNOTATION];
    await expect.poll(asked, PATIENCE).toBeDefined();
    await report('on-call', { tested: asked(), receivers: [{ ...failed, gathering }] });
    const reads = () => hub.cluster.requests.length;
    const before = reads();
    await expect.poll(reads, PATIENCE).toBeGreaterThan(before + 2);
    await report('on-call', { tested: asked(), receivers: [{ ...TAKEN, name: 'chat', delivered: 4 }] });
    expect(await running).toMatchObject({ out: expect.stringMatching(/ chat +Slack +4 /), exit: 0 });
  });

  it('names a FleetNotification that is not there', async () => {
    await make('on-call', ['chat']);
    await expect(run({ test: 'night', output: 'table' })).rejects.toThrow('there is no FleetNotification "night"');
  });
});
