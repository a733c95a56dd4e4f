import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tell } from '../recorded/differences.js';
import { type Playing, playRecordings } from '../recorded/play-recordings.js';
import { chosenScenarios, SCENARIOS } from '../recorded/scenario-table.js';

describe('what OLM Classic was recorded to do, on a real kube-apiserver', () => {
  const played = chosenScenarios(process.env['FLOTILLA_RECORDED']) ?? SCENARIOS.filter(({ notYet }) => !notYet);
  let playing: Playing;

  beforeAll(async () => {
    for (const { name, notYet } of SCENARIOS) if (notYet) console.log(`not played yet: ${name}: ${notYet}`);
    playing = await playRecordings({
      backend: 'real',
      scenarios: played,
      atOnce: 5,
      patienceMs: 40_000,
      quietMs: 1_500,
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
