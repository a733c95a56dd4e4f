import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { PATIENCE } from '#testing/patience';
import { type Need, programs } from '#testing/report/needs';

const FROM_SETTING = process.env['FLOTILLA_CHROMIUM'];

/** Debian's chromium, or the one of FLOTILLA_CHROMIUM. */
export const chromiumNeed: Need =
  FROM_SETTING === undefined
    ? await programs({ program: 'chromium', debian: 'chromium' })
    : { isThere: true, what: FROM_SETTING };

/** Without its sandbox where the tests run as root, which Chromium demands. */
export function launchChromium(): Promise<Browser> {
  const executablePath = FROM_SETTING ?? findExecutable('chromium', process.env['PATH'] ?? '') ?? 'chromium';
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, headless: true, args });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** What the page reports on its own console, for {@link ConsoleTab.troubles}. */
const REPORT_CSP = `addEventListener('securitypolicyviolation', (event) =>
  console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI));`;

export type TabOptions = Readonly<{ theme?: 'light' | 'dark'; width?: number }>;

/** A tab of the console, signed in, which notes whatever no page should do. */
export class ConsoleTab {
  /** CSP reports, errors of pages and of the browser's console, and requests to other origins. */
  readonly troubles: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly origin: string,
  ) {
    page.on('pageerror', (error) => this.troubles.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      this.troubles.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) this.troubles.push(message.text());
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) this.troubles.push(`request to ${request.url()}`);
    });
  }

  static async open(
    browser: Browser,
    link: string,
    { theme = 'light', width = 1_280 }: TabOptions = {},
  ): Promise<ConsoleTab> {
    const viewport = { width, height: 900 };
    const context = await browser.newContext({ colorScheme: theme, viewport, reducedMotion: 'reduce' });
    await context.addInitScript(REPORT_CSP);
    const tab = new ConsoleTab(await context.newPage(), context, new URL(link).origin);
    await tab.page.goto(link);
    await tab.#loaded();
    return tab;
  }

  /** Opens an address of the console, as a link that was pasted. */
  async goto(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.origin).href);
    await this.#loaded();
  }

  async #loaded(): Promise<void> {
    await this.page.locator('main h1').first().waitFor();
    await vi.waitFor(async () => expect(await this.page.locator('.bones').count()).toBe(0), PATIENCE);
  }

  /** What axe finds, one line each. It runs through the debugging protocol: the page's policy stays on. */
  async axe(): Promise<readonly string[]> {
    await this.page.evaluate(AXE);
    const run = `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 150)).join(' | ')))`;
    return (await this.page.evaluate(run)) as readonly string[];
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** The browser itself notes answers that are no success, which tests ask for. */
const EXPECTED = /^Failed to load resource: the server responded with a status of (401|403|404|409)/;
