import fc from 'fast-check';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anyCatalog } from '#core/catalog/graph/random-catalog.fixture';
import { packageRecords } from '#core/catalog/load/package-records';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { sampleEntry } from '#core/classic/resolution/sample-problem.fixture';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { catalogRow, clusterRow, operatorRow, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { catalogAnswer, heldPackage } from './catalog-content.js';

const ID = 'a'.repeat(16);
const LOOK = { provider: 'Example Ltd', summary: 'Many', color: '#a61b1b', category: 'Networking' };
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Twelve channels of 24 versions each. Each version has a skipRange, and the newest ones skip others. */
function wide(name: string, prefix: string): PackageRecord {
  const entries = numbers(12).flatMap((channel) =>
    numbers(24).map((at) => {
      const [minor, patch] = [channel + Math.floor(at / 6), at % 6];
      const before =
        at === 0 ? `${prefix}.v2.99.0` : `${prefix}.v3.${channel + Math.floor((at - 1) / 6)}.${(at - 1) % 6}`;
      return {
        ...sampleEntry(name, `3.${minor}.${patch}`),
        ...{ name: `${prefix}.v3.${minor}.${patch}`, channel: `stable-3.${channel + 6}`, replaces: before },
        skipRange: `>=3.0.0 <3.${minor}.${patch}`,
        skips: at % 6 === 0 ? numbers(8).map((old) => `${prefix}.v3.${minor}.${old + 10}`) : [],
      };
    }),
  );
  return { name, defaultChannel: 'stable-3.6', entries };
}

/** One channel in which each of 60 versions has a skipRange over all older ones. */
const RANGES: PackageRecord = {
  ...{ name: 'ranges', defaultChannel: 'stable' },
  entries: numbers(60).map((at) =>
    sampleEntry('ranges', `1.${at}.0`, [], {
      replaces: at === 0 ? '' : `ranges.v1.${at - 1}.0`,
      skipRange: `>=1.0.0 <1.${at}.0`,
    }),
  ),
};
/** Four minor versions of six versions, of which the newest skips eight names without a bundle. */
const FOLDED: PackageRecord = {
  ...{ name: 'folded', defaultChannel: 'stable' },
  entries: numbers(24).map((at) =>
    sampleEntry('folded', `1.${Math.floor(at / 6)}.${at % 6}`, [], {
      replaces: at === 0 ? '' : `folded.v1.${Math.floor((at - 1) / 6)}.${(at - 1) % 6}`,
      skips: at === 23 ? numbers(8).map((old) => `folded.v0.${old}.0`) : [],
    }),
  ),
};
const RANDOM = fc
  .sample(anyCatalog, { seed: 20_261_130, numRuns: 4 })
  .flatMap((catalog, at) => packageRecords(catalog, () => '').map((record) => ({ ...record, name: `random-${at}` })));
const PACKAGES = [
  wide('wide', 'wide'),
  wide('long', `long-${'name-of-a-bundle-'.repeat(9)}`),
  RANGES,
  FOLDED,
  ...RANDOM,
];

describe('the upgrade graph of a package', needing(chromiumNeed), () => {
  let run: RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  const held = PACKAGES.map((record) => heldPackage(record, { ...LOOK, title: record.name }));
  const asker: QuestionAsker = {
    ask: async (question) => ('digest' in question ? catalogAnswer(held, question) : { answer: { items: [] } }),
  };
  beforeAll(async () => {
    run = await openPages({ asker });
    const operator = { channel: 'stable-3.8', installed: 'wide.v3.2.1', version: '3.2.1' };
    const changed = [
      ...[clusterRow('east'), catalogRow('east', `sha256:${'a'.repeat(64)}`)],
      ...[operatorRow('east', 'wide', operator), operatorRow('east', 'ranges', { installed: 'ranges.v1.3.0' })],
      operatorRow('east', 'folded', { installed: 'folded.v1.1.2', version: '1.1.2' }),
    ];
    run.view.write({ cluster: 'east', changed, removed: [] });
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterEach(() => expect(tab.troubles).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
  });

  const open = async (name: string, query = '') => {
    await tab.goto(`/catalogs/${ID}/packages/${name}?view=graph${query}`);
    await tab.page.locator('.graph-line').first().waitFor();
  };
  const read = (expression: string) => tab.page.evaluate(expression);
  const channels = () => read(`[...document.querySelectorAll('.channel-name .cut')].map((one) => one.textContent)`);
  const boxes = () => read(`[...document.querySelectorAll('[data-box]')].map((one) => one.dataset.box)`);
  const focused = () => read('document.activeElement.dataset.box');
  const lines = (kind: string) => tab.page.locator(`.strip .line${kind}`).count();

  it.each(PACKAGES.map(({ name }) => name))('of %s is never wider than the page', async (name) => {
    for (const width of [1_440, 1_024, 390]) {
      await tab.page.setViewportSize({ width, height: 900 });
      await open(name);
      const hidden = tab.page.locator('.channel-picker [aria-pressed="false"]');
      while (width === 1_440 && (await hidden.count()) > 0) await hidden.first().click();
      expect(await read('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      const over = await read(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.picture'))`,
      );
      expect(over).toBe(0);
    }
    await tab.page.setViewportSize({ width: 1_280, height: 900 });
  });

  it('begins with the channel that the operator follows and the default one; others are a click away', async () => {
    await open('wide', '&cluster=east');
    expect(await channels()).toEqual(['stable-3.8', 'stable-3.6']);
    const picker = tab.page.getByRole('group', { name: 'Channels' });
    expect(await picker.getByRole('button').allTextContents()).toEqual([
      ...[17, 16, 15, 14, 13, 12, 11, 10, 9].map((minor) => `stable-3.${minor}`),
      ...['stable-3.8 · 1 cluster', 'stable-3.7', 'stable-3.6'],
    ]);
    await picker.getByRole('button', { name: 'stable-3.17' }).click();
    await expect.poll(channels, PATIENCE).toEqual(['stable-3.17', 'stable-3.8', 'stable-3.6']);
    expect(tab.page.url()).toContain('channels=');
    expect(await tab.axe()).toEqual([]);
  });

  it('shows a minor version as one line that opens, the newest first, and that of the operator open', async () => {
    await open('folded', '&cluster=east');
    const minors = ['minor 1.3', 'minor 1.2', 'minor 1.1'];
    const installed = [5, 4, 3, 2, 1, 0].map((patch) => `folded.v1.1.${patch}`);
    const shown = [...minors, ...installed, 'minor 1.0', 'absent'].map((box) => `stable ${box}`);
    expect(await boxes()).toEqual(shown);
    const newest = tab.page.locator('[data-box="stable minor 1.3"]');
    await newest.click();
    expect(await newest.getAttribute('aria-expanded')).toBe('true');
    expect(await boxes()).toContain('stable folded.v1.3.4');
    expect(await tab.axe()).toEqual([]);
  });

  it('draws the path from what is installed, and skipRanges for the line under the pointer alone', async () => {
    await open('ranges', '&cluster=east');
    expect(await lines('.skipRange:not(.on-way)')).toBe(0);
    expect(await lines('.on-way')).toBe(1);
    expect(await tab.text('.graph-line')).toContain('from ≥ 1.0.0');
    await tab.page.locator('[data-box="stable ranges.v1.59.0"]').hover();
    expect(await lines('.skipRange.on-demand')).toBeGreaterThan(20);
    expect(await tab.text('.graph-line.here')).toMatch(/1\.3\.0 installed here .*1 cluster/);
  });

  it('is walked with arrows, opened with Enter, and made larger and smaller with keys', async () => {
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await tab.page.keyboard.press(key);
      return focused();
    };
    await open('wide', '&cluster=east');
    await tab.page.locator('.picture').focus();
    expect(await press('ArrowDown')).toBe('stable-3.8 minor 3.5');
    expect(await press('ArrowDown', 'ArrowUp', 'ArrowRight')).toMatch(/^stable-3\.6 minor/);
    expect(await press('ArrowLeft', 'Enter', 'ArrowDown')).toBe('stable-3.8 wide.v3.5.5');
    expect(await press('End')).toBe('stable-3.8 wide.v3.2.1');
    const size = () => tab.text('.zoom [role="status"]');
    await press('+');
    await expect.poll(size, PATIENCE).toBe('125 %');
    await press('-', '-');
    await expect.poll(size, PATIENCE).toBe('80 %');
    await press('0');
    const height = () => read(`document.querySelector('.graph-channels').getBoundingClientRect().height`);
    await expect.poll(height, PATIENCE).toBeLessThanOrEqual(900);
  });

  it('names bundles that are not there as short marks in one line that opens', async () => {
    await open('folded');
    const marks = tab.page.locator('.absent-mark');
    expect(await marks.first().textContent()).toBe('0.0.0');
    expect(await marks.count()).toBe(6);
    await tab.page.locator('[data-box="stable absent"]').click();
    expect(await marks.count()).toBe(8);
  });

  it('leads from a version to the path that begins there', async () => {
    await open('ranges');
    await tab.page.locator('[data-box="stable ranges.v1.40.0"]').click();
    await expect.poll(() => tab.text('.lead'), PATIENCE).toContain('ranges.v1.40.0 → ranges.v1.59.0');
    expect(await tab.text('.graph-line.here')).toContain('path from here');
  });
});
