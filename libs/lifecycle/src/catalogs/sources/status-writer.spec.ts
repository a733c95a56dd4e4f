import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { ManualClock } from '#platform/clock/manual-clock';
import { ClusterLeftToOlm, ClusterOfAnotherProcess } from '#platform/joining/cluster-writes';
import { silentLog } from '#platform/telemetry/log.port';
import type { DirectCluster } from '#testing/cluster/direct-client';
import { Refusal } from '#testing/cluster/objects/refusal';
import { PATIENCE } from '#testing/patience';
import { addSource, clusterWithSources, SHOP, storedSource } from './source-environment.fixture.js';
import { StatusWriter } from './status-writer.js';

const AGAIN_MS = 30_000;
let direct: DirectCluster;
let clock: ManualClock;
let warnings: string[];
let desired: CatalogSource['status'];

beforeEach(async () => {
  direct = await clusterWithSources();
  [clock, warnings, desired] = [new ManualClock(), [], { message: 'ready' }];
});
afterEach(() => direct.stop());

const writer = () =>
  new StatusWriter({
    client: direct.client,
    clock,
    log: { ...silentLog, warn: (_fields: unknown, text: string) => void warnings.push(text) },
    statusOf: () => desired,
  });
const message = () => storedSource(direct).status?.message;
const puts = () => direct.cluster.requests.filter(({ subresource }) => subresource === 'status').length;
const STATUS = { resource: 'catalogsources', subresource: 'status' };

describe('the status of a CatalogSource', () => {
  it('is written once; what is there already is not written again', async () => {
    const statuses = writer();
    const source = addSource(direct);
    await statuses.write(source);
    await statuses.write(source);
    expect([message(), puts()]).toEqual(['ready', 1]);
  });

  it('is made from the live object: one that another client changed meanwhile keeps that change', async () => {
    const source = addSource(direct);
    direct.cluster.edit(SHOP, (object) => Object.assign(Object(object).spec, { priority: 7 }));
    await writer().write(source);
    expect([message(), storedSource(direct).spec.priority]).toEqual(['ready', 7]);
  });

  it.each([
    [4, 'ready', 0],
    [5, undefined, 1],
  ])('is made anew after a conflict; after %i of them: %s', async (conflicts, after, warned) => {
    const source = addSource(direct);
    for (let at = 0; at < conflicts; at += 1) direct.cluster.failNext(STATUS, 409, 'Conflict');
    await writer().write(source);
    expect([message(), warnings.length]).toEqual([after, warned]);
  });

  it('that cannot be written is named, until it is written or its source has gone', async () => {
    const source = addSource(direct);
    const statuses = writer();
    const given = direct.cluster.failAll(STATUS, new Refusal(403, 'Forbidden', 'not yours'));
    await statuses.write(source);
    expect(statuses.failures).toEqual([expect.stringContaining('not yours')]);
    given();
    await clock.advance(AGAIN_MS);
    await expect.poll(() => statuses.failures, PATIENCE).toEqual([]);
    direct.cluster.failAll(STATUS, new Refusal(403, 'Forbidden', 'not yours'));
    desired = { message: 'other' };
    await statuses.write(source);
    statuses.forget(source);
    expect(statuses.failures).toEqual([]);
    statuses.stop();
  });

  it('that cannot be written is tried again every half minute, with what is desired by then', async () => {
    const source = addSource(direct);
    direct.cluster.failNext(STATUS, 403, 'Forbidden');
    await writer().write(source);
    expect(warnings).toEqual(['could not write the status of a CatalogSource; retrying']);
    desired = { message: 'newer' };
    await clock.advance(AGAIN_MS - 1);
    expect(message()).toBeUndefined();
    await clock.advance(1);
    await expect.poll(message, { interval: 1 }).toBe('newer');
  });

  it('has one retry, however often it could not be written', async () => {
    const source = addSource(direct);
    const statuses = writer();
    for (const _ of [1, 2, 3]) {
      direct.cluster.failNext(STATUS, 403, 'Forbidden');
      await statuses.write(source);
    }
    direct.cluster.requests.clear();
    await clock.advance(AGAIN_MS);
    await expect.poll(message, { interval: 1 }).toBe('ready');
    expect(direct.cluster.requests.map(({ verb }) => verb)).toEqual(['get', 'update']);
  });

  it.each<[because: string, prepare: (source: CatalogSource, statuses: StatusWriter) => void]>([
    ['the CatalogSource is gone', () => direct.cluster.delete(SHOP)],
    ['Flotilla has no status for it', () => (desired = undefined)],
    ['the writer has stopped', (_, statuses) => statuses.stop()],
  ])('is not written where %s', async (_, prepare) => {
    const source = addSource(direct);
    const statuses = writer();
    prepare(source, statuses);
    await statuses.write(source);
    expect([puts(), warnings]).toEqual([0, []]);
  });

  it('is written once the process is sure of its shard again', async () => {
    const source = addSource(direct);
    const statuses = writer();
    const { updateStatus } = direct.client;
    direct.client.updateStatus = async () => {
      throw new ClusterOfAnotherProcess('harbour');
    };
    await statuses.write(source);
    expect([puts(), warnings]).toEqual([0, []]);
    direct.client.updateStatus = updateStatus;
    await clock.advance(1_000);
    await expect.poll(message, { interval: 1 }).toBe('ready');
  });

  it('is not tried again in a cluster that is left to OLM, nor after the stop', async () => {
    const source = addSource(direct);
    const statuses = writer();
    const { updateStatus } = direct.client;
    direct.client.updateStatus = async () => {
      throw new ClusterLeftToOlm('harbour');
    };
    await statuses.write(source);
    direct.client.updateStatus = updateStatus;
    await clock.advance(AGAIN_MS);
    direct.cluster.failNext(STATUS, 403, 'Forbidden');
    await statuses.write(source);
    statuses.stop();
    const before = puts();
    await clock.advance(AGAIN_MS);
    expect([puts(), warnings.length]).toEqual([before, 1]);
  });
});
