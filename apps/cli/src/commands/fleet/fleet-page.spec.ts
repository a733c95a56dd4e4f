import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { runFlotilla } from '../../run-flotilla.fixture.js';
import { offerAll, type PlayedHub, startPlayedHub } from './played-hub.fixture.js';

const PAGES = [
  'docs/fleet.md',
  'docs/fleet-start.md',
  'docs/fleet-folder.md',
  'docs/fleet-operators.md',
  'docs/fleet-follow.md',
  'docs/fleet-decide.md',
];
const texts = PAGES.map((name) => readFile(join(PROJECT_ROOT, name), 'utf8'));
const page = (await Promise.all(texts)).join('\n');
const COMMAND = /`flotilla fleet (?!simulate|export|init)([^`]+)`|^\$ flotilla fleet (?!simulate)(.+)$/gm;
const commands = [...page.matchAll(COMMAND)]
  .map(([, inline, block]) => inline ?? block ?? '')
  // One that is only named.
  .filter((line) => line !== 'explain');
/** Verbs that decide are tried and take no effect: what they do is shown by `fleet-verbs.spec`. */
const DECIDES = /^(approve|reject|pause|resume|promote|retry|skip|abort|rollback|break-glass) /;

/** A command line in words, as a shell splits it. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

describe('the commands of the pages about rollouts', () => {
  let hub: PlayedHub;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-page-'));
    hub = await startPlayedHub(['lab-1', 'shop-1'], {
      waves: [{ name: 'canary', promotion: 'Manual', clusters: { selector: { matchLabels: { tier: 'lab' } } } }],
      approval: { rules: [{ changes: ['Minor'], action: 'Manual' }] },
    });
    await offerAll(hub);
  });
  afterAll(async () => {
    await hub.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('are found on the pages', () => {
    expect(commands.length).toBeGreaterThanOrEqual(17);
  });

  it.each(commands)('flotilla fleet %s', async (line) => {
    const [planClass] = (await hub.fleet.rollout('kafka-1')).classes ?? [];
    const here = line
      .replaceAll('kafka-7', 'kafka-1')
      .replaceAll('store-0412', 'shop-1')
      .replaceAll('3f9c', planClass?.hash ?? '')
      .replaceAll('fleet/', join(PROJECT_ROOT, 'examples/fleet/files'));
    const asked = [...words(here), ...(DECIDES.test(line) ? ['--dry-run'] : [])];
    const isOffline = asked[0] === 'plan' && asked[1] === '-f';
    const { exit, err } = isOffline ? await runFlotilla(['fleet', ...asked]) : await hub.flotilla(...asked);
    // 1 is an answer, too: that something waits, or that the decision would have no effect now.
    expect({ exit, err }).toEqual({ exit: expect.toSatisfy((code: number) => code <= 1), err: expect.any(String) });
    expect(err).not.toMatch(/unknown (option|command)|invalid|there is no (rollout|cluster|plan class|wave) /i);
  });

  it('has a strategy and a window that are accepted as they stand', async () => {
    const yaml = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => block);
    expect(yaml.length).toBeGreaterThanOrEqual(2);
    await writeFile(join(folder, 'page.yaml'), yaml.join('---\n'));
    const { exit, err } = await runFlotilla(['fleet', 'plan', '-f', join(folder, 'page.yaml')]);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
  });
});
