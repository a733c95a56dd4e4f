import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import type { ControlPlane } from '#testing/control-plane/control-plane';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE } from '#testing/patience';
import { type ImageRegistry, startImageRegistry } from '#testing/registry/image-registry';
import { needing } from '#testing/report/needs';
import { comparable, GuideNames } from '../guide/guide-names.js';
import { readGuide } from '../guide/read-guide.js';
import { type RunningUp, runUp } from '../integration/up-support/run-up.js';

const ROOT = join(import.meta.dirname, '../..');
/**
 * The pages in the order in which a newcomer reads them: each is followed on the cluster that
 * the one before has left.
 */
const PAGES = await Promise.all(
  [
    // What comes before sets the machine up, and runs the tests themselves.
    { page: 'README.md', from: '\n## On your own clusters\n' },
    { page: 'docs/guide.md' },
    { page: 'docs/extensions.md' },
  ].map(async ({ page, from }) => ({ page, steps: readGuide(await readFile(join(ROOT, page), 'utf8'), from) })),
);
/** Such commands change nothing and are asked again until the cluster has come to what the page says. */
const ASKS = /^(?:kubectl (?:get|auth can-i)|flotilla (?:explain|get|plan --live)) /;

/** The pages are for people who have it; no other test needs it. */
const kubectl = findExecutable('kubectl', process.env['PATH'] ?? '');

describe(
  'every command of the pages for newcomers, one page after the other on one cluster, prints what the page says',
  needing({ isThere: kubectl !== undefined, what: 'kubectl' }),
  () => {
    let folder = '';
    let controlPlane: ControlPlane | undefined;
    let registry: ImageRegistry | undefined;
    let up: RunningUp | undefined;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'flotilla-guide-'));
      await symlink(join(ROOT, 'examples'), join(folder, 'examples'));
      controlPlane = await startControlPlane({ clusters: 1 });
      registry = await startImageRegistry();
      await mkdir(join(folder, 'content'));
      await writeFile(join(folder, 'kubeconfig'), controlPlane.clusters[0]?.kubeconfig ?? '', { mode: 0o600 });
      up = runUp(['--kubeconfig', join(folder, 'kubeconfig')], { FLOTILLA_CONTENT_DIR: join(folder, 'content') });
      await up.running();
    });
    afterAll(async () => {
      up?.kill();
      await registry?.stop();
      await controlPlane?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    /**
     * The command as a reader runs it, in a checkout; what it printed with this registry
     * under the page's name for it.
     */
    async function perform(command: string): Promise<{ printed: string; exit: number | null }> {
      const host = registry?.host ?? '';
      const child = spawn('bash', ['-c', command], {
        cwd: folder,
        env: {
          ...process.env,
          PATH: `${join(ROOT, 'bin')}${delimiter}${process.env['PATH']}`,
          HOME: folder,
          KUBECONFIG: join(folder, 'kubeconfig'),
          FLOTILLA_KUBECONFIG: join(folder, 'kubeconfig'),
          REGISTRY: host,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { printed: `${out}${err}`.replaceAll(host, 'registry.example'), exit: await ended };
    }

    let broken: string | undefined;

    describe.each(PAGES)('$page', ({ page, steps }) => {
      const names = new GuideNames();

      it.for(steps)('line $line: $command', async ({ line, command, expected }, { skip }) => {
        if (broken !== undefined) skip(`${broken} did not come out`);
        broken = `line ${line} of ${page}`;
        await follow(names, command, expected);
        broken = undefined;
      });
    });

    async function follow(names: GuideNames, written: string, expected: readonly string[]): Promise<void> {
      const command = names.toHere(written);
      const poll = async () => {
        const { printed, exit } = await perform(command);
        if (expected.length === 0) expect(exit, printed).toBe(0);
        else expect(names.toPage(printed, expected)).toEqual(comparable(expected));
        names.learn(printed, expected);
      };
      if (ASKS.test(command)) await vi.waitFor(poll, LONG_PATIENCE);
      else await poll();
    }
  },
);
