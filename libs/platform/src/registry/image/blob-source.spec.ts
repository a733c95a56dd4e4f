import { beforeEach, describe, expect, it } from 'vitest';
import type { Digest } from '../../content/content-store.port.js';
import { digestOf } from '../../content/digest.js';
import { MemoryContentStore } from '../../content/memory-content-store.js';
import { MemoryProvenance } from '../../content/memory-provenance.js';
import { parseImageReference } from '../client/image-reference.js';
import { RegistryError } from '../client/registry-client.port.js';
import type { RegistryTransport } from '../http/registry-transport.js';
import type { Session } from '../http/session.js';
import { BlobSource, collected } from './blob-source.js';
import type { Consume } from './verified-blob.js';

const BYTES = Buffer.from('bytes of a blob');
const MiB = 1024 * 1024;
const blob = (more: object = {}) => ({ mediaType: 'x', digest: digestOf(BYTES), size: BYTES.length, ...more });

/** URLs of the blobs that were asked for, and what the registry sends. */
let asked: string[];
let sent: () => AsyncGenerator<Uint8Array>;
let provenance: CountingProvenance;
let store: MemoryContentStore;
beforeEach(() => {
  asked = [];
  sent = async function* () {
    yield BYTES.subarray(0, 5);
    yield BYTES.subarray(5);
  };
  provenance = new CountingProvenance();
  store = new MemoryContentStore();
});

class CountingProvenance extends MemoryProvenance {
  questions = 0;
  override async has(digest: Digest, source: string): Promise<boolean> {
    this.questions += 1;
    return super.has(digest, source);
  }
}

const transport: Pick<RegistryTransport, 'url' | 'transfer' | 'resumed'> = {
  url: ({ host, repository }, path) => new URL(`https://${host}/v2/${repository}/${path}`),
  transfer: (_, url, work) => {
    asked.push(`${url.host}${url.pathname.slice('/v2'.length).split('/blobs/')[0]}`);
    return work();
  },
  resumed: () => sent(),
};
const sourceOf = (kept?: ConstructorParameters<typeof BlobSource>[1]) =>
  new BlobSource(transport as RegistryTransport, kept);

function session(image: string, { at = image, password }: Readonly<{ at?: string; password?: string }> = {}): Session {
  const reference = parseImageReference(at);
  return {
    source: parseImageReference(image),
    reference,
    credentials: password === undefined ? undefined : { [reference.host]: { username: 'u', password } },
    action: 'pull',
    loginsOf: 'cluster',
    signal: new AbortController().signal,
    refuse: (failure, message) => new RegistryError(failure, image, message),
  };
}
const text: Consume<string> = async (bytes) => Buffer.from(await collected(bytes)).toString();

describe('BlobSource', () => {
  it('asks the registry each time where nothing is kept', async () => {
    const source = sourceOf();
    expect(await source.read(session('r.test/a'), blob(), text)).toBe('bytes of a blob');
    expect(await source.read(session('r.test/a'), blob(), text)).toBe('bytes of a blob');
    expect(asked).toEqual(['r.test/a', 'r.test/a']);
  });

  it('takes from the store what the repository gave before', async () => {
    const source = sourceOf({ store, provenance });
    await source.read(session('r.test/a:v1'), blob(), text);
    expect(await source.read(session('r.test/a:v2'), blob(), text)).toBe('bytes of a blob');
    expect(asked).toEqual(['r.test/a']);
  });

  it('takes nothing from the store for a repository that did not give it', async () => {
    const source = sourceOf({ store, provenance });
    await store.put(BYTES);
    await source.read(session('r.test/a'), blob(), text);
    await source.read(session('r.test/b'), blob(), text);
    await source.read(session('other.test/a'), blob(), text);
    expect(asked).toEqual(['r.test/a', 'r.test/b', 'other.test/a']);
  });

  it('counts what a copy of the repository gave as given by the repository', async () => {
    const source = sourceOf({ store, provenance });
    await source.read(session('r.test/a', { at: 'copy.test/r/a' }), blob(), text);
    await source.read(session('r.test/a'), blob(), text);
    await source.read(session('copy.test/r/a'), blob(), text);
    expect(asked).toEqual(['copy.test/r/a', 'copy.test/r/a']);
  });

  it('asks again where the store has lost it', async () => {
    await sourceOf({ store, provenance }).read(session('r.test/a'), blob(), text);
    await sourceOf({ store: new MemoryContentStore(), provenance }).read(session('r.test/a'), blob(), text);
    expect(asked).toHaveLength(2);
  });

  it('asks once for two who want the same at the same time', async () => {
    const source = sourceOf({ store, provenance });
    const both = [1, 2].map(() => source.read(session('r.test/a'), blob(), text));
    expect(await Promise.all(both)).toEqual(['bytes of a blob', 'bytes of a blob']);
    expect(asked).toEqual(['r.test/a']);
  });

  it('does not have the second one fail with the first', async () => {
    const source = sourceOf({ store, provenance });
    const first = source.read(session('r.test/a'), blob(), () => Promise.reject(new Error('of the first alone')));
    const second = source.read(session('r.test/a'), blob(), text);
    await expect(first).rejects.toThrow('of the first alone');
    expect(await second).toBe('bytes of a blob');
  });

  it('asks anew for the others where the one that asks is ended', async () => {
    const source = sourceOf({ store, provenance });
    const whole = sent;
    sent = async function* () {
      sent = whole;
      yield BYTES.subarray(0, 5);
      throw new Error('of the first alone');
    };
    const all = await Promise.allSettled([1, 2, 3].map(() => source.read(session('r.test/a'), blob(), text)));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(asked).toEqual(['r.test/a', 'r.test/a']);
  });

  it.each([
    {
      because: 'with other logins',
      sessions: [session('r.test/a', { password: '1' }), session('r.test/a', { password: '2' })],
    },
    { because: 'for other repositories', sessions: [session('r.test/a'), session('r.test/b')] },
    { because: 'at another place', sessions: [session('r.test/a'), session('r.test/a', { at: 'copy.test/a' })] },
    {
      because: 'on behalf of another repository',
      sessions: [session('r.test/a', { at: 'copy.test/a' }), session('r.test/b', { at: 'copy.test/a' })],
    },
  ])('asks for each of two who ask at the same time $because', async ({ sessions }) => {
    const source = sourceOf({ store, provenance });
    await Promise.all(sessions.map((one) => source.read(one, blob(), text)));
    expect(asked).toHaveLength(2);
  });

  it('keeps nothing of a blob with another digest', async () => {
    const source = sourceOf({ store, provenance });
    sent = async function* () {
      yield Buffer.from('bytes of a BLOB');
    };
    await expect(source.read(session('r.test/a'), blob(), text)).rejects.toThrow(
      expect.objectContaining({ failure: 'DigestMismatch' }),
    );
    expect(await provenance.has(digestOf(BYTES), 'r.test/a')).toBe(false);
    expect(await store.holds(digestOf(Buffer.from('bytes of a BLOB')))).toBe(false);
  });

  it('gives the blob where the store is full', async () => {
    const full = Object.assign(new MemoryContentStore(), { put: () => Promise.reject(new Error('full')) });
    expect(await sourceOf({ store: full, provenance }).read(session('r.test/a'), blob(), text)).toBe('bytes of a blob');
  });

  it.each([
    { size: 64 * MiB, questions: 1, because: 'small blobs go through the store' },
    { size: 64 * MiB + 1, questions: 0, because: 'larger ones past it' },
  ])('$because', async ({ size, questions }) => {
    const source = sourceOf({ store, provenance });
    await expect(source.read(session('r.test/a'), blob({ size }), text)).rejects.toThrow(`of ${size} bytes`);
    expect(provenance.questions).toBe(questions);
  });

  it('streams past the store where that is asked for', async () => {
    const source = sourceOf({ store, provenance });
    expect(await source.stream(session('r.test/a'), blob(), text)).toBe('bytes of a blob');
    expect(await store.holds(digestOf(BYTES))).toBe(false);
  });
});
