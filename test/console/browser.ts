import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { expect, vi } from 'vitest';
import type { Policy } from '#core/view/rights/console-policy';
import { rightsOf } from '#core/view/rights/rights';
import { findExecutable } from '#platform/debian/executable';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE, PATIENCE_MS } from '#testing/patience';
import { type Need, programs } from '#testing/report/needs';
import { openConsole, type RunningConsole } from '../../apps/console/src/console.fixture.js';
import type { ConsoleParts } from '../../apps/console/src/console.service.js';
import type { SignIn } from '../../apps/console/src/sign-in/sign-in.js';

/** Tests open pages faster than people do; a page that asks without end is refused all the same. */
const REQUESTS = { perSecond: 200, burst: 600 };

/** A console with the pages as they are built. */
export const openPages = (parts: Partial<ConsoleParts> = {}): Promise<RunningConsole> =>
  openConsole({}, { pagesFolder: join(PROJECT_ROOT, 'dist/console'), requests: REQUESTS, ...parts });

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
  return chromium.launch({ executablePath, headless: true, args, timeout: PATIENCE_MS });
}

/** Waits for clicks, fields and navigations as long as for all else; the browser’s own limit is 30 s. */
export async function openContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Milliseconds. */
const MOMENT = 250;

const isStream = (url: string): boolean => url.endsWith('/api/v1/events');

const PERSON = 'person';

/** Signs in who a cookie names, with what the policy grants them; no one while `isOver`. */
export function byName(policy: Policy, isOver: () => boolean = () => false): SignIn {
  return {
    personOf: async ({ cookie = '' }) => {
      const [, name] = new RegExp(`(?:^|; )${PERSON}=([\\w-]+)`).exec(cookie) ?? [];
      if (name === undefined || isOver()) return undefined;
      const rights = rightsOf(policy, { name, groups: [] });
      return { name, groups: [], by: 'oidc', rights, session: name, csrf: `token-${name}` };
    },
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** What the page reports on its own console, for {@link ConsoleTab.troubles}. */
const REPORT_CSP = `addEventListener('securitypolicyviolation', (event) =>
  console.error('CSP: ' + event.violatedDirective + ' ' + event.blockedURI));`;

export type TabOptions = Readonly<{
  theme?: Theme;
  width?: number;
  /** Signed in under this name ({@link byName}), and not with the key of the link. */
  as?: string;
  /** The test can move the time of the page on. */
  ownTime?: boolean;
}>;

/** A tab of the console, signed in, which notes whatever no page should do. */
export class ConsoleTab {
  /** CSP reports, errors of pages and of the browser's console, and requests to other origins. */
  readonly troubles: string[] = [];
  /** Requests without an answer, and the stream until its answer begins. */
  readonly #open = new Set<Request>();

  private constructor(
    readonly page: Page,
    private readonly context: BrowserContext,
    private readonly origin: string,
    private readonly ownTime: boolean,
    private readonly theme: Theme,
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
      this.#open.add(request);
    });
    // The stream has no end.
    page.on('response', (response) => isStream(response.url()) && this.#open.delete(response.request()));
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('requestfailed', (request) => this.#open.delete(request));
  }

  static async open(
    browser: Browser,
    link: string,
    { theme = 'light', width = 1_280, as, ownTime = false }: TabOptions = {},
  ): Promise<ConsoleTab> {
    const viewport = { width, height: 900 };
    const context = await openContext(browser, { colorScheme: theme, viewport });
    await context.addInitScript(REPORT_CSP);
    const { origin } = new URL(link);
    if (as !== undefined) await context.addCookies([{ name: PERSON, value: as, url: origin }]);
    const tab = new ConsoleTab(await context.newPage(), context, origin, ownTime, theme);
    if (ownTime) await tab.page.clock.install();
    await tab.page.goto(as === undefined ? link : origin);
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

  /** Whatever the page asked for has been answered and drawn. */
  async settled(): Promise<void> {
    const drawn = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
    let quiet = 0;
    await vi.waitFor(async () => {
      await this.page.evaluate(drawn);
      quiet = this.#open.size === 0 ? quiet + 1 : 0;
      expect(quiet).toBeGreaterThan(2);
    }, PATIENCE);
  }

  /**
   * For `expect.poll`: the text at a place. With a time of its own the page goes on by a moment each time, so
   * that its pauses take no time of the test.
   */
  async text(at = 'main'): Promise<string> {
    if (this.ownTime) await this.page.clock.runFor(MOMENT);
    return (await this.page.locator(at).first().innerText()).replaceAll(/\s+/g, ' ');
  }

  /** Whatever the page has asked for by now has been answered. */
  async answered(): Promise<void> {
    await vi.waitFor(() => expect(this.#open.size).toBe(0), PATIENCE);
  }

  /** What axe finds in light and dark. It runs through the debugging protocol: the page's policy stays on. */
  async axe(): Promise<readonly string[]> {
    await this.page.evaluate(AXE);
    // A bar that stays in view may cover a part of a target until the person scrolls. The top is judged.
    await this.page.evaluate('window.scrollTo(0, 0)');
    const found: string[] = [];
    for (const theme of THEMES) {
      await this.#setTheme(theme);
      found.push(...(await this.#findings()).map((line) => `${theme}: ${line}`));
    }
    await this.#setTheme(this.theme);
    return found;
  }

  /** As the person's system has it. */
  async #setTheme(theme: Theme): Promise<void> {
    await this.page.emulateMedia({ colorScheme: theme });
    const shown = () => this.page.evaluate('document.documentElement.dataset.theme');
    await vi.waitFor(async () => expect(await shown()).toBe(theme), PATIENCE);
  }

  async #findings(): Promise<readonly string[]> {
    const run = `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, any }) =>
        [html.slice(0, 150), ...any.map(({ message }) => message)].join(': ')).join(' | ')))`;
    return (await this.page.evaluate(run)) as readonly string[];
  }

  close(): Promise<void> {
    return this.context.close();
  }
}

/** The browser itself notes answers that are no success, which tests ask for. */
const EXPECTED = /^Failed to load resource: the server responded with a status of (401|403|404|409)/;
