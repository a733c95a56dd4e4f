import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '#platform/clock/system-clock';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { ConsoleTab, chromiumNeed, launchChromium, openPages, type TabOptions } from './browser.js';
import {
  answerPictured,
  fillPicturedFleet,
  PICTURED_AT,
  PICTURED_HASH,
  PICTURED_ROLLOUT,
  PICTURED_TRAIL,
} from './pictured-fleet.js';

/** Set by `make screenshots`: where the pictures of the documentation go, in both themes and two widths. */
const FOLDER = process.env['FLOTILLA_PICTURES'];

class StoppedClock extends SystemClock {
  override now(): Date {
    return PICTURED_AT;
  }
}

const BLOCKED = '/clusters/eu-05/harbor-operators/subscriptions/harbor-operator';
const CONTENT = `/catalogs/${'9fa2'.repeat(4)}`;
const HARBOR = `${CONTENT}/packages/harbor-operator`;
/** A page, and a text that stands on it when it is complete. */
const PAGES = [
  ['fleet', '/', 'Versions'],
  ['clusters', '/clusters', 'eu-05'],
  ['cluster', '/clusters/eu-05', 'harbor-operator'],
  ['operators', '/operators', 'metrics-stack'],
  ['package', '/operators/lamp-operator', '1.9.0'],
  ['operator', BLOCKED, 'lighthouse-operator'],
  ['conflict', `${BLOCKED}?view=conflict`, 'no catalog available'],
  ['approvals', '/approvals', 'lamp-operator'],
  ['review', `/approvals/${PICTURED_HASH}?section=crds`, 'stores v2'],
  ['catalogs', '/catalogs', 'olm/community'],
  ['catalog', CONTENT, 'Lighthouse'],
  ['content', HARBOR, 'Install modes'],
  ['versions', `${HARBOR}?view=versions`, '0.9.0'],
  ['graph', `${HARBOR}?view=graph&from=harbor-operator.v1.1.0&cluster=eu-05`, 'installed here'],
  ['rollouts', '/rollouts', 'etcd'],
  ['rollout', `/rollouts/${encodeURIComponent(PICTURED_ROLLOUT)}`, 'eu-07'],
  ['changes', '/changes', 'jane@example.com'],
  ['hub', '/hub', 'applier'],
  ['about', '/about', 'OpenAPI document'],
] as const;

/** No page scrolls sideways there. */
const PHONE = 390;

const LOOKS: ReadonlyArray<readonly [string, TabOptions]> =
  FOLDER === undefined
    ? [['light', {}]]
    : [
        ['light', {}],
        ['dark', { theme: 'dark' }],
        ['phone', { width: PHONE }],
      ];

describe('pictures of the console', needing(chromiumNeed), () => {
  let browser: Browser;
  let folder = '';
  beforeAll(async () => {
    process.env['TZ'] = 'UTC';
    folder = FOLDER ?? (await mkdtemp(join(tmpdir(), 'flotilla-pictures-')));
    await mkdir(folder, { recursive: true });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    if (FOLDER === undefined && folder !== '') await rm(folder, { recursive: true, maxRetries: 5 });
  });

  // A console for each: with a clock that stands still a person has a bounded number of requests.
  it.each(PAGES)('of %s', async (name, path, shows) => {
    const asker = { ask: async (question: Parameters<typeof answerPictured>[0]) => answerPictured(question) };
    const trail = { add: async () => undefined, read: async () => PICTURED_TRAIL };
    const run = await openPages({ asker, trail, clock: new StoppedClock() });
    fillPicturedFleet(run.view);
    try {
      for (const [look, options] of LOOKS) {
        const tab = await ConsoleTab.open(browser, run.service.link, options);
        await tab.page.clock.setFixedTime(PICTURED_AT);
        await tab.goto(path);
        await tab.page.getByText(shows).filter({ visible: true }).first().waitFor();
        await tab.page.screenshot({ path: join(folder, `${name}-${look}.png`) });
        expect(tab.troubles).toEqual([]);
        await tab.page.setViewportSize({ width: PHONE, height: 900 });
        const width = () => tab.page.evaluate('document.documentElement.scrollWidth');
        await expect.poll(width, PATIENCE).toBeLessThanOrEqual(PHONE);
        await tab.close();
      }
    } finally {
      await run.service.stop();
    }
  });
});
