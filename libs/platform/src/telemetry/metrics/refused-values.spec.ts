import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../clock/manual-clock.js';
import type { LogFields } from '../log.port.js';
import { RefusedValues } from './refused-values.js';

function fixture() {
  const clock = new ManualClock();
  const lines: LogFields[] = [];
  const counted: string[] = [];
  const values = new RefusedValues(
    { error: (fields) => void lines.push(fields) },
    { valueRefused: (cluster, what, count) => void counted.push(`${cluster} ${what} ${count}`) },
    clock,
  );
  return { clock, lines, counted, values };
}

describe('values in Redis that are refused', () => {
  it('are all counted, and logged once in 30 s for each kind, with how many there were', async () => {
    const { clock, lines, counted, values } = fixture();
    for (let index = 0; index < 500; index++) values.note({ cluster: 'east', what: 'seen', count: 2 });
    values.note({ cluster: 'west', what: 'solution', fields: { namespace: 'apps' } });
    await clock.advance(30_000);
    values.note({ cluster: 'east', what: 'seen' });
    expect(counted).toHaveLength(502);
    expect(lines).toEqual([
      { cluster: 'east', what: 'seen', count: 2 },
      { cluster: 'west', namespace: 'apps', what: 'solution', count: 1 },
      { cluster: 'east', what: 'seen', count: 999 },
    ]);
  });

  it('degrade health for an hour, and do not take the service out of use', async () => {
    const { clock, values } = fixture();
    expect(await values.check.check()).toEqual({ up: true, detail: 'no value in Redis was refused' });
    values.note({ cluster: 'east', what: 'solution' });
    await clock.advance(5_000);
    const health = await values.check.check();
    expect(health).toMatchObject({ up: true, degraded: true });
    expect(health.detail).toMatch(/^1 values in Redis were refused .* 5 s ago \(solution, cluster east\)/);
    await clock.advance(3_600_000);
    expect(await values.check.check()).toEqual({ up: true, detail: 'no value in Redis was refused' });
  });
});
