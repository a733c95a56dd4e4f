import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { SeededDraws } from '../seeded-draws.js';
import { type ArchiveEntry, paxBlocks, tarArchive } from './tar-archive.js';

type Digest = `sha256:${string}`;
type Blob = Readonly<{ mediaType: string; digest: Digest; bytes: Uint8Array }>;

/** An image of an odd shape: its blobs, its documents (the named one is the last), and its files. */
export type OddImage = Readonly<{
  blobs: readonly Blob[];
  documents: readonly Blob[];
  /** Files of a container below `manifests` and `metadata`, by path. */
  files: ReadonlyMap<string, string>;
}>;

const OCI = 'application/vnd.oci.image';
const LAYER_TYPES = ['layer.v1.tar', 'layer.v1.tar+gzip', 'layer.v1.tar+zstd', 'layer.nondistributable.v1.tar+gzip'];

/** The image of a seed, the same for the same seed. */
export function oddImage(seed: number): OddImage {
  const draws = new SeededDraws(seed);
  const system = new ModelFiles(draws);
  const layers = Array.from({ length: draws.between(1, 5) }, () => {
    const tar = archiveOf(system.layer(), draws);
    return blob(`${OCI}.${draws.oneOf(LAYER_TYPES)}`, packed(tar, draws));
  });
  const config = blob(`${OCI}.config.v1+json`, json({ architecture: 'amd64', os: 'linux', config: { Labels: null } }));
  const document = { schemaVersion: 2, config: described(config), layers: layers.map((one) => described(one)) };
  const manifest = blob(`${OCI}.manifest.v1+json`, json(document));
  return { blobs: [config, ...layers], documents: indexed(manifest, draws), files: system.wanted() };
}

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const blob = (mediaType: string, bytes: Uint8Array): Blob => ({
  mediaType,
  digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  bytes,
});
const described = ({ mediaType, digest, bytes }: Blob, more: object = {}) => ({
  mediaType,
  digest,
  size: bytes.length,
  ...more,
});

/** The manifest alone, or behind an index, or behind an index in an index. */
function indexed(manifest: Blob, draws: SeededDraws): readonly Blob[] {
  const annotations = { 'example.com/made': 'yes' };
  const indexOf = (...manifests: object[]) =>
    blob(`${OCI}.index.v1+json`, json({ schemaVersion: 2, annotations, manifests }));
  const attestation = described(manifest, { platform: { os: 'unknown', architecture: 'unknown' } });
  const onAmd = described(manifest, { platform: { os: 'linux', architecture: 'amd64' }, annotations });
  const inner = indexOf(attestation, onAmd);
  return draws.oneOf([[manifest], [manifest, inner], [manifest, inner, indexOf(described(inner))]]);
}

function archiveOf(entries: readonly ArchiveEntry[], draws: SeededDraws): Buffer {
  const prefix = draws.oneOf(['', '', './', '/']);
  const named = entries.map((entry) => ({
    ...entry,
    name: prefix + entry.name,
    ...(entry.type === 'link' && { link: prefix + entry.link }),
  }));
  const records = [['comment', 'made'] as const, ['path', 'nowhere'] as const];
  const forAll = draws.between(0, 4) === 0 ? paxBlocks(records, 'g') : [];
  return Buffer.concat([...forAll, tarArchive(named, draws.between(0, 3) > 0)]);
}

function packed(tar: Buffer, draws: SeededDraws): Uint8Array {
  const cut = draws.between(0, tar.length);
  const halves = [tar.subarray(0, cut), tar.subarray(cut)];
  return draws.oneOf([
    () => Uint8Array.from(tar),
    () => gzipSync(tar, { level: 1 }),
    () => zstdCompressSync(tar),
    () => Buffer.concat(halves.map((half) => gzipSync(half, { level: 1 }))),
    () => Buffer.concat(halves.map((half) => zstdCompressSync(half))),
  ])();
}

const WANTED = ['manifests', 'metadata'];
const UNWANTED = ['licenses', 'usr/share/doc', 'data'];
const LONG = `${'long/'.repeat(24)}name`;

/** The files of a container while layers are laid over each other. A link has the content of its target. */
class ModelFiles {
  readonly #files = new Map<string, string>();
  /** Targets of links. They are never removed. */
  readonly #kept = new Set<string>();
  /** Hard links never lead to these: a relative target would be read from the place of the hard link. */
  readonly #symlinks = new Set<string>();
  /** Paths that the current layer has written. */
  #own = new Set<string>();
  #count = 0;

  constructor(private readonly draws: SeededDraws) {}

  /** Entries of one more layer, laid over the files. */
  layer(): ArchiveEntry[] {
    this.#own = new Set();
    const lower = [...this.#files.keys()].filter((path) => !this.#kept.has(path));
    const hidden = this.#hidden(lower);
    const entries = Array.from({ length: this.draws.between(0, 7) }, () => this.#entry()).flat();
    // A whiteout hides only files of lower layers, at any position in its own layer.
    return this.draws.between(0, 1) === 0 ? [...hidden, ...entries] : [...entries, ...hidden];
  }

  wanted(): ReadonlyMap<string, string> {
    return new Map([...this.#files].filter(([path]) => WANTED.includes(path.split('/')[0] ?? '')));
  }

  #hidden(lower: readonly string[]): ArchiveEntry[] {
    const form = this.draws.between(0, 5);
    if (lower.length === 0 || form > 1) return [];
    const path = this.draws.oneOf(lower);
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (form === 0) {
      this.#files.delete(path);
      return [{ name: `${folder}/.wh.${path.slice(folder.length + 1)}` }];
    }
    const inFolder = [...this.#files.keys()].filter((one) => one.startsWith(`${folder}/`));
    if (inFolder.some((one) => this.#kept.has(one))) return [];
    for (const one of inFolder) this.#files.delete(one);
    return [{ name: `${folder}/.wh..wh..opq` }];
  }

  #entry(): ArchiveEntry[] {
    const folder = this.draws.oneOf([...WANTED, ...UNWANTED]);
    const name = `${folder}/${this.draws.between(0, 9) === 0 ? `${LONG}-` : ''}f${this.#count++}`;
    switch (this.draws.between(0, 11)) {
      case 0:
        return [{ name: `${folder}/`, type: 'directory' }];
      case 1:
        return [{ name: `${folder}/pipe${this.#count}`, type: this.draws.oneOf(['pipe', 'device'] as const) }];
      case 2:
        return this.#link(name, 'link');
      case 3:
        return this.#link(name, 'symlink');
      case 4:
        return [...this.#file(name), ...this.#file(name)];
      case 5:
        return this.#again();
      default:
        return this.#file(name);
    }
  }

  #file(name: string): ArchiveEntry[] {
    const size = this.draws.oneOf([0, 1, 511, 512, 513, 3_000, 20_000]);
    const letter = String.fromCharCode(97 + this.draws.between(0, 25));
    const hole = '\0'.repeat(1024);
    const sparse = this.draws.between(0, 7) === 0 ? this.draws.oneOf(['old', '0.0', '0.1', '1.0'] as const) : undefined;
    const body = sparse === undefined ? letter.repeat(size) : `${hole}${letter.repeat(512)}${hole}`;
    this.#files.set(name, body);
    this.#own.add(name);
    return [{ name, body, longNames: this.draws.oneOf(['pax', 'gnu'] as const), ...(sparse && { sparse }) }];
  }

  /** Writes a file of a lower layer again. */
  #again(): ArchiveEntry[] {
    const paths = [...this.#files.keys()].filter((path) => !this.#kept.has(path) && !this.#own.has(path));
    return paths.length === 0 ? [] : this.#file(this.draws.oneOf(paths));
  }

  #link(name: string, type: 'link' | 'symlink'): ArchiveEntry[] {
    const targets = [...this.#files.keys()].filter((path) => type === 'symlink' || !this.#symlinks.has(path));
    if (targets.length === 0) return [];
    const target = this.draws.oneOf(targets);
    if (type === 'symlink') this.#symlinks.add(name);
    this.#files.set(name, this.#files.get(target) ?? '');
    for (const path of [name, target]) this.#kept.add(path);
    this.#own.add(name);
    const up = '../'.repeat(name.split('/').length - 1);
    const link = type === 'link' ? target : `${this.draws.oneOf(['/', up])}${target}`;
    return [{ name, type, link, longNames: this.draws.oneOf(['pax', 'gnu'] as const) }];
  }
}
