import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { applierLogins } from '#testing/control-plane/applier-logins';
import type { ControlPlane } from '#testing/control-plane/control-plane';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { type ImageRegistry, startImageRegistry } from '#testing/registry/image-registry';
import { needing } from '#testing/report/needs';
import { GuideNames } from '../guide/guide-names.js';
import { follow, type PageShell } from '../guide/page-shell.js';
import { readGuide } from '../guide/read-guide.js';
import { type RunningUp, runUp } from '../integration/up-support/run-up.js';

const ROOT = join(import.meta.dirname, '../..');
/** The pages in the order of a newcomer. Each is followed on the cluster that the one before has left. */
const PAGES = await Promise.all(
  [
    // The text before it sets up the machine.
    { page: 'docs/first-cluster.md', from: '\n## On your own clusters\n' },
    { page: 'docs/guide.md' },
    { page: 'docs/crd-versions.md' },
    { page: 'docs/extensions.md' },
  ].map(async ({ page, from }) => ({ page, steps: readGuide(await readFile(join(ROOT, page), 'utf8'), from) })),
);
/** Objects of this kind are written anew in another version, by an annotation. */
const MIGRATED = ['piers.pier.example.com'];
/** The pages are for people with kubectl; no other test needs it. */
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
      const [login = ''] = await applierLogins([join(folder, 'kubeconfig')], folder, { alsoWrites: MIGRATED });
      up = runUp(['--kubeconfig', login], { FLOTILLA_CONTENT_DIR: join(folder, 'content') });
      await up.running();
    });
    afterAll(async () => {
      await up?.kill();
      await registry?.stop();
      await controlPlane?.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    const shell = (): PageShell => {
      const kubeconfig = join(folder, 'kubeconfig');
      const host = registry?.host ?? '';
      return {
        folder,
        environment: { KUBECONFIG: kubeconfig, FLOTILLA_KUBECONFIG: kubeconfig, REGISTRY: host },
        toPage: (printed) => printed.replaceAll(host, 'registry.example'),
      };
    };

    let broken: string | undefined;

    describe.each(PAGES)('$page', ({ page, steps }) => {
      const names = new GuideNames();

      it.for(steps)('line $line: $command', async (step, { skip }) => {
        if (broken !== undefined) skip(`${broken} did not come out`);
        broken = `line ${step.line} of ${page}`;
        await follow(shell(), names, step);
        broken = undefined;
      });
    });
  },
);
