import { beforeEach, describe, expect, it } from 'vitest';
import { Patience } from '#platform/fairness/patience';
import type { SubjectJob } from '#platform/queue/jobs';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { RegistryError, type RegistryFailure } from '#platform/registry/client/registry-client.port';
import { PATIENCE } from '#testing/patience';
import { objectOf } from '../classic-cluster.fixture.js';
import { lampCsv } from '../csvs/csvs.fixture.js';
import { PlanBench } from '../install-plans/install-plans.fixture.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { BundleContents, type SoughtBundle } from './bundle-contents.js';

let bench: PlanBench;
beforeEach(() => {
  bench = new PlanBench();
});

const IMAGE = 'registry.example/lamp:1';
const CSV = lampCsv('shop');
const SETTINGS = objectOf('ConfigMap', 'settings', undefined, { data: {} });
const sought = (source: SoughtBundle['source'], name = 'lamp.v1'): SoughtBundle => ({
  ...{ name, source, credentials: {}, timeoutMs: 0 },
});
const round = (waitsMs?: number, signal = new AbortController().signal): NamespaceStageInput =>
  ({ client: { cluster: 'east' }, read: { namespace: 'shop' }, patience: new Patience(waitsMs), signal }) as never;
const kinds = (content: object | undefined) =>
  (content as Readonly<{ objects?: readonly { kind: string }[] }> | undefined)?.objects?.map(({ kind }) => kind);

describe('where the manifests of a bundle come from', () => {
  it('an image: its objects in order, and the image by digest, where the very same can be read again', async () => {
    const digest = bench.registry.put(IMAGE, [CSV, SETTINGS]);
    const found = await bench.contents.contentsOf([sought({ image: IMAGE })], round());
    if (!('contents' in found)) throw new Error('not fetched');
    expect(found.contents.map(kinds)).toEqual([['ClusterServiceVersion', 'ConfigMap']]);
    expect(found.contents[0]).toMatchObject({ source: { image: `registry.example/lamp@${digest}` } });
  });

  it('a catalog with inline manifests: the content store, by digest', async () => {
    const digest = await bench.content.put(new TextEncoder().encode(JSON.stringify([CSV])));
    const found = await bench.contents.contentsOf([sought({ inline: digest })], round());
    expect(found).toMatchObject({
      contents: [{ objects: [{ kind: 'ClusterServiceVersion' }], source: { inline: digest } }],
    });
    expect(bench.registry.pulled).toEqual([]);
  });

  it('several, in the order in which they were asked for', async () => {
    bench.registry.put(IMAGE, [CSV]);
    const digest = await bench.content.put(new TextEncoder().encode(JSON.stringify([CSV, SETTINGS])));
    const wick = 'registry.example/wick:1';
    bench.registry.put(wick, [CSV, SETTINGS, SETTINGS]);
    const wanted = [sought({ image: wick }), sought({ inline: digest }), sought({ image: IMAGE })];
    const found = await bench.contents.contentsOf(wanted, round());
    expect('contents' in found && found.contents.map((content) => kinds(content)?.length)).toEqual([3, 2, 1]);
  });
});

describe('a bundle that cannot be had', () => {
  it('inline content that is held nowhere: says which bundle and what to check', async () => {
    const missing = `sha256:${'0'.repeat(64)}`;
    await expect(bench.contents.contentsOf([sought({ inline: missing })], round())).rejects.toMatchObject({
      code: 'ContentNotHeld',
      retry: 'backoff',
      message: expect.stringMatching(/lamp\.v1 \(sha256:0+\).*FLOTILLA_CONTENT_URL points at the poller/),
    });
  });

  it('an image that is not there: the error of the registry', async () => {
    await expect(bench.contents.contentsOf([sought({ image: IMAGE })], round())).rejects.toMatchObject({
      code: 'RegistryError',
      failure: 'NotFound',
    });
  });

  it('the first failure counts, also beside a bundle that is there', async () => {
    bench.registry.put(IMAGE, [CSV]);
    const wanted = [sought({ image: IMAGE }), sought({ image: 'registry.example/none:1' }, 'none.v1')];
    await expect(bench.contents.contentsOf(wanted, round())).rejects.toThrow('registry.example/none:1');
  });
});

describe('a bundle that cannot be used is a verdict of one line', () => {
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const scale = (metadata: unknown) => ({ apiVersion: 'v1', kind: 'Scale', metadata });

  it.each([
    ['no list', { kind: 'List' }, 'its manifests are not a list of objects'],
    ['a text', [CSV, 'text'], 'object 2: the document is a text; a map is expected'],
    ['nothing', [CSV, null], 'object 2: the document is empty (null); a map is expected'],
    ['no kind', [{ metadata: { name: 'a' } }], 'object 1 (a): kind is missing'],
    ['a number as name', [CSV, scale({ name: 7 })], 'object 2 (Scale): metadata.name is the number 7; '],
    ['text as labels', [CSV, scale({ name: 'a', labels: 'x' })], 'object 2 (Scale a): metadata.labels is a text; '],
    ['a list as metadata', [scale([])], 'object 1 (Scale): metadata is a list; a map is expected'],
  ])('inline, with %s', async (_, content, problem) => {
    const digest = await bench.content.put(bytes(content));
    const found = await bench.contents.contentsOf([sought({ inline: digest }), sought({ inline: digest })], round());
    const unusable = expect.stringContaining(`bundle lamp.v1 (in its catalog): ${problem}`);
    expect(found).toEqual({ contents: [{ unusable }, { unusable }] });
  });

  it('an image without a CSV: says which bundle and which image, and the others come', async () => {
    const wick = 'registry.example/wick:1';
    bench.registry.put(IMAGE, [SETTINGS]);
    bench.registry.put(wick, [CSV]);
    const found = await bench.contents.contentsOf(
      [sought({ image: IMAGE }), sought({ image: wick }, 'wick.v1')],
      round(),
    );
    const unusable = expect.stringMatching(
      /^bundle lamp\.v1: image registry\.example\/lamp:1: no csv in bundle: .{1,160}$/,
    );
    expect(found).toMatchObject({ contents: [{ unusable }, { objects: [{ kind: 'ClusterServiceVersion' }] }] });
  });

  it.each<[RegistryFailure, how: string]>([
    ['Incomplete', 'is missing: registry registry.example answered 404 BLOB_UNKNOWN'],
    ['DigestMismatch', 'ended after 0 of 116 bytes'],
  ])('an image of which the registry lacks a part (%s): it may be pushed again, and the others come', async (...of) => {
    const [failure, how] = of;
    const wick = 'registry.example/wick:1';
    bench.registry.put(wick, [CSV]);
    const layer = `layer sha256:${'1234567890abcdef'.repeat(4)}`;
    const why = `image ${IMAGE}: ${layer} ${how}: push the image again`;
    bench.registry.fail(IMAGE, new RegistryError(failure, IMAGE, why));
    const wanted = [sought({ image: IMAGE }), sought({ image: wick }, 'wick.v1')];
    const found = await bench.contents.contentsOf(wanted, round());
    const unusable = expect.stringMatching(
      /^bundle lamp\.v1: image registry\.example\/lamp:1: layer sha256:12345.* (404 BLOB_UNKNOWN|0 of 116 bytes): push the image again$/,
    );
    expect(found).toMatchObject({ contents: [{ unusable, incomplete: true }, { objects: [{}] }] });
  });

  it('an image that the signature policy refuses: which policy, which digest, what was found, what to do', async () => {
    const image = `registry.example/lamp@sha256:${'1234567890abcdef'.repeat(4)}`;
    const why = `signature policy registry.example refuses sha256:${'1234567890abcdef'.repeat(4)}: signed by another key; an accepted key must sign it, or change the policy`;
    bench.registry.fail(image, new RegistryError('NotAdmitted', image, `image ${image}: ${why}`));
    const found = await bench.contents.contentsOf([sought({ image })], round());
    if (!('contents' in found) || !('unusable' in (found.contents[0] ?? {}))) throw new Error('not refused');
    const [{ unusable }] = found.contents as readonly [{ unusable: string }];
    expect(found).toMatchObject({ contents: [{ incomplete: true }] });
    expect(unusable.length).toBeLessThanOrEqual(200);
    expect(unusable).toMatch(
      /^bundle lamp\.v1: image .*: signature policy registry\.example refuses sha256:12345\S*: signed by another key; an accepted key must sign it, or change the policy$/,
    );
  });

  it('a reference that is none, and an image of another type', async () => {
    const [plain, wick] = ['registry.example/plain:1', 'registry.example/wick:1'];
    bench.registry.put(wick, [CSV]);
    bench.registry.put(plain, [CSV], { 'operators.operatorframework.io.bundle.mediatype.v1': 'plain+v0' });
    const wanted = ['Not an image!', plain, wick].map((image) => sought({ image }));
    const found = await bench.contents.contentsOf(wanted, round());
    expect(found).toMatchObject({
      contents: [
        { unusable: expect.stringContaining('bundle lamp.v1: invalid image reference "Not an image!"') },
        { unusable: `bundle lamp.v1: image ${plain} is a bundle of type plain+v0; registry+v1 is expected` },
        { objects: [{ kind: 'ClusterServiceVersion' }] },
      ],
    });
  });
});

describe('a pull that takes longer than the pass may wait', () => {
  it('is named, goes on, and puts the namespace into the queue once it is done', async () => {
    const jobs: SubjectJob[] = [];
    await bench.apply.process(async (job) => void jobs.push(job), { concurrency: 1 });
    bench.registry.put(IMAGE, [CSV]);
    const release = bench.registry.hold(IMAGE);
    expect(await bench.contents.contentsOf([sought({ image: IMAGE })], round(0))).toEqual({
      stillFetching: ['lamp.v1'],
    });
    expect(jobs).toEqual([]);
    release();
    await expect.poll(() => jobs, { ...PATIENCE, interval: 1 }).toEqual([{ v: 1, cluster: 'east', namespace: 'shop' }]);
    expect(await bench.contents.contentsOf([sought({ image: IMAGE })], round(0))).toMatchObject({ contents: [{}] });
    expect(bench.registry.pulled, 'it was pulled once').toEqual([IMAGE]);
    await bench.apply.close();
  });

  it('a queue that takes no job: the log says so, and the next pass has the bundle', async () => {
    const away = { add: () => Promise.reject(new Error('Redis is away')) } as unknown as typeof bench.apply;
    const contents = new BundleContents(BundlePulls.withoutTurns(bench.registry), bench.content, away, bench.log);
    bench.registry.put(IMAGE, [CSV]);
    const release = bench.registry.hold(IMAGE);
    await contents.contentsOf([sought({ image: IMAGE })], round(0));
    release();
    const said = expect.stringContaining('could not start a pass for fetched bundles; they wait for the next one');
    await expect.poll(() => bench.logged, { ...PATIENCE, interval: 1 }).toEqual([said]);
    expect(await contents.contentsOf([sought({ image: IMAGE })], round(0))).toMatchObject({ contents: [{}] });
  });

  it('a pass that is interrupted stops waiting', async () => {
    bench.registry.put(IMAGE, [CSV]);
    bench.registry.hold(IMAGE);
    const stop = new AbortController();
    const waiting = bench.contents.contentsOf([sought({ image: IMAGE })], round(60_000, stop.signal));
    stop.abort();
    await expect(waiting).rejects.toThrow();
  });
});
