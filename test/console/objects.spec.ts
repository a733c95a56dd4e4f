import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { QuestionAnswer } from '#core/view/questions/console-question';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { CONFLICT, fillFleet } from './fleet-rows.js';

const WHOLE = `kind: ClusterServiceVersion\ndata: ${'ä'.repeat(300_000)}\nlast: line\n`;
const TOO_LARGE: QuestionAnswer = {
  because: 'failed',
  message: 'the answer is too large for a page; use the flotilla command',
};

describe('an object that is too large for a page', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  let whole: QuestionAnswer;
  const asker: QuestionAsker = {
    ask: async (question) => {
      if (question.ask === 'whole-object') return whole;
      if (question.ask !== 'object') return { answer: CONFLICT };
      const isLarge = question.kind === 'ClusterServiceVersion';
      return { answer: { yaml: isLarge ? WHOLE.slice(0, 256_000) : 'kind: Subscription\n', cut: isLarge } };
    },
  };
  beforeAll(async () => {
    run = await openPages({ asker });
    fillFleet(run.view);
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterEach(() => expect(tab.troubles, 'errors, CSP reports and requests elsewhere').toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const openCsv = async () => {
    await tab.goto('/clusters/eu-12/lamps/subscriptions/lamp?view=object');
    await expect.poll(() => tab.text(), PATIENCE).toContain('kind: Subscription');
    expect(await tab.page.getByRole('button', { name: /Download/ }).count()).toBe(0);
    await tab.page.getByRole('link', { name: 'ClusterServiceVersion lamp.v1.0.0' }).click();
    await expect.poll(() => tab.text(), PATIENCE).toContain('its end is left out');
  };

  it('is cut, and can be kept as a file, all of it', async () => {
    whole = { answer: { gzip: gzipSync(WHOLE).toString('base64') } };
    await openCsv();
    // The context comes with the row of the cluster, and may come after the object.
    const command = 'kubectl --context eu-12 -n lamps get clusterserviceversion lamp.v1.0.0 -o yaml';
    await expect.poll(() => tab.text(), PATIENCE).toContain(command);
    expect(await tab.axe()).toEqual([]);
    const download = tab.page.waitForEvent('download');
    await tab.page.getByRole('button', { name: 'Download all of it' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('eu-12_lamps_clusterserviceversion_lamp.v1.0.0.yaml');
    expect(await readFile(await file.path(), 'utf8')).toBe(WHOLE);
  });

  it('says why where it cannot be had, and what to do', async () => {
    whole = TOO_LARGE;
    await openCsv();
    await tab.page.getByRole('button', { name: 'Download all of it' }).click();
    await expect.poll(() => tab.text(), PATIENCE).toContain('too large for a page; use the flotilla command');
    await expect.poll(() => tab.troubles, PATIENCE).toEqual([expect.stringContaining('status of 502')]);
    tab.troubles.length = 0;
  });
});
