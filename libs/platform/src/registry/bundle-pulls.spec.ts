import { beforeEach, describe, expect, it } from 'vitest';
import { Patience } from '../fairness/patience.js';
import { BundleLabel, pullBundle } from './bundle-image.js';
import { BundlePulls } from './bundle-pulls.js';
import {
  type FoldersOf,
  type PulledImage,
  type PullOptions,
  RegistryClient,
  RegistryError,
} from './client/registry-client.port.js';

const DIGEST = `sha256:${'a'.repeat(64)}` as const;
const OWNER = { cluster: 'east', namespace: 'mill' };

/** One image under every name; a pull takes until `slow` is done. */
class OneImage extends RegistryClient {
  pulls: string[] = [];
  slow: Promise<void> = Promise.resolve();
  signals: AbortSignal[] = [];
  constructor(
    private readonly paths: readonly string[],
    private readonly labels: Readonly<Record<string, string>> = {},
    private readonly texts: Readonly<Record<string, string>> = {},
  ) {
    super();
  }
  access = (_: string, { credentials = {} }: PullOptions = {}): string => Object.keys(credentials).join();
  resolve = (): never => {
    throw new Error('no bundle is resolved alone');
  };
  pullTo = this.resolve;
  async pull(reference: string, foldersOf: FoldersOf, { signal, readFiles }: PullOptions = {}): Promise<PulledImage> {
    this.pulls.push(reference);
    if (signal !== undefined) this.signals.push(signal);
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => undefined);
    signal?.addEventListener('abort', () => ended.reject(signal.reason));
    await Promise.race([this.slow, ended.promise]);
    const wanted = foldersOf(this.labels);
    const read = async (folders: readonly string[]) =>
      this.paths
        .filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
        .map((path) => ({ path, bytes: Buffer.from(this.texts[path] ?? path) }));
    const files = await (readFiles?.(this.labels, read) ?? read(wanted));
    return { digest: DIGEST, resolved: DIGEST, labels: this.labels, files };
  }
}

describe('a bundle image', () => {
  const paths = ['manifests/csv.yaml', 'metadata/annotations.yaml', 'bin/tool', 'deploy/csv.yaml', 'about/it.yaml'];

  it.each<[what: string, labels: Record<string, string>, files: readonly string[]]>([
    ['without labels', {}, ['manifests/csv.yaml', 'metadata/annotations.yaml']],
    [
      'with folders of its own',
      { [BundleLabel.manifests]: './deploy/', [BundleLabel.metadata]: 'about' },
      ['manifests/csv.yaml', 'metadata/it.yaml'],
    ],
  ])('%s has its manifests and metadata under one name', async (_, labels, files) => {
    const pulled = await pullBundle(new OneImage(paths, labels), 'registry.test/gear:1');
    expect(pulled.files.map(({ path }) => path)).toEqual(files);
    expect(pulled.digest).toBe(DIGEST);
  });

  it.each<[annotation: string, labels: Record<string, string>, manifests: string]>([
    ['deploy/', {}, 'deploy/csv.yaml'],
    ['./deploy', { [BundleLabel.manifests]: 'manifests/' }, 'deploy/csv.yaml'],
    ['manifests/', { [BundleLabel.manifests]: 'deploy/' }, 'manifests/csv.yaml'],
    ['manifests', {}, 'manifests/csv.yaml'],
    ['none/', {}, 'manifests/csv.yaml'],
    ['', { [BundleLabel.manifests]: 'deploy/' }, 'deploy/csv.yaml'],
  ])(
    'with the annotation "%s" and the labels %j has its manifests from there',
    async (annotation, labels, manifests) => {
      const lines = [`${BundleLabel.package}: gear`, `${BundleLabel.manifests}: "${annotation}"`];
      const texts = { 'metadata/annotations.yaml': `annotations:\n  ${lines.join('\n  ')}\n` };
      const { files } = await pullBundle(new OneImage(paths, labels, texts), 'registry.test/gear:1');
      const read = files.filter(({ path }) => path.startsWith('manifests/'));
      expect(read).toEqual([{ path: 'manifests/csv.yaml', bytes: Buffer.from(manifests) }]);
    },
  );

  it('has one list of files for the same image, by which what is read of them is found again', async () => {
    const image = [{ path: 'manifests/csv.yaml', bytes: Buffer.from('kind: ClusterServiceVersion') }];
    const registry = new OneImage(paths);
    registry.pull = async () => ({ digest: DIGEST, resolved: DIGEST, labels: {}, files: image });
    const [first, second] = await Promise.all(['a', 'b'].map((name) => pullBundle(registry, name)));
    expect(first?.files).toBe(second?.files);
  });

  it.each<[failure: string, message: string, labels: Record<string, string>]>([
    [
      'Unsupported',
      'image registry.test/gear:1 is a bundle of type helm; registry+v1 is expected',
      { [BundleLabel.mediaType]: 'helm' },
    ],
    [
      'Unsupported',
      'image registry.test/gear:1 is a bundle of type "other"; registry+v1 is expected',
      { [BundleLabel.mediaType]: 'other' },
    ],
    [
      'Malformed',
      'image registry.test/gear:1 is not a bundle: it has no file in "/none/"',
      { [BundleLabel.manifests]: 'none/' },
    ],
  ])('is %s: %s', async (failure, message, labels) => {
    const pulled = pullBundle(new OneImage(paths, labels), 'registry.test/gear:1');
    await expect(pulled).rejects.toMatchObject({ failure, message });
    await expect(pulled).rejects.toBeInstanceOf(RegistryError);
  });
});

describe('pulls of bundles', () => {
  let registry: OneImage;
  let woken: number;
  beforeEach(() => {
    registry = new OneImage(['manifests/csv.yaml']);
    woken = 0;
  });
  const wanted = (image: string, timeoutMs = 0, credentials = {}) => ({ image, credentials, timeoutMs });
  const waiting = (ms = 1_000, signal = new AbortController().signal) => ({
    owner: OWNER,
    patience: new Patience(ms),
    signal,
    wake: () => {
      woken += 1;
    },
  });

  it('give bundles in the order in which they were asked for', async () => {
    const { bundles = [] } = Object(
      await BundlePulls.withoutTurns(registry).pull([wanted('b'), wanted('a')], waiting()),
    );
    expect([bundles.length, registry.pulls]).toEqual([2, ['b', 'a']]);
  });

  it('go on when the pass that asked has ended; it is woken once all are there, and finds them', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    registry.slow = promise;
    const pulls = BundlePulls.withoutTurns(registry);
    expect(await pulls.pull([wanted('a'), wanted('b')], waiting(1))).toEqual({ stillFetching: ['a', 'b'] });
    expect(await pulls.pull([wanted('a'), wanted('b')], waiting(1))).toEqual({ stillFetching: ['a', 'b'] });
    expect(woken).toBe(0);
    resolve();
    await expect.poll(() => woken, { interval: 1 }).toBe(1);
    expect(await pulls.pull([wanted('a'), wanted('b')], waiting(0))).toMatchObject({ bundles: [{}, {}] });
    expect(registry.pulls).toEqual(['a', 'b']);
  });

  it('of another login are apart', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    registry.slow = promise;
    const pulls = BundlePulls.withoutTurns(registry);
    await pulls.pull([wanted('a')], waiting(1));
    await pulls.pull([wanted('a', 0, { 'registry.test': {} })], waiting(1));
    expect(registry.pulls).toEqual(['a', 'a']);
    resolve();
  });

  it('that take longer than they may fail in the words of OLM', async () => {
    registry.slow = new Promise(() => undefined);
    const pulled = BundlePulls.withoutTurns(registry).pull([wanted('a', 10)], waiting(60_000));
    await expect(pulled).rejects.toMatchObject({
      code: 'UnpackTimeout',
      message: expect.stringMatching(/^DeadlineExceeded: the bundles were not fetched within 0\.01 s\./),
    });
  });

  it('end with the hub', async () => {
    registry.slow = new Promise(() => undefined);
    const pulls = BundlePulls.withoutTurns(registry);
    await pulls.pull([wanted('a')], waiting(1));
    pulls.stop();
    expect(registry.signals.map(({ aborted }) => aborted)).toHaveLength(1);
  });
});
