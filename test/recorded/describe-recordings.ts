import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS, PATIENCE_MS } from '#testing/patience';
import { needing, publicData } from '#testing/report/needs';
import { describeDifferences } from './differences.js';
import { type Playing, playRecordings } from './play-recordings.js';
import { missing } from './recording.js';
import { chosenScenarios, type ScenarioRow } from './scenario-table.js';

/** Tests that play these recordings on simulated clusters, or those that FLOTILLA_RECORDED names. */
export const describeRecordings = (scenarios: readonly ScenarioRow[]) =>
  describe('what OLM Classic was recorded to do, on simulated clusters', () => {
    const asked = chosenScenarios(process.env['FLOTILLA_RECORDED']) ?? scenarios;
    const played = asked.filter(({ name }) => missing(name) === undefined);
    let playing: Playing;

    beforeAll(async () => {
      playing = await playRecordings({
        backend: 'simulated',
        scenarios: played,
        atOnce: 6,
        patienceMs: PATIENCE_MS,
        quietMs: 1_200,
      });
    });
    afterAll(() => playing?.stop());

    const absent = asked.filter(({ name }) => missing(name) !== undefined);
    it.for(absent)('$name', needing({ ...publicData(), isThere: false }), () => undefined);

    it.each(played)('$name', { timeout: LIMITS.recording }, async ({ name }) => {
      const result = await playing.of(name);
      expect(result, 'the recording is at hand').toBeDefined();
      console.log(`${name}: ${result?.seconds.toFixed(1)} s`);
      expect(describeDifferences(result?.differences ?? [])).toBe('');
    });
  });
