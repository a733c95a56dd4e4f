import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '#core/kernel/actions/action';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { refusalOfDryRun } from './try-dry-run.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

const settings = (data: Record<string, string> = { glow: 'warm' }) =>
  objectOf('ConfigMap', 'settings', 'shop', { data });
const SETTINGS = refTo('ConfigMap', 'settings', 'shop');

describe('a dry run of a step', () => {
  const patch = { metadata: { labels: { a: 'b' } } };
  const actions: readonly (readonly [string, Action])[] = [
    ['create', { do: 'create', object: objectOf('ConfigMap', 'more', 'shop') }],
    ['update', { do: 'update', object: settings({ glow: 'cold' }) }],
    ['patch', { do: 'patch', ref: SETTINGS, patch }],
    ['apply', { do: 'apply', object: settings({ glow: 'cold' }) }],
  ];
  it.each(actions)('%s: is accepted, and stores nothing', async (_, action) => {
    at.put(settings());
    expect(await refusalOfDryRun(at.client, [action])).toBeUndefined();
    expect(at.get(SETTINGS)).toMatchObject({ data: { glow: 'warm' } });
    expect(at.get(SETTINGS)?.metadata.labels).toBeUndefined();
    expect(at.names('ConfigMap', 'shop')).not.toContain('shop/more');
  });

  it.each([
    { status: 403, reason: 'Forbidden', accepted: false, because: 'the right is missing' },
    { status: 422, reason: 'Invalid', accepted: false, because: 'the object is invalid' },
    { status: 500, reason: 'InternalError', accepted: false, because: 'a webhook does not answer' },
    { status: 409, reason: 'Conflict', accepted: true, because: 'the next try has a newer object' },
    { status: 409, reason: 'AlreadyExists', accepted: true, because: 'the next try finds it' },
  ])('$reason: accepted is $accepted, since $because', async ({ status, reason, accepted }) => {
    at.cluster.failNext({ verb: 'create', resource: 'configmaps' }, status, reason);
    const refused = await refusalOfDryRun(at.client, [{ do: 'create', object: settings() }]);
    expect(refused?.reason).toBe(accepted ? undefined : reason);
  });

  it('no answer is no verdict', async () => {
    at.cutOff(true);
    await expect(refusalOfDryRun(at.client, [{ do: 'create', object: settings() }])).rejects.toMatchObject({
      status: 0,
    });
  });

  it('all writes of a step must be accepted', async () => {
    at.cluster.failNext({ verb: 'patch', resource: 'configmaps' }, 403, 'Forbidden');
    const both: Action[] = [
      { do: 'create', object: objectOf('ConfigMap', 'more', 'shop') },
      { do: 'patch', ref: SETTINGS, patch },
    ];
    expect((await refusalOfDryRun(at.client, both))?.reason).toBe('Forbidden');
  });
});
