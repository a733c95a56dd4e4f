import { describe, expect, it } from 'vitest';
import { ActionRequest } from '../../apps/console/src/api/actions.schema.js';
import { actionBatches } from '../../apps/console/web/live/action-batches.js';

const target = (at: number, name = `install-${at}`) => ({ cluster: `eu-${at}`, namespace: 'lamps', name });
const request = (targets: readonly ReturnType<typeof target>[]): ActionRequest => ({
  ...{ verb: 'approve', planHash: 'h', comment: 'CHG-1' },
  targets: [...targets],
});
const many = (count: number, name?: string) => Array.from({ length: count }, (_, at) => target(at, name));

describe('a large action', () => {
  it.each([
    [1, [1]],
    [1_000, [1_000]],
    [1_001, [1_000, 1]],
    [2_500, [1_000, 1_000, 500]],
  ])('of %i targets is sent as %j, each target once', (count, sizes) => {
    const all = many(count);
    const batches = actionBatches(request(all));
    expect(batches.map(({ targets }) => targets.length)).toEqual(sizes);
    expect(batches.flatMap(({ targets }) => targets)).toEqual(all);
    for (const one of batches) expect(ActionRequest.parse(one)).toMatchObject({ planHash: 'h', comment: 'CHG-1' });
  });

  it('with long names is sent in parts that the server reads, 256 kB each at most', () => {
    const batches = actionBatches(request(many(1_000, 'ä'.repeat(250))));
    expect(batches.flatMap(({ targets }) => targets)).toHaveLength(1_000);
    for (const one of batches) expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThan(262_144);
  });
});
