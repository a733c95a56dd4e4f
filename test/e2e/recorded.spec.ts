import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '#testing/patience';
import { needing, publicData } from '#testing/report/needs';
import { describeDifferences } from '../recorded/differences.js';
import { type Playing, playRecordings } from '../recorded/play-recordings.js';
import { missing } from '../recorded/recording.js';
import { chosenScenarios, SCENARIOS, type ScenarioRow } from '../recorded/scenario-table.js';

describe('what OLM Classic was recorded to do, on a real kube-apiserver', () => {
  const asked = chosenScenarios(process.env['FLOTILLA_RECORDED']) ?? SCENARIOS;
  const why = ({ name, notWithOthers }: ScenarioRow) => missing(name) ?? notWithOthers;
  const played = asked.filter((row) => why(row) === undefined);
  let playing: Playing;

  beforeAll(async () => {
    playing = await playRecordings({
      backend: 'real',
      scenarios: played,
      atOnce: 5,
      patienceMs: PATIENCE_MS,
      quietMs: 1_500,
    });
  });
  afterAll(() => playing?.stop());

  const absent = asked.filter(({ name, notWithOthers }) => missing(name) !== undefined && notWithOthers === undefined);
  it.for(absent)('$name', needing({ ...publicData(), isThere: false }), () => undefined);

  it.each(played)('$name', async ({ name }) => {
    const result = await playing.of(name);
    expect(result, 'the recording is at hand').toBeDefined();
    console.log(`${name}: ${result?.seconds.toFixed(1)} s`);
    expect(describeDifferences(result?.differences ?? [])).toBe('');
  });
});
