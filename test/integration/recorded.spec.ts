import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tell } from '../recorded/differences.js';
import { type Playing, playRecordings } from '../recorded/play-recordings.js';
import { chosenScenarios, SCENARIOS } from '../recorded/scenario-table.js';

describe('what OLM Classic was recorded to do, on simulated clusters', () => {
  const played = chosenScenarios(process.env['FLOTILLA_RECORDED']) ?? SCENARIOS.filter(({ fast }) => fast);
  let playing: Playing;

  beforeAll(async () => {
    for (const { name, fast, realOnly, notYet } of SCENARIOS) {
      if (!fast) console.log(`not played here: ${name}: ${notYet ?? realOnly ?? 'it takes long; make e2e plays it'}`);
    }
    playing = await playRecordings({
      backend: 'simulated',
      scenarios: played,
      atOnce: 6,
      patienceMs: 20_000,
      quietMs: 700,
    });
  });
  afterAll(() => playing?.strike());

  it.each(played)('$name', async ({ name }) => {
    const result = await playing.of(name);
    expect(result, 'the recording is at hand').toBeDefined();
    console.log(`${name}: ${result?.seconds.toFixed(1)} s`);
    expect(tell(result?.differences ?? [])).toBe('');
  });
});
