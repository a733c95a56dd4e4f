import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { LONG_PATIENCE_MS } from '#testing/patience';
import { productionPackages } from '../../scripts/supply-chain/lock-file.js';
import { cleanCluster } from '../story/clean-clusters.js';
import { playStory } from '../story/play-story.js';
import type { ComposeFixture } from './compose-fixture.js';

/** Bytes of all layers together, those of the base image included. */
const MOST_BYTES = 300_000_000;

const Image = z.looseObject({
  Size: z.number(),
  Config: z.looseObject({ User: z.string(), Labels: z.record(z.string(), z.string()) }),
});

/** The image of the unmodified Dockerfile, built by compose. */
export function describeImage(fixture: () => ComposeFixture): void {
  const image = () => fixture().stack.settings['FLOTILLA_IMAGE'] ?? '';
  const docker = (...args: string[]) => fixture().stack.docker(...args);
  const node = async (script: string) =>
    (await docker('run', '--rm', '--entrypoint', 'node', image(), '-e', script)).trim();

  it('is built from the Dockerfile, with its labels, for a user without rights, in less than 300 MB', async () => {
    await fixture().stack.compose('build', '--quiet');
    const [inspected] = z.array(Image).parse(JSON.parse(await docker('image', 'inspect', image())));
    console.log(`the image has ${Math.round((inspected?.Size ?? 0) / 1e6)} MB`);
    expect(inspected?.Size).toBeLessThan(MOST_BYTES);
    expect(inspected?.Config.User).toBe('1000:1000');
    expect(inspected?.Config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Flotilla',
      'org.opencontainers.image.licenses': 'Apache-2.0',
    });
  });

  it('keeps no secret of its build, and no package that its programs do not import', async () => {
    const npmrc = fixture().stack.settings['FLOTILLA_BUILD_NPMRC'] ?? '';
    const registry = /^registry=https?:\/\/([^/\n]+)/m.exec(readFileSync(npmrc, 'utf8'))?.[1] ?? 'no registry is named';
    const kept = await node("console.log(['/root/.npmrc', '/run/secrets'].filter(fs.existsSync).join())");
    expect(kept).toBe('');
    expect(await docker('history', '--no-trunc', image())).not.toContain(registry);
    const files = "fs.readdirSync('/flotilla', { recursive: true }).map((one) => '/flotilla/' + one)";
    const holds = `fs.lstatSync(one).isFile() && fs.readFileSync(one).includes(${JSON.stringify(registry)})`;
    expect(await node(`console.log(${files}.filter((one) => ${holds}).join())`)).toBe('');
    const packages = await node("console.log(fs.readdirSync('/flotilla/dist/node_modules').join())");
    expect(packages.split(',')).toContain('logic-solver');
    expect(packages.split(',')).not.toContain('typescript');
    expect(await node("console.log(fs.existsSync('/flotilla/node_modules'))")).toBe('false');
  });

  it('has no shell, no package manager and no compiler: Node is its only program', async () => {
    const folders = "['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin']";
    const programs = await node(
      `console.log(${folders}.filter(fs.existsSync).flatMap((one) => fs.readdirSync(one)).sort().join())`,
    );
    expect(programs).toBe('flotilla,node,ready');
    await expect(docker('run', '--rm', '--entrypoint', 'sh', image(), '-c', 'true')).rejects.toThrow();
  });

  it('lists the packages that are in it', async () => {
    const bill = JSON.parse(await node("process.stdout.write(fs.readFileSync('/flotilla/dist/sbom.cdx.json'))"));
    const listed = bill.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`);
    const lockFile = readFileSync(join(PROJECT_ROOT, 'package-lock.json'), 'utf8');
    expect(listed.toSorted()).toEqual([...new Set(productionPackages(lockFile).map(({ id }) => id))].toSorted());
  });

  it('runs the command, in a folder of the user too', async () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8'));
    expect(await docker('run', '--rm', image(), 'version')).toContain(version);
    const samples = ['--volume', `${PROJECT_ROOT}/examples:/samples:ro`, '--workdir', '/samples'];
    await docker('run', '--rm', '--network', 'none', ...samples, image(), 'catalog', 'validate', 'catalogs/v2');
  });

  it('`docker run … flotilla up` manages the cluster of a kubeconfig that is mounted', async () => {
    const { folder, gateway, stack, clients, environmentOf } = fixture();
    const { entry } = await fixture().open(0);
    await fixture().writeKubeconfig([entry]);
    const name = `${stack.project}-up`;
    try {
      const plainHttp = stack.settings['FLOTILLA_REGISTRY_PLAIN_HTTP_HOSTS'] ?? '';
      const up = ['run', '--detach', '--name', name, '--read-only', '--tmpfs', '/tmp'];
      const given = ['--env', `FLOTILLA_REGISTRY_PLAIN_HTTP_HOSTS=${plainHttp}`];
      const mounts = ['--volume', `${folder}:/kube:ro`, '--add-host', `host.docker.internal:${gateway}`];
      await docker(...up, ...given, ...mounts, image(), 'up', '--kubeconfig', '/kube/config');
      await playStory(environmentOf(0), { patienceMs: LONG_PATIENCE_MS });
      await docker('stop', '--time', '30', name);
      const state = await docker('inspect', '--format', '{{.State.ExitCode}}', name);
      expect(state.trim(), await docker('logs', '--tail', '20', name)).toBe('0');
    } catch (error) {
      console.log(await docker('logs', '--tail', '40', name).catch(() => ''));
      throw error;
    } finally {
      await docker('rm', '--force', '--volumes', name).catch(() => '');
    }
    for (const client of clients.slice(0, 1)) await cleanCluster(client);
  });
}
