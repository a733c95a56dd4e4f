import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';
import type { PLAYED_OF_RELEASE } from '../guide/commands-elsewhere.js';
import { pageCommands } from '../guide/page-commands.js';

const PLACE = 'https://example.com/releases';
const run = promisify(execFile);
const kubectl = await programs({ program: 'kubectl' });
const gitAndKubectl = await programs({ program: 'git' }, { program: 'kubectl' });
const helm = await programs({ program: 'helm' });
const mandoc = await programs({ program: 'mandoc', debian: 'mandoc' });
const { version } = JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string };

let work = '';
let release = '';
/** Folder of the installed command, as by `npm install --global`. */
let installed = '';
let unpackedK8s = '';

/**
 * The environment of a machine with Node and nothing of ours: an empty home, and no registry that answers.
 */
const bare = () => ({
  PATH: `${join(installed, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: join(work, 'home'),
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_update_notifier: 'false',
  npm_config_fetch_retries: '0',
});

const inEmptyFolder = async (program: string, ...args: readonly string[]): Promise<string> => {
  const cwd = await mkdtemp(join(work, 'cwd-'));
  const { stdout } = await run(program, args, { cwd, env: bare() });
  return stdout;
};

const file = (name: string): string => join(release, name);
const unpacked = async (name: string): Promise<string> => {
  const folder = await mkdtemp(join(work, 'unpacked-'));
  await run('tar', ['-xzf', file(name), '-C', folder]);
  return folder;
};
const makeDist = (out: string) =>
  run(process.execPath, [
    ...[join(PROJECT_ROOT, 'dist/scripts/make-dist.js'), '--out', out, '--url', `${PLACE}/`],
    // The command as one file has a test of its own, one-file.extended.spec.ts.
    ...['--platforms', ''],
  ]);

const INSTALL_PAGE = pageCommands('docs/install.md', await readFile(join(PROJECT_ROOT, 'docs/install.md'), 'utf8'));

/**
 * Runs the command of docs/install.md with this beginning, in the folder of the release. Returns its output.
 */
async function asOnPage(begin: (typeof PLAYED_OF_RELEASE)[number][1], more: object = {}): Promise<string> {
  const { command = '' } = INSTALL_PAGE.find((one) => one.command.startsWith(begin)) ?? {};
  const cwd = await mkdtemp(join(work, 'reader-'));
  const archive = `flotilla-${version}.tgz`;
  await copyFile(file(archive), join(cwd, archive));
  const { stdout } = await run('bash', ['-c', command.replaceAll('VERSION', version)], {
    cwd,
    env: { ...bare(), ...more },
  });
  return stdout;
}

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'flotilla-distribution-'));
  [release, installed] = [join(work, 'release'), join(work, 'prefix')];
  await mkdir(join(work, 'home'));
  await makeDist(release);
  await asOnPage('npm install ', { npm_config_prefix: installed });
  unpackedK8s = await unpacked(`flotilla-k8s-${version}.tar.gz`);
});
afterAll(() => rm(work, { recursive: true, force: true, maxRetries: 5 }));

describe('the files of a release', () => {
  it('have the same bytes when they are made again', async () => {
    const again = join(work, 'again');
    await makeDist(again);
    expect(await readFile(join(again, 'SHA256SUMS'), 'utf8')).toBe(await readFile(file('SHA256SUMS'), 'utf8'));
  });

  it('are all in SHA256SUMS, which sha256sum accepts', async () => {
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release });
    const checked = stdout.trim().split('\n');
    expect(checked.filter((line) => !line.endsWith(': OK'))).toEqual([]);
    expect(checked.map((line) => line.replace(/: OK$/, '')).sort()).toEqual(
      (await readdir(release)).filter((name) => name !== 'SHA256SUMS').sort(),
    );
  });

  it('are the subjects of the provenance, which names the lock file', async () => {
    const { subject, predicate } = JSON.parse(await readFile(file(`flotilla-${version}.intoto.json`), 'utf8'));
    const sums = await readFile(file('SHA256SUMS'), 'utf8');
    const lines = subject.map(
      (one: { name: string; digest: { sha256: string } }) => `${one.digest.sha256}  ${one.name}`,
    );
    expect(lines.length).toBe((await readdir(release)).length - 2);
    expect(lines.filter((line: string) => !sums.includes(`${line}\n`))).toEqual([]);
    const { stdout } = await run('sha256sum', [join(PROJECT_ROOT, 'package-lock.json')]);
    expect(predicate.buildDefinition.resolvedDependencies).toContainEqual({
      name: 'package-lock.json',
      digest: { sha256: stdout.split(' ')[0] },
    });
  });

  it('have a bill of materials with the packages of the command', async () => {
    const bill = JSON.parse(await readFile(file(`flotilla-${version}.cdx.json`), 'utf8'));
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.components.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['commander', 'logic-solver', 'undici']),
    );
  });
});

describe('the npm package, in an empty folder with an empty home and without a registry', () => {
  const bundled = () => join(installed, 'lib/node_modules/flotilla');

  it('runs with npx', async () => {
    // No hub answers there: `version` says so, and ends with 0.
    expect(await asOnPage('npx ')).toMatch(new RegExp(`^flotilla ${version}[ ,].*\\nhub +none answers`));
  });

  it('reads catalogs and bundles, and plans', async () => {
    const examples = join(bundled(), 'examples');
    await inEmptyFolder('flotilla', 'catalog', 'validate', join(examples, 'catalogs/v2'));
    expect(
      await inEmptyFolder(
        ...(['flotilla', 'plan', '--catalog', `olm/flotilla-samples=${join(examples, 'catalogs/v1')}`] as const),
        ...['-f', join(examples, 'manifests/3-subscription-automatic.yaml')],
      ),
    ).toContain('harbor-operator.v1.0.0');
    const bundle = join(examples, 'bundles/lighthouse-operator/v1.0.0');
    expect(await inEmptyFolder('flotilla', 'bundle', 'render', bundle)).toContain('kind: CustomResourceDefinition');
  });

  it('serves a catalog over gRPC, with packages that are not in the bundles of code', async () => {
    const args = ['catalog', 'serve', join(bundled(), 'examples/catalogs/v2'), '--grpc', '--port', '0'];
    const child = spawn('flotilla', args, { env: bare(), stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (data) => (said += data));
    child.stderr.on('data', (data) => (said += data));
    try {
      await vi.waitFor(() => expect(said).toMatch(/127\.0\.0\.1:\d+/), PATIENCE);
    } finally {
      child.kill();
    }
  });

  it('has every package that its programs load', async () => {
    const names = JSON.parse(await readFile(join(bundled(), 'dist/programs/packages.json'), 'utf8')) as string[];
    const load = createRequire(join(bundled(), 'dist/programs/flotilla.js'));
    expect(names).toContain('logic-solver');
    for (const name of names) {
      expect(load.resolve(name)).toContain(bundled());
      // Every file that it reads when it is loaded is there, too.
      expect(() => load(name)).not.toThrow();
    }
  });

  it('says on an older Node what it needs', async () => {
    const older = join(work, 'older.mjs');
    await writeFile(
      older,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });\n`,
    );
    const start = run(process.execPath, ['--import', older, join(bundled(), 'bin/flotilla.js')], { env: bare() });
    await expect(start).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: flotilla needs Node 24 /),
    });
  });

  it('keeps compiled code in the home alone, and works where that cannot be written', async () => {
    expect(existsSync(join(work, 'home/.cache/flotilla/compile'))).toBe(true);
    const env = { ...bare(), HOME: '/dev/null' };
    const { stdout } = await run('flotilla', ['version', '--client'], { env });
    expect(stdout).toContain(`flotilla ${version}`);
  });

  it('is a plugin of kubectl', needing(kubectl), async () => {
    expect(await inEmptyFolder('kubectl', 'flotilla', 'version', '--client')).toContain(`flotilla ${version}`);
    expect(await inEmptyFolder('kubectl_complete-flotilla', 'cata')).toMatch(/^catalog\t.*\n:4\n$/);
  });

  it('brings a man page of every verb', async () => {
    const pages = await readdir(join(installed, 'share/man/man1'));
    expect(pages).toEqual(expect.arrayContaining(['flotilla.1', 'flotilla-up.1', 'flotilla-catalog-validate.1']));
    expect(pages.filter((name) => name.includes('__'))).toEqual([]);
  });

  it('completes in bash with the script of the release', async () => {
    const scripts = join(await unpacked(`flotilla-completions-${version}.tar.gz`), 'completions');
    expect((await readdir(scripts)).sort()).toEqual(['bash', 'fish', 'zsh']);
    const asked = 'COMP_WORDS=(flotilla ca); COMP_CWORD=1; _flotilla; echo $COMPREPLY';
    expect(await inEmptyFolder('bash', '-c', `source ${join(scripts, 'bash/flotilla')}; ${asked}`)).toBe('catalog\n');
    expect(await readFile(join(scripts, 'zsh/_flotilla'), 'utf8')).toMatch(/^#compdef flotilla/);
  });
});

describe('man pages', () => {
  it('have no errors', needing(mandoc), async () => {
    const folder = join(await unpacked(`flotilla-man-${version}.tar.gz`), 'man');
    const pages = (await readdir(folder)).map((name) => join(folder, name));
    expect(pages.length).toBeGreaterThan(60);
    const { stdout } = await run('mandoc', ['-T', 'lint', '-W', 'error', ...pages]);
    expect(stdout).toBe('');
    const shown = await run('mandoc', ['-T', 'html', join(folder, 'flotilla-get.1')], { maxBuffer: 1 << 24 });
    expect(shown.stdout).toContain('flotilla get [options] &lt;kind&gt; [name...]');
  });
});

describe('the plugin of krew', () => {
  it('is the npm package, by its hash, and runs where krew puts it', needing(kubectl), async () => {
    const { spec, metadata } = parse(await readFile(file('flotilla-krew.yaml'), 'utf8'));
    const [{ uri, sha256, files, bin }] = spec.platforms;
    const archive = `flotilla-${version}.tgz`;
    expect({ name: metadata.name, version: spec.version, uri }).toEqual({
      name: 'flotilla',
      version: `v${version}`,
      uri: `${PLACE}/${archive}`,
    });
    expect(await readFile(file('SHA256SUMS'), 'utf8')).toContain(`${sha256}  ${archive}\n`);
    expect(files).toEqual([{ from: 'package/*', to: '.' }]);
    const store = join(work, 'store');
    await rename(join(await unpacked(archive), 'package'), store);
    await mkdir(join(work, 'krew'));
    await symlink(join(store, bin), join(work, 'krew/kubectl-flotilla'));
    const env = { ...bare(), PATH: `${join(work, 'krew')}:${dirname(process.execPath)}:/usr/bin:/bin` };
    const { stdout } = await run('kubectl', ['flotilla', 'version', '--client'], { env });
    expect(stdout).toContain(`flotilla ${version}`);
  });
});

describe('manifests of the hub', () => {
  const kustomized = (folder: string) => run('kubectl', ['kustomize', folder], { maxBuffer: 1 << 24 });

  it('are those of the checkout, unpacked', needing(kubectl), async () => {
    const folder = join(unpackedK8s, `flotilla-${version}/k8s/base`);
    expect((await kustomized(folder)).stdout).toBe((await kustomized(join(PROJECT_ROOT, 'k8s/base'))).stdout);
  });

  it('are a remote base for kustomize', needing(gitAndKubectl), async () => {
    const repository = join(unpackedK8s, `flotilla-${version}`);
    const git = (...args: string[]) => run('git', ['-C', repository, ...args]);
    await git('init', '--quiet');
    await git('add', '.');
    await git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'k8s');
    await git('tag', `v${version}`);
    const own = await mkdtemp(join(work, 'own-'));
    const lines = [
      'resources:',
      `  - file://${repository}//k8s/base?ref=v${version}`,
      'images:',
      '  - {name: flotilla, newName: registry.example/flotilla, newTag: "1"}',
    ];
    await writeFile(join(own, 'kustomization.yaml'), `${lines.join('\n')}\n`);
    const { stdout } = await kustomized(own);
    expect(stdout).toContain('image: registry.example/flotilla:1');
    expect(stdout).toContain('name: catalog-poller');
  });

  it('are in the chart, with files in place of links', async () => {
    const folder = join(await unpacked(`flotilla-chart-${version}.tgz`), 'flotilla');
    const checkout = join(PROJECT_ROOT, 'charts/flotilla');
    for (const name of ['Chart.yaml', 'values.yaml', 'files/redis-users.acl', 'files/monitoring/alerts.yaml']) {
      expect(await readFile(join(folder, name), 'utf8')).toBe(await readFile(join(checkout, name), 'utf8'));
    }
    const links = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
      one.isSymbolicLink(),
    );
    expect(links).toEqual([]);
  });

  it('are rendered from the packed chart as from the checkout', needing(helm), async () => {
    const rendered = async (chart: string) =>
      (
        await run('helm', ['template', 'hub', chart, '--namespace', 'flotilla', '--kube-version', '1.34.0'], {
          maxBuffer: 1 << 24,
        })
      ).stdout;
    expect(await rendered(file(`flotilla-chart-${version}.tgz`))).toBe(
      await rendered(join(PROJECT_ROOT, 'charts/flotilla')),
    );
  });
});
