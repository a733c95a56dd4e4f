import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { LOOPBACK_ALLOWED } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { comparable } from '../guide/guide-names.js';
import { type GuideStep, readGuide } from '../guide/read-guide.js';

const ALPHA = 'operators.coreos.com/v1alpha1';
const page = (path: string): Promise<string> => readFile(join(PROJECT_ROOT, path), 'utf8');
const section = (text: string, heading: string): string => {
  const rest = text.slice(text.indexOf(`\n## ${heading}\n`) + 1);
  return rest.slice(0, rest.indexOf('\n## '));
};

let folder = '';
let registry: InMemoryRegistry;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-offline-'));
  registry = await startRegistry();
  await symlink(join(PROJECT_ROOT, 'examples'), join(folder, 'examples'));
});
afterAll(async () => {
  await Promise.all([registry?.stop(), rm(folder, { recursive: true, force: true, maxRetries: 5 })]);
});

type Answer = Readonly<{ out: string; err: string; exit: number | null }>;

async function answerOf(command: string): Promise<Answer> {
  const env = {
    ...process.env,
    ...LOOPBACK_ALLOWED,
    PATH: `${join(PROJECT_ROOT, 'bin')}${delimiter}${process.env['PATH']}`,
    HOME: folder,
    REGISTRY: registry.host,
  };
  const child = spawn('bash', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err, exit: await exit };
}

/** Follows a step. The output must equal the page; a line of "…" stands for any lines. */
async function follow({ command, expected }: GuideStep): Promise<void> {
  const { out, err, exit } = await answerOf(command);
  if (expected.length === 0) return expect(exit, `${out}${err}`).toBe(0);
  // Notes on standard error are left out of pages, unless a page leaves out the rest.
  const isWhole = !expected.includes('…');
  const printed = comparable((isWhole ? out : `${out}${err}`).split('\n')).join('\n');
  const parts = expected
    .join('\n')
    .split(/^…$/m)
    .map((part) => comparable(part.split('\n')).join('\n'));
  let from = 0;
  for (const part of parts.filter((one) => one !== '')) {
    const at = printed.indexOf(part, from);
    expect(at, `${part}\n--- is not in what was printed:\n${printed}`).toBeGreaterThanOrEqual(0);
    from = at + part.length;
  }
  if (isWhole) expect(printed).toBe(parts.join('\n'));
}

const file = async (path: string, objects: readonly object[]): Promise<void> => {
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), objects.map((one) => JSON.stringify(one)).join('\n---\n'));
};

describe('docs/first-cluster.md and examples/README.md, without a cluster', async () => {
  const steps = [
    ...readGuide(section(await page('docs/first-cluster.md'), 'Without a cluster')),
    ...readGuide(await page('examples/README.md')),
  ];

  it.each(steps.filter(({ command }) => command.startsWith('flotilla ')))('$command', follow);

  it('were found', () => {
    expect(steps.length).toBeGreaterThanOrEqual(9);
  });
});

describe('docs/air-gap.md', async () => {
  const markdown = await page('docs/air-gap.md');
  const steps = readGuide(markdown);

  it('is followed: a catalog carried in is read under its own name, from the mirror alone', async () => {
    const [, mirrors = ''] = /^```yaml\n(.*?)^```$/ms.exec(markdown) ?? [];
    await writeFile(join(folder, 'mirrors.yaml'), mirrors.replaceAll('registry.lan:5000', registry.host));
    // Outside there is the public catalog; here the samples stand for it.
    for (const { command, line } of steps.slice(0, -1)) {
      await follow({ line, command: command.replace(/(?<=render )\S+/, 'examples/catalogs/v2'), expected: [] });
    }
    const { out, err, exit } = await answerOf(steps.at(-1)?.command ?? '');
    expect([exit, err]).toEqual([0, '']);
    expect(out).toMatch(/^harbor-operator /m);
  });

  it('names a mirror for tags, without which the same catalog is not found', async () => {
    const [digests = ''] = (await readFile(join(folder, 'mirrors.yaml'), 'utf8')).split('---\n');
    await writeFile(join(folder, 'mirrors.yaml'), digests);
    const { err, exit } = await answerOf(steps.at(-1)?.command ?? '');
    expect(exit).not.toBe(0);
    expect(err).toContain('NeverContactSource');
  });
});

describe('docs/resolution.md', async () => {
  const [install, upgrade, refused] = readGuide(await page('docs/resolution.md'));
  const subscription = (name: string, more: object = {}, status: object = {}) => ({
    ...{ apiVersion: ALPHA, kind: 'Subscription', metadata: { name, namespace: 'team' } },
    spec: { name, channel: 'stable', source: 'community', sourceNamespace: 'olm', ...more },
    ...(Object.keys(status).length === 0 ? {} : { status: { lastUpdated: '2026-01-01T00:00:00Z', ...status } }),
  });
  const group = {
    ...{ apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata: { name: 'team', namespace: 'team' } },
    spec: {},
  };
  const csv = async (operator: string) => {
    const path = `examples/bundles/${operator}/v1.0.0/manifests/${operator}.clusterserviceversion.yaml`;
    return { text: (await page(path)).replace(/^metadata:$/m, 'metadata:\n  namespace: team'), path };
  };

  it('what is installed', async () => {
    await file('subscription.yaml', [subscription('harbor-operator')]);
    await follow(install as GuideStep);
  });

  it('what keeps a newer version from being the next', async () => {
    const has = (name: string) =>
      subscription(name, {}, { installedCSV: `${name}.v1.0.0`, currentCSV: `${name}.v1.0.0` });
    const texts = await Promise.all(['harbor-operator', 'lighthouse-operator'].map(csv));
    const objects = [group, has('harbor-operator'), has('lighthouse-operator')].map((one) => JSON.stringify(one));
    await writeFile(join(folder, 'namespace.yaml'), [...objects, ...texts.map((one) => one.text)].join('\n---\n'));
    await follow(upgrade as GuideStep);
  });

  it('who is to blame', async () => {
    await file('namespace.yaml', [
      group,
      subscription('harbor-operator', { channel: 'fast' }),
      subscription('lighthouse-operator'),
    ]);
    await follow(refused as GuideStep);
  });
});

describe('docs/upgrade-graph.md', async () => {
  const markdown = await page('docs/upgrade-graph.md');
  const steps = readGuide(markdown);
  const [, channels = ''] = /^```yaml\n(.*?)^```$/ms.exec(markdown) ?? [];

  /** A catalog of these channels, with a bundle for each entry. */
  async function catalog(name: string, text: string): Promise<void> {
    const names = new Set([...text.matchAll(/\{name: (etcd\.v[\d.]+)/g)].map(([, entry = '']) => entry));
    const blobs = [
      { schema: 'olm.package', name: 'etcd', defaultChannel: 'stable' },
      ...[...names].map((entry) => ({
        ...{ schema: 'olm.bundle', package: 'etcd', name: entry, image: `registry.example/etcd:${entry}` },
        properties: [{ type: 'olm.package', value: { packageName: 'etcd', version: entry.slice('etcd.v'.length) } }],
      })),
    ];
    await mkdir(join(folder, name));
    await writeFile(
      join(folder, name, 'catalog.yaml'),
      [text, ...blobs.map((one) => JSON.stringify(one))].join('\n---\n'),
    );
  }

  beforeAll(async () => {
    await catalog('etcd', channels);
    // The page says: "if the channel next began with a v1.9.0 that follows nothing".
    const gap = channels
      .replace('- {name: etcd.v1.0.0}\n', '- {name: etcd.v1.9.0}\n')
      .replace('etcd.v2.0.0, replaces: etcd.v1.0.0', 'etcd.v2.0.0, replaces: etcd.v1.9.0');
    await catalog('etcd-with-a-gap', gap);
    // "v0.9.5 forgets the range that v0.9.4 had, and v1.0.1 replaces it in place of v1.0.0".
    const next = channels.replace(
      '- {name: etcd.v1.0.0, replaces: etcd.v0.9.4}\n',
      '- {name: etcd.v0.9.5, replaces: etcd.v0.9.4}\n  - {name: etcd.v1.0.1, replaces: etcd.v0.9.5}\n',
    );
    await catalog('etcd-next', next);
  });

  it.each(steps)('$command', follow);
});

describe('docs/console-rights.md', async () => {
  const markdown = await page('docs/console-rights.md');

  it.each(readGuide(markdown))('$command', async (step) => {
    const [, policy = ''] = /^```yaml\n(.*?)^```$/ms.exec(markdown) ?? [];
    await writeFile(join(folder, 'policy.yaml'), policy);
    await follow(step);
  });
});

describe('docs/authoring-catalogs.md, with a registry', async () => {
  const markdown = await page('docs/authoring-catalogs.md');
  const steps = readGuide(markdown);
  const [, template = ''] = /^```yaml\n(# templates.*?)^```$/ms.exec(markdown) ?? [];
  const step = (begin: string) => steps.findIndex(({ command }) => command.startsWith(begin));

  beforeAll(async () => {
    await symlink(join(PROJECT_ROOT, 'examples/bundles'), join(folder, 'bundles'));
    await mkdir(join(folder, 'templates'));
    await mkdir(join(folder, 'catalog/harbor-operator'), { recursive: true });
    const here = template.replaceAll('registry.example/', `${registry.host}/`);
    await writeFile(join(folder, 'templates/harbor-operator.yaml'), here);
  });

  it('is followed in order, with the other releases pushed as the first one is', async () => {
    const push = steps[step('flotilla bundle push')]?.command ?? '';
    const [templating, diff] = [step('flotilla catalog template'), step('flotilla catalog diff')];
    for (const one of steps.slice(0, templating)) await follow(one);
    for (const version of ['v1.1.0', 'v1.2.0'])
      expect((await answerOf(push.replaceAll('v1.0.0', version))).exit).toBe(0);
    // The images of the samples are in a public registry. Tests do not ask it.
    const checked = steps.slice(templating, diff).filter(({ command }) => !command.includes('--check-images'));
    for (const one of checked) await follow(one);
    // "Here 1.1.0 was taken out of the template".
    await cp(join(folder, 'catalog'), join(folder, 'released'), { recursive: true });
    const shorter = (await readFile(join(folder, 'templates/harbor-operator.yaml'), 'utf8')).replace(
      /.*v1\.1\.0\n/,
      '',
    );
    await writeFile(join(folder, 'templates/harbor-operator.yaml'), shorter);
    await follow(steps[templating] as GuideStep);
    for (const one of steps.slice(diff)) await follow(one);
  });
});
