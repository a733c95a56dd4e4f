import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { PATIENCE } from '#testing/patience';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { serveHttpUntil } from './catalog-serve-http.js';

const SHOP = 'test/vectors/v1-http/catalogs/shop';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-http-'));
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }));

/** Serves until the questions are answered; what was printed comes with the answers. */
async function served(reference: string, paths: readonly string[], name?: string) {
  const printed = { out: '', exit: -1 };
  const io = {
    out: (text: string) => {
      printed.out += text;
    },
    err: () => undefined,
    exit: (code: number) => {
      printed.exit = code;
    },
    stdin: async () => '',
  };
  const stop = Promise.withResolvers<void>();
  const place = { host: '127.0.0.1', port: 0, ...(name === undefined ? {} : { name }) };
  const serving = serveHttpUntil(stop.promise, reference, place, io);
  await Promise.race([serving, expect.poll(() => printed.out, PATIENCE).toContain('serving')]);
  const origin = /http:\/\/[^/]+/.exec(printed.out)?.[0] ?? '';
  const answers = await Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${origin}${path}`);
      return { status: response.status, text: await response.text() };
    }),
  );
  stop.resolve();
  await serving;
  return { answers, ...printed };
}

describe('catalog serve over HTTP', () => {
  it('serves a directory under its own name', async () => {
    const paths = ['/catalogs/shop/api/v1/metas?schema=olm.package&name=lamp', '/catalogs/other/api/v1/all'];
    const { answers, out, exit } = await served(SHOP, paths);
    expect(answers).toEqual([
      { status: 200, text: expect.stringMatching(/^\{"defaultChannel":"stable",.*"name":"lamp".*\}\n$/) },
      { status: 404, text: '404 Not Found\n' },
    ]);
    expect({ out, exit }).toEqual({
      out: expect.stringMatching(
        /^serving 11 blobs at http:\/\/127\.0\.0\.1:\d+\/catalogs\/shop\/api\/v1\/all and \/metas\n$/,
      ),
      exit: 0,
    });
  });

  it('serves a file, and an image, under a name that is given or theirs', async () => {
    const file = join(folder, 'lamps.yaml');
    await writeFile(file, 'schema: note\nname: lamp\n');
    const line = { status: 200, text: '{"name":"lamp","schema":"note"}\n' };
    expect((await served(file, ['/catalogs/lamps/api/v1/all'])).answers).toEqual([line]);
    const registry = await startRegistry();
    const files = [{ path: 'configs/a.yaml', bytes: Buffer.from('schema: note\nname: lamp\n') }];
    registry.put('shelf/shop:v1', await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
    const image = `${registry.host}/shelf/shop:v1`;
    expect((await served(image, ['/catalogs/shop/api/v1/all'])).answers).toEqual([line]);
    expect((await served(image, ['/catalogs/lamps/api/v1/all'], 'lamps')).answers).toEqual([line]);
    await registry.stop();
  });

  it.each([
    { text: 'schema: olm.package\nname: 7\n', because: 'a.yaml:1: .*string' },
    { text: 'schema: [\n', because: 'a.yaml:1: ' },
  ])('says what is wrong with $text', async ({ text, because }) => {
    await writeFile(join(folder, 'a.yaml'), text);
    await expect(served(folder, [], 'shop')).rejects.toThrow(new RegExp(because));
  });
});
