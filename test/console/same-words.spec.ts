import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GraphView } from '#core/catalog/graph/graph-view';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { packageRecords } from '#core/catalog/load/package-records';
import { byChannelVersion } from '#core/view/catalog-pages/graph-texts';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import type { RolloutAnswer } from '../../apps/cli/src/commands/fleet/rollout/rollout-answer.js';
import { NO_HINTS } from '../../apps/cli/src/commands/fleet/rollout/rollout-hints.js';
import { rolloutNote } from '../../apps/cli/src/commands/fleet/status/rollout-note.js';
import { rolloutText } from '../../apps/cli/src/commands/fleet/status/rollout-text.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import * as fixture from '../../apps/console/src/console.fixture.js';
import { ConsoleTab, chromiumNeed, launchChromium, openPages } from './browser.js';
import { catalogAnswer, type HeldPackage, heldPackage } from './catalog-content.js';
import { withdrawnRollout } from './fleet-rollout.js';

const ID = 'a'.repeat(16);
const DEPRECATED = {
  package: 'The lamp is out of support; take beacon.',
  channel: 'Take the channel stable.',
  bundle: 'Loses a light in fog.',
};
const TROUBLE = 'CRD lamps.example.com: v1 would no longer be served';
const CAUSE = { code: 'plan-failed', kind: 'InstallPlan', names: ['mill'], text: TROUBLE };

const bundle = (version: string) => ({
  ...{ schema: 'olm.bundle', package: 'lamp', name: `lamp.v${version}`, image: `registry.example.com/lamp:${version}` },
  properties: [{ type: 'olm.package', value: { packageName: 'lamp', version } }],
});
const entry = (version: string, replaces: string, more: object = {}) => ({
  ...{ name: `lamp.v${version}`, ...(replaces !== '' && { replaces: `lamp.v${replaces}` }), ...more },
});
const channel = (name: string, ...entries: object[]) => ({ schema: 'olm.channel', package: 'lamp', name, entries });
const deprecation = (reference: object, message: string) => ({ reference, message });
/** Every mark and every kind of edge, and one that leads on from a name that is no entry. */
const CATALOG = [
  { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
  channel(
    'stable',
    ...[entry('1.0.0', '0.9.0'), entry('1.1.0', '1.0.0'), entry('1.2.0', '1.1.0'), entry('1.2.1', '1.2.0')],
    entry('1.3.0', '1.2.1', { skips: ['lamp.v1.2.0'] }),
    entry('1.4.0', '1.3.0', { skipRange: '>=1.0.0 <1.3.0' }),
  ),
  channel('candidate', entry('1.4.0', ''), entry('2.0.0', '1.4.0')),
  channel('alpha', entry('1.0.0', ''), entry('1.1.0', '1.0.0')),
  ...['1.0.0', '1.1.0', '1.2.0', '1.2.1', '1.3.0', '1.4.0', '2.0.0'].map(bundle),
  {
    ...{ schema: 'olm.deprecations', package: 'lamp' },
    entries: [
      deprecation({ schema: 'olm.package' }, DEPRECATED.package),
      deprecation({ schema: 'olm.channel', name: 'alpha' }, DEPRECATED.channel),
      deprecation({ schema: 'olm.bundle', name: 'lamp.v1.1.0' }, DEPRECATED.bundle),
      deprecation({ schema: 'olm.bundle', name: 'lamp.v1.2.1' }, DEPRECATED.bundle),
    ],
  },
];
const INSTALLED = 'lamp.v1.1.0';

describe('what several places say of one thing', needing(chromiumNeed), () => {
  let folder: string;
  let run: fixture.RunningConsole;
  let browser: Browser;
  let tab: ConsoleTab;
  let held: readonly HeldPackage[] = [];
  const asker: QuestionAsker = {
    ask: async (question) => {
      if ('digest' in question) return catalogAnswer(held, question);
      return question.ask === 'explain' ? { answer: { because: [TROUBLE], advice: [] } } : { answer: { items: [] } };
    },
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-words-'));
    const text = CATALOG.map((blob) => JSON.stringify(blob)).join('\n');
    await writeFile(join(folder, 'catalog.json'), text);
    const records = packageRecords(await loadCatalog([{ path: 'catalog.json', bytes: Buffer.from(text) }]), () => '');
    const look = { title: 'Lamp', provider: 'Example Ltd', summary: 'Light', color: '#a61b1b', category: 'Networking' };
    held = records.map((record) => heldPackage(record, look));
    run = await openPages({ asker });
    const digest = `sha256:${'a'.repeat(64)}`;
    const { clusterRow, operatorRow, catalogRow } = fixture;
    const lamp = { channel: 'alpha', installed: INSTALLED, version: '1.1.0', deprecated: true };
    const changed = [
      clusterRow('east', { standing: 'failed', cause: CAUSE }),
      operatorRow('east', 'lamp', lamp),
      operatorRow('east', 'mill', { standing: 'failed', cause: CAUSE }),
      catalogRow('east', digest),
    ];
    run.view.write({ cluster: 'east', changed, removed: [] });
    const newer = operatorRow('west', 'lamp', { installed: 'lamp.v1.3.0', version: '1.3.0' });
    run.view.write({ cluster: 'west', changed: [clusterRow('west'), newer, catalogRow('west', digest)], removed: [] });
    browser = await launchChromium();
    tab = await ConsoleTab.open(browser, run.service.link);
  });
  afterAll(async () => {
    await browser?.close();
    await run?.service.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const text = async (at = 'main') => (await tab.page.locator(at).first().innerText()).replaceAll(/\s+/g, ' ');
  const shows = (part: string, at?: string) => expect.poll(() => text(at), PATIENCE).toContain(part);
  const PACKAGE = `/catalogs/${ID}/packages/lamp`;
  const OPERATOR = '/clusters/east/lamps/subscriptions/lamp';

  /** Marks and edges of each channel, read from its words. */
  const IN_WORDS = `[...document.querySelectorAll('details')].map((words) => ({
    name: words.querySelector('summary').firstChild.textContent.trim(),
    nodes: [...words.querySelectorAll('li')].map(
      (one) => one.querySelector('strong').textContent + ': ' + (one.querySelector('.pale').textContent || 'no mark'),
    ),
    edges: [...words.querySelectorAll('li')].flatMap((one) => {
      const to = one.querySelector('strong').textContent;
      const [, edges = ''] = one.innerHTML.split('</span> ');
      return edges === '' ? [] : edges.split('; ').map((edge) => edge + ' -> ' + to);
    }).sort(),
  }))`;

  it.each([INSTALLED, 'lamp.v1.3.0'])('10: the graph from %s has the marks and edges of the command', async (from) => {
    const argv = ['catalog', 'graph', folder, '--package', 'lamp', '-o', 'json', '--installed', from];
    const view = JSON.parse((await runFlotilla(argv)).out) as GraphView;
    // All marks and kinds occur, so that each is compared.
    const marks = new Set(view.channels.flatMap(({ entries }) => entries.flatMap((one) => one.marks)));
    expect(marks).toEqual(new Set(['installed', 'newest', 'reachable', 'skipped', 'deprecated', 'absent']));
    await tab.goto(`${PACKAGE}?view=graph&from=${from}`);
    await tab.page.locator('.picture .graph-line').first().waitFor();
    // Elsewhere in the fleet another version is installed, which the command does not know.
    const others = new Set([INSTALLED, 'lamp.v1.3.0'].filter((name) => name !== from));
    const way = view.channels.find(({ edges }) => edges.some(({ taken }) => taken))?.name;
    const wanted = view.channels.map(({ name, entries, edges }) => ({
      name,
      nodes: entries.map(
        (one) => `${one.name}: ${inOrder(others.has(one.name) ? ['installed', ...one.marks] : one.marks)}`,
      ),
      edges: edges.map(({ from: start, to, kind }) => `${kind} ${start} -> ${to}`).sort(),
    }));
    expect(await tab.page.evaluate(IN_WORDS)).toEqual(wanted.toSorted((a, b) => byChannelVersion(a.name, b.name)));
    const taken = view.channels.find(({ name }) => name === way)?.edges.filter((edge) => edge.taken) ?? [];
    expect(await tab.page.locator('.picture .line.on-way').count()).toBe(taken.length);
  });
  const ORDER = ['installed', 'newest', 'reachable', 'deprecated', 'skipped', 'absent'];
  const inOrder = (marks: readonly string[]) => ORDER.filter((mark) => marks.includes(mark)).join(', ') || 'no mark';

  it('11: deprecations of package, channel and version stand at the package and at the operator alike', async () => {
    await tab.goto(PACKAGE);
    await shows(DEPRECATED.package);
    await tab.goto(`${PACKAGE}?view=versions`);
    await shows(DEPRECATED.channel, 'section[aria-label="alpha"]');
    await shows(DEPRECATED.bundle, 'section[aria-label="alpha"]');
    await tab.goto(OPERATOR);
    for (const message of Object.values(DEPRECATED)) await shows(message);
    expect(await tab.axe()).toEqual([]);
  });

  it('11: what is deprecated is marked in every list', async () => {
    for (const path of [`/catalogs/${ID}`, '/operators?cluster=east', '/operators?view=packages', '/operators/lamp']) {
      await tab.goto(path);
      await expect.poll(() => tab.page.locator('main .mark-deprecated').count(), PATIENCE).toBeGreaterThan(0);
    }
  });

  it.each([
    ['the causes of the fleet', '/', 'table.causes'],
    ['clusters that are not well', '/', 'table.unwell'],
    ['the list of clusters', '/clusters', 'main'],
    ['the page of the cluster', '/clusters/east', '.findings'],
    ['the list of operators', '/operators', 'main'],
    ['the page of the operator', '/clusters/east/mills/subscriptions/mill', '.why'],
  ])('11: a trouble has the same words in %s', async (_, path, at) => {
    await tab.goto(path);
    await shows(TROUBLE, at);
  });

  it('12: of a rollout whose target was withdrawn the pages say what the command says, and advise as it does', async () => {
    const { open, ended } = withdrawnRollout;
    run.view.writeRollouts([open, ended]);
    const answer = {
      ...{ name: open.id, target: open.target, phase: open.phase, reason: open.reason, startedAt: open.startedAt },
      ...{ finishedAt: null, currentWave: null, waves: [], waiting: [], classes: [], failures: [], wentBack: [] },
    } as unknown as RolloutAnswer;
    const hints = { ...NO_HINTS, isWithdrawn: true };
    const told = rolloutText(answer, { short: 'lamp-2', now: 0, wide: false, hints });
    const [, words = '', advice = ''] = /\n(.+ was withdrawn: .+)\n.* \((.+)\)\n$/.exec(told) ?? [];
    const decides = () => tab.page.locator('.advice pre').allInnerTexts();

    await tab.goto(`/rollouts/${encodeURIComponent(open.id)}`);
    await shows(words);
    await shows(advice);
    expect(await decides()).toEqual([
      'flotilla fleet abort lamp-2 -n fleet',
      'flotilla fleet rollback lamp-2 -n fleet',
    ]);
    await tab.goto(`/rollouts/${encodeURIComponent(ended.id)}`);
    await shows(words);
    expect(await decides()).toEqual(['flotilla fleet rollback lamp-1 -n fleet']);
    await tab.goto('/rollouts');
    await shows(rolloutNote(answer, hints));
    expect(await tab.axe()).toEqual([]);
  });

  it('nothing failed on the way', () => expect(tab.troubles).toEqual([]));
});
