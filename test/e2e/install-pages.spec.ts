import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { ControlPlane } from '#testing/control-plane/control-plane';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { needing, programs } from '#testing/report/needs';
import { foreignDefinitions } from '../guide/foreign-kinds.js';
import { GuideNames } from '../guide/guide-names.js';
import { follow } from '../guide/page-shell.js';
import { type GuideStep, readGuide } from '../guide/read-guide.js';

const kubectl = await programs({ program: 'kubectl' });
const helm = await programs({ program: 'helm' });

const page = (name: string): Promise<string> => readFile(join(PROJECT_ROOT, 'docs', name), 'utf8');
/** The steps of a page without those of one section. */
function without(markdown: string, heading: string): GuideStep[] {
  const [before, after] = markdown.split(`\n## ${heading}\n`);
  if (before === undefined || after === undefined) throw new Error(`the page has no section "${heading}"`);
  const left = readGuide(`${after.slice(after.indexOf('\n## '))}`);
  const skipped = markdown.length - after.length + after.indexOf('\n## ');
  const lines = markdown.slice(0, skipped).split('\n').length - 1;
  return [...readGuide(before), ...left.map((step) => ({ ...step, line: step.line + lines }))];
}

const [access, kubernetes] = [await page('access.md'), await page('install-kubernetes.md')];
const [upgrading, recovery] = [await page('upgrading.md'), await page('recovery.md')];
const [metrics, rights] = [await page('metrics.md'), await page('applier-rights.md')];
const rebuilt = readGuide(recovery, '\n## The whole hub\n');
/** The loss between backup and recovery: the hub with everything of its own. */
const LOSS: GuideStep = { line: 0, command: 'kubectl delete namespace flotilla', expected: [] };
const OPERATOR = 'prometheus-operator.json';
/** Parts of a cluster with Prometheus: the kinds of its operator, and its namespace. */
const PROMETHEUS: GuideStep = {
  line: 0,
  // It fails while a definition has no conditions yet.
  command: `kubectl apply -f ${OPERATOR} && for try in 1 2 3 4 5 6; do \
    kubectl wait --for=condition=Established crd --all --timeout=2m && break; sleep 2; done && kubectl create namespace monitoring`,
  expected: [],
};
/** Each way on a cluster of its own. The hub manages the other one. */
const WAYS = [
  {
    way: 'kustomize',
    hub: 0,
    needs: [kubectl],
    pages: [
      { name: 'docs/install-kubernetes.md', steps: without(kubernetes, '4. Or with Helm') },
      { name: 'docs/metrics.md', steps: [PROMETHEUS, ...readGuide(metrics)] },
      { name: 'docs/upgrading.md', steps: readGuide(upgrading) },
      { name: 'docs/recovery.md', steps: [...readGuide(recovery).slice(0, -rebuilt.length), LOSS, ...rebuilt] },
    ],
  },
  {
    way: 'Helm',
    hub: 1,
    needs: [kubectl, helm],
    pages: [{ name: 'docs/install-kubernetes.md', steps: without(kubernetes, '4. With kustomize') }],
  },
];

/** The end of a token that was made a moment ago is another one than on the page. */
const withDateOfPage = (printed: string): string =>
  printed.replaceAll(/(?<=login: ends at )[\dT:.-]+Z/g, '2026-12-07T09:30:00.000Z');

const Kubeconfig = z.looseObject({
  clusters: z.tuple([z.looseObject({ cluster: z.unknown() })]),
  users: z.tuple([z.looseObject({ user: z.unknown() })]),
});

/** One kubeconfig with the contexts `hub`, the current one, and `east`. */
function together(hub: string, east: string): string {
  const parts = { hub: Kubeconfig.parse(parse(hub)), east: Kubeconfig.parse(parse(east)) };
  const named = Object.entries(parts);
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: named.map(([name, { clusters }]) => ({ name, cluster: clusters[0].cluster })),
    users: named.map(([name, { users }]) => ({ name, user: users[0].user })),
    contexts: named.map(([name]) => ({ name, context: { cluster: name, user: name } })),
    'current-context': 'hub',
  });
}

describe('every command of the pages for the hub in Kubernetes prints what the page says', needing(kubectl), () => {
  let controlPlane: ControlPlane | undefined;
  const folders: string[] = [];
  beforeAll(async () => {
    controlPlane = await startControlPlane({ clusters: 2 });
    for (const { hub } of WAYS) {
      const folder = await mkdtemp(join(tmpdir(), 'flotilla-pages-'));
      folders.push(folder);
      for (const name of ['k8s', 'charts']) await symlink(join(PROJECT_ROOT, name), join(folder, name));
      const definitions = { apiVersion: 'v1', kind: 'List', items: foreignDefinitions() };
      await writeFile(join(folder, OPERATOR), JSON.stringify(definitions));
      const [own, other] = [controlPlane.clusters[hub], controlPlane.clusters[1 - hub]];
      await writeFile(join(folder, 'kubeconfig'), together(own?.kubeconfig ?? '', other?.kubeconfig ?? ''), {
        mode: 0o600,
      });
    }
  });
  afterAll(async () => {
    await controlPlane?.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  describe.each(WAYS)('with $way', ({ hub, needs, pages }) => {
    let broken: string | undefined;

    const first = [
      { name: 'docs/access.md', steps: readGuide(access) },
      { name: 'docs/applier-rights.md', steps: readGuide(rights) },
    ];
    describe.each([...first, ...pages])('$name', needing(...needs), ({ name, steps: ofPage }) => {
      it.for(ofPage)('line $line: $command', async (step, { skip }) => {
        if (broken !== undefined) skip(`${broken} did not come out`);
        broken = `line ${step.line} of ${name}`;
        const folder = folders[hub] ?? '';
        const environment = { KUBECONFIG: join(folder, 'kubeconfig') };
        await follow({ folder, environment, toPage: withDateOfPage }, new GuideNames(), step);
        broken = undefined;
      });
    });
  });
});
