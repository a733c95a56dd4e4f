import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import type { Refuse } from '../../client/image-manifest.js';
import { FilesTooLarge } from '../../client/registry-client.port.js';
import type { RegistryLimits } from '../../client/registry-limits.js';
import { type ReadTarEntry, readTar } from '../tar/tar-reader.js';
import { checkTarget, entryPath, hardLinkTarget, linkTarget, shown } from './entry-path.js';
import type { FileSink } from './file-sink.js';
import type { LayerEntry, Whiteout } from './image-tree.js';
import { unpackedLayer } from './unpacked-layer.js';

/** Bytes that a few packed bytes may expand to: the bound on expansion is for layers that cost time. */
const FREE_EXPANSION_BYTES = 64 * 1024 * 1024;

/** The rest of an image's allowance; shared by its layers, one after the other. */
export class Allowance {
  #packed = 0;
  #unpacked = 0;
  #entries = 0;
  #wanted = 0;
  #nameCharacters = 0;

  constructor(
    readonly limits: RegistryLimits,
    readonly refuse: Refuse,
    /** Aborted when the caller does not want the image any more. */
    private readonly signal?: AbortSignal,
    /** Folder of the wanted files. */
    private readonly what = 'the files to read',
  ) {}

  throwIfAborted(): void {
    this.signal?.throwIfAborted();
  }

  /** Compressed bytes that have arrived. */
  feed(bytes: number): void {
    this.#packed += bytes;
  }

  unpack(bytes: number): void {
    this.throwIfAborted();
    this.#unpacked += bytes;
    this.#check(this.#unpacked, this.limits.unpackedBytes, 'bytes when unpacked');
    const { expansion } = this.limits;
    if (this.#unpacked <= FREE_EXPANSION_BYTES + expansion * this.#packed) return;
    throw this.refuse(
      'TooLarge',
      `the image's layers grow to more than ${expansion} times their size when unpacked: build the image without large empty files`,
    );
  }

  enter(): void {
    this.#check(++this.#entries, this.limits.entries, 'files');
  }

  /** Counts characters kept of an entry without its content: its name, and the target of a link. */
  name(characters: number): void {
    this.#nameCharacters += characters;
    this.#check(this.#nameCharacters, this.limits.nameCharacters, 'characters in the names of its files');
  }

  want(path: string, bytes: number): void {
    if (bytes > this.limits.fileBytes) {
      throw this.refuse('TooLarge', `file "${shown(path)}" has ${bytes} bytes; the limit is ${this.limits.fileBytes}`);
    }
    this.#wanted += bytes;
    this.#checkWanted(this.#wanted, '');
  }

  /** Links give one file many names: a reader of all of them reads its bytes as many times. */
  checkNamed(files: readonly Readonly<{ size: number }>[]): void {
    const total = files.reduce((sum, { size }) => sum + size, 0);
    this.#checkWanted(total, ', counting each name of a file');
  }

  #checkWanted(bytes: number, counted: string): void {
    const { wantedBytes } = this.limits;
    if (bytes <= wantedBytes) return;
    const { reference, message } = this.refuse(
      'TooLarge',
      `the image has more than ${wantedBytes} bytes in ${this.what}${counted}`,
    );
    throw new FilesTooLarge('TooLarge', reference, message);
  }

  #check(value: number, limit: number, what: string): void {
    if (value > limit) throw this.refuse('TooLarge', `the image has more than ${limit} ${what}`);
  }
}

export type IsWanted = (path: string) => boolean;

/** The wanted files of a layer, the sink for them, and the bounds. */
type Reading<C> = Readonly<{ wanted: IsWanted; sink: FileSink<C>; allowance: Allowance }>;

/**
 * Unpacks a layer as it arrives and gives the wanted files' bytes to the sink. Of all other entries only the
 * names are kept. Errors name `layer`.
 */
export async function readLayer<C>(
  packed: AsyncIterable<Uint8Array>,
  layer: string,
  reading: Reading<C>,
): Promise<LayerEntry<C>[]> {
  const { allowance } = reading;
  const entries: LayerEntry<C>[] = [];
  try {
    for await (const entry of readTar(counted(unpackedLayer(fed(packed, allowance)), allowance))) {
      allowance.enter();
      const read = await readEntry(entry, reading);
      if (read !== undefined) entries.push(read);
    }
  } catch (error) {
    allowance.throwIfAborted();
    if (error instanceof FlotillaError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw allowance.refuse('Malformed', `${layer} cannot be unpacked (${why}): push the image again`);
  }
  return entries;
}

async function* fed(packed: AsyncIterable<Uint8Array>, allowance: Allowance): AsyncGenerator<Uint8Array> {
  for await (const chunk of packed) {
    allowance.feed(chunk.length);
    yield chunk;
  }
}

async function* counted(chunks: AsyncIterable<Uint8Array>, allowance: Allowance): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    allowance.unpack(chunk.length);
    yield chunk;
  }
}

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';

async function readEntry<C>(
  { name: entryName, linkName, type, size, body }: ReadTarEntry,
  { wanted, sink, allowance }: Reading<C>,
): Promise<LayerEntry<C> | undefined> {
  const path = entryPath(entryName, allowance.refuse);
  // A part of a text keeps the whole of it in memory: the full name counts.
  allowance.name(entryName.length);
  const slash = path.lastIndexOf('/');
  const parent = path.slice(0, Math.max(slash, 0));
  const name = path.slice(slash + 1);
  if (name === OPAQUE) return { kind: 'opaque', path: parent };
  if (name.startsWith('.wh..wh.')) return undefined;
  if (name.startsWith(WHITEOUT)) return whiteout(parent, name, allowance.refuse);
  switch (type) {
    case 'file':
      if (!wanted(path)) return { kind: 'file', path, size };
      allowance.want(path, size);
      return { kind: 'file', path, size, content: await sink.keep(body, size) };
    case 'directory':
      return { kind: 'directory', path };
    case 'symlink':
      // Checked at once if it would be read; a link that is not followed may point anywhere.
      if (wanted(path)) linkTarget(path, linkName, allowance.refuse);
      else checkTarget(path, linkName, allowance.refuse);
      allowance.name(linkName.length);
      return { kind: 'symlink', path, target: linkName };
    case 'link': {
      const target = hardLinkTarget(path, linkName, allowance.refuse);
      allowance.name(linkName.length);
      return { kind: 'hardlink', path, target };
    }
    case 'other':
      return undefined;
  }
}

function whiteout(parent: string, name: string, refuse: Refuse): Whiteout {
  const hidden = name.slice(WHITEOUT.length);
  const below = (child: string) => (parent === '' ? child : `${parent}/${child}`);
  if (hidden === '' || hidden === '.' || hidden === '..') {
    throw refuse('UnsafePath', `layer entry "${shown(below(name))}" is a whiteout that names no file`);
  }
  return { kind: 'whiteout', path: below(hidden) };
}
