import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CATALOG_LABEL, pullCatalog } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { pushImage } from '#platform/registry/image-push';
import { OciLayoutClient, writeLayout } from '#platform/registry/oci-layout';
import { freePorts } from '#testing/control-plane/free-ports';
import { PATIENCE, PATIENCE_MS } from '#testing/patience';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { type Need, needing, programs } from '#testing/report/needs';

/** Asynchronous: the in-memory registry answers from this very process. */
const execute = promisify(execFile);
const run = async (program: string, args: readonly string[]) =>
  (await execute(program, args, { timeout: PATIENCE_MS })).stdout;

type Registry = Readonly<{ host: string; stop: () => Promise<void> }>;
type Kind = Readonly<{ name: string; needs: readonly Need[]; start: (directory: string) => Promise<Registry> }>;

const distribution = await programs({ program: 'docker-registry', debian: 'docker-registry' });
const tools = await programs({ program: 'skopeo', debian: 'skopeo' }, { program: 'umoci', debian: 'umoci' });

/** The same tests run on both: the twin must behave as the real one does. */
const kinds: Kind[] = [
  { name: 'the in-memory registry', needs: [], start: () => startRegistry() },
  { name: 'the distribution registry', needs: [distribution], start: startDistribution },
];

async function startDistribution(directory: string): Promise<Registry> {
  const [port = 0] = await freePorts(1);
  const config = join(directory, 'config.yml');
  const storage = `storage:\n  filesystem: {rootdirectory: ${join(directory, 'registry')}}\n`;
  await writeFile(config, `version: 0.1\nlog: {level: error}\n${storage}http: {addr: "127.0.0.1:${port}"}\n`);
  const server = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/v2/`)).status).toBe(200), PATIENCE);
  return {
    host: `127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.once('exit', () => resolve());
        server.kill();
      }),
  };
}

const files = [
  { path: 'configs/etcd/catalog.yaml', bytes: Buffer.from('schema: olm.package\nname: etcd\n') },
  { path: 'configs/prometheus/catalog.yaml', bytes: Buffer.from('schema: olm.package\nname: prometheus\n') },
];
const labels = { [CATALOG_LABEL]: '/configs' };
const relative = files.map(({ path, bytes }) => ({ path: path.slice('configs/'.length), text: bytes.toString() }));
const client = new HttpRegistryClient();
const contents = async (reference: string, from: HttpRegistryClient | OciLayoutClient = client) => {
  const { files: found } = await pullCatalog(from, reference);
  return found.map(({ path, bytes }) => ({ path, text: Buffer.from(bytes).toString() }));
};

for (const { name, needs, start } of kinds) describe(name, needing(...needs), () => testsOn(start));

function testsOn(start: Kind['start']): void {
  let registry: Registry | undefined;
  const host = () => registry?.host ?? '';
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-registry-'));
    registry = await start(directory);
  });
  afterAll(async () => {
    await registry?.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  const skopeo = (...args: string[]) => run('skopeo', args);

  it('takes what we build and gives it back; a second push sends no blob', async () => {
    const reference = `${host()}/acme/deep/catalog:v1`;
    const image = await buildImage({ files, labels });
    expect(await pushImage(client, reference, image)).toBe(image.manifest.digest);
    expect(await contents(reference)).toEqual(relative);
    expect(await client.resolve(reference)).toBe(image.manifest.digest);
    expect(await contents(`${host()}/acme/deep/catalog@${image.manifest.digest}`)).toEqual(relative);
    expect(await pushImage(client, reference, image)).toBe(image.manifest.digest);
  });

  it('says that a tag is not there', async () => {
    await expect(client.resolve(`${host()}/acme/deep/catalog:gone`)).rejects.toMatchObject({
      failure: 'NotFound',
    });
    await expect(contents(`${host()}/nobody/nothing:v1`)).rejects.toMatchObject({ failure: 'NotFound' });
  });

  it('skopeo reads what we push', needing(tools), async () => {
    const reference = `${host()}/acme/for-skopeo:v1`;
    const image = await buildImage({ files, labels });
    await pushImage(client, reference, image);
    const seen = JSON.parse(await skopeo('inspect', '--tls-verify=false', `docker://${reference}`));
    expect(seen).toMatchObject({ Digest: image.manifest.digest, Labels: labels });
    const copied = join(directory, 'copied');
    await skopeo('copy', '--src-tls-verify=false', `docker://${reference}`, `oci:${copied}:v1`);
    expect(await contents(`oci:${copied}:v1`, new OciLayoutClient())).toEqual(relative);
  });

  it('we read what umoci builds and skopeo pushes, as OCI and as Docker image', needing(tools), async () => {
    const layout = join(directory, 'umoci');
    const umoci = (...args: string[]) => run('umoci', args);
    const source = join(directory, 'configs');
    await mkdir(join(source, 'etcd'), { recursive: true });
    await writeFile(join(source, 'etcd', 'catalog.yaml'), 'first');
    await umoci('init', '--layout', layout);
    await umoci('new', '--image', `${layout}:v1`);
    await umoci('insert', '--rootless', '--image', `${layout}:v1`, source, '/configs');
    await writeFile(join(source, 'etcd', 'catalog.yaml'), 'second');
    await umoci('insert', '--rootless', '--image', `${layout}:v1`, source, '/configs');
    await umoci('config', '--image', `${layout}:v1`, '--config.label', `${CATALOG_LABEL}=/configs`);
    for (const format of ['oci', 'v2s2']) {
      const reference = `${host()}/acme/umoci:${format}`;
      await skopeo('copy', '--dest-tls-verify=false', '--format', format, `oci:${layout}:v1`, `docker://${reference}`);
      expect(await contents(reference)).toEqual([{ path: 'etcd/catalog.yaml', text: 'second' }]);
    }
  });

  it('skopeo takes the layout that we write, and pushes it unchanged', needing(tools), async () => {
    const layout = join(directory, 'ours');
    const digest = await writeLayout(layout, 'v1', await buildImage({ files, labels }));
    await writeLayout(layout, 'v2', await buildImage({ files: files.slice(1), labels }));
    const reference = `${host()}/acme/from-layout:v1`;
    await skopeo('copy', '--dest-tls-verify=false', `oci:${layout}:v1`, `docker://${reference}`);
    expect(await client.resolve(reference)).toBe(digest);
    expect(await contents(reference)).toEqual(relative);
    expect(await contents(`oci:${layout}:v2`, new OciLayoutClient())).toEqual(relative.slice(1));
  });
}
