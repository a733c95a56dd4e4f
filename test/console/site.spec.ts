import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { buildSite } from '../../scripts/site/build-site.js';
import { chromiumNeed, launchChromium, openContext } from './browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const TRIED = ['have-olm', 'index', 'operations', 'differences-from-olm', 'settings', 'reference/metrics'];
const FORMS = [
  { theme: 'light', width: 1_280 },
  { theme: 'dark', width: 1_280 },
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 390 },
] as const;
/** A folder for pictures of the pages, for people to see. */
const PICTURES = process.env['FLOTILLA_PICTURES'];

describe('the site in Chromium, opened as files', needing(chromiumNeed), () => {
  let folder = '';
  let browser: Browser;
  const troubles: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-site-'));
    for (const [path, content] of await buildSite()) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function open(name: string, { theme, width }: (typeof FORMS)[number]): Promise<Page> {
    const viewport = { width, height: 900 };
    const context = await openContext(browser, { colorScheme: theme, viewport });
    const page = await context.newPage();
    page.on('pageerror', (error) => troubles.push(`${name}: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(`${name}: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) troubles.push(`${name}: ${request.url()}`);
    });
    await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
    return page;
  }

  /** The longest pages in two forms: axe takes seconds for each. */
  const LONG = [FORMS[0], FORMS[3]].flatMap((form) =>
    ['reference/kinds', 'reference/verbs'].map((name) => ({ name, ...form })),
  );

  it.each([...FORMS.flatMap((form) => TRIED.map((name) => ({ name, ...form }))), ...LONG])(
    '$name, $theme, $width wide: fits, can be used by all, and asks no server',
    async ({ name, ...form }) => {
      const page = await open(name, form);
      if (PICTURES)
        await page.screenshot({ path: join(PICTURES, `${name.replace('/', '-')}-${form.theme}-${form.width}.png`) });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(form.width);
      await page.evaluate(AXE);
      const found =
        await page.evaluate(`axe.run({ preload: false, runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 150)).join(' | ')))`);
      expect(found).toEqual([]);
      await page.context().close();
      expect(troubles.splice(0)).toEqual([]);
    },
  );

  it('finds a page without a network, by keyboard alone', async () => {
    const page = await open('reference/verbs', FORMS[0]);
    await page.keyboard.press('/');
    await page.keyboard.type('hand over from olm');
    await page.locator('#found li').first().waitFor();
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'search.png') });
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url(), PATIENCE).not.toContain('reference/verbs');
    expect(await page.locator('h1').innerText()).not.toBe('');
    await page.context().close();
    expect(troubles).toEqual([]);
  });

  it.each(['reference/kinds', 'differences-from-olm', 'settings', 'runbooks', 'index'])(
    '%s has no table of sentences on a phone that is wider than the screen',
    async (name) => {
      const page = await open(name, FORMS[2]);
      const wide = await page.evaluate(`[...document.querySelectorAll('table.rows')].filter((table) =>
        table.parentElement.scrollWidth > table.parentElement.clientWidth).length`);
      expect(wide).toBe(0);
      await page.context().close();
    },
  );

  it('has its list of pages folded on a phone, and light or dark by choice', async () => {
    const page = await open('have-olm', FORMS[2]);
    expect(await page.locator('.pages a').first().isVisible()).toBe(false);
    await page.locator('.pages > details > summary').click();
    expect(await page.locator('.pages a').first().isVisible()).toBe(true);
    const back = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const before = await back();
    await page.locator('.theme').click();
    expect(await back()).not.toBe(before);
    await page.context().close();
  });
});
