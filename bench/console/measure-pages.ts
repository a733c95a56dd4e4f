import { type Browser, chromium, type Page } from 'playwright-core';
import { findExecutable } from '#platform/debian/executable';
import type { ConsoleUnderLoad, Times } from './console-under-load.js';
import { clusterName, madeOperator } from './made-rows.js';

/** Milliseconds since the navigation began. */
export type PageMeasures = Readonly<{ firstPaint: Times; usable: Times; news: Times; heapMiB: number }>;

const RUNS = 9;
const SLOWED = 4;
const CHANGES = 30;
const PATIENCE_MS = 60_000;
/** Notes when the page shows its counts, and no bar in the place of something. */
const NOTE_USABLE = `new MutationObserver(() => {
  if (window.usableAt === undefined && document.querySelector('main h1') !== null &&
    document.querySelector('main table tbody tr') !== null && document.querySelector('.bones') === null)
    requestAnimationFrame(() => { window.usableAt ??= performance.now(); });
}).observe(document, { childList: true, subtree: true });`;

/** The page Fleet in new browsers, slowed; and an open list while rows change. Undefined without Chromium. */
export async function measurePages(console: ConsoleUnderLoad): Promise<PageMeasures | undefined> {
  const executablePath =
    process.env['FLOTILLA_CHROMIUM'] ?? findExecutable('chromium', process.env['PATH'] ?? '') ?? undefined;
  if (executablePath === undefined) return undefined;
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, headless: true, args });
  try {
    const first = [];
    for (let run = 0; run < RUNS; run += 1) first.push(await firstLook(browser, console.link));
    const open = await openList(browser, console);
    const inOrder = (times: readonly number[]) => times.toSorted((a, b) => a - b);
    return {
      firstPaint: inOrder(first.map(({ firstPaint }) => firstPaint)),
      usable: inOrder(first.map(({ usable }) => usable)),
      news: inOrder(open.news),
      heapMiB: open.heapMiB,
    };
  } finally {
    await browser.close();
  }
}

async function firstLook(browser: Browser, link: string): Promise<{ firstPaint: number; usable: number }> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(NOTE_USABLE);
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
    await page.goto(link, { waitUntil: 'commit' });
    await page.waitForFunction(() => 'usableAt' in globalThis, undefined, { timeout: PATIENCE_MS });
    const times = `[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, window.usableAt]`;
    const [firstPaint = Number.NaN, usable = Number.NaN] = (await page.evaluate(times)) as number[];
    return { firstPaint, usable };
  } finally {
    await context.close();
  }
}

/** The operators of one cluster stay open; a change is there when its version is. */
async function openList(browser: Browser, console: ConsoleUnderLoad): Promise<{ news: number[]; heapMiB: number }> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(console.link);
    await page.goto(new URL(`/operators?cluster=${clusterName(0)}&view=flat`, console.link).href);
    const { version } = madeOperator(0, 0);
    await shows(page, version);
    const news: number[] = [];
    for (let at = 0; at < CHANGES; at += 1) {
      const begun = performance.now();
      await shows(page, await console.change(0, 0));
      news.push(performance.now() - begun);
    }
    const heap = (await page.evaluate('performance.memory.usedJSHeapSize')) as number;
    return { news, heapMiB: heap / 2 ** 20 };
  } finally {
    await context.close();
  }
}

const shows = (page: Page, text: string) =>
  page.waitForFunction(
    (wanted) => {
      const { document } = globalThis as unknown as {
        document: { querySelector(selector: string): { innerText: string } | null };
      };
      return document.querySelector('main')?.innerText.includes(wanted) === true;
    },
    text,
    { timeout: PATIENCE_MS },
  );
