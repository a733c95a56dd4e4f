import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Refuse } from '../../client/image-manifest.js';
import { defaultRegistryLimits } from '../../client/registry-limits.js';
import { linkTarget, MAX_DEPTH, shown } from './entry-path.js';

/** Path below the image root, `/` between; empty for the root. */
type Path = Readonly<{ path: string }>;
type FileEntry<C> = Path &
  (
    | Readonly<{ kind: 'file'; size: number; content?: C }>
    | Readonly<{ kind: 'symlink'; target: string }>
    | Readonly<{ kind: 'hardlink'; target: string }>
  );

export type Whiteout = Path & Readonly<{ kind: 'whiteout' }>;
type Opaque = Path & Readonly<{ kind: 'opaque' }>;

/**
 * One entry of a layer, in the layer's order. A file's `content` is the place of its bytes, in memory or on
 * disk. It is absent for files that are not wanted.
 */
export type LayerEntry<C> = FileEntry<C> | (Path & Readonly<{ kind: 'directory' }>) | Whiteout | Opaque;

/**
 * A wanted file of the finished image. Several may share one content: names that are links to the same file.
 */
export type TreeFile<C> = Readonly<{ path: string; size: number; content: C }>;

/** A file. `origin`: the path that it came under. Two hard links share one file. */
type File<C> = Readonly<{ kind: 'file'; origin: string; size: number; content?: C }>;
/** `layer`: the number of the layer that brought it. */
type Link = Readonly<{ kind: 'symlink'; target: string; layer: number }>;
type Directory<C> = { readonly kind: 'directory'; readonly children: Map<string, Node<C>> };
type Node<C> = File<C> | Link | Directory<C>;
/** A file or link of the tree: the wanted `path`, and its place `at`. */
type Named<C> = Readonly<{ path: string; at: string; node: File<C> | Link }>;

const MAX_LINKS = 40;
/**
 * Directories that entries bring along by their paths alone; a layer of long, distinct paths
 * must not fill the memory.
 */
const MAX_DIRECTORIES = 500_000;
/** Directories that are gone through for an entry, on average over those that an image may have. */
const STEPS_OF_ENTRY = 64;
const newDirectory = <C>(): Directory<C> => ({ kind: 'directory', children: new Map() });

/** `entries`: files that may be wanted. `steps`: directories that are gone through, each time counted. */
type TreeBounds = Readonly<{ entries: number; steps: number }>;
export const treeBounds = (entries: number): TreeBounds => ({ entries, steps: entries * STEPS_OF_ENTRY });

/** The names of an image's file tree: layers are laid over each other, nothing is written to disk. */
export class ImageTree<C> {
  readonly #root = newDirectory<C>();
  #directories = 0;
  #steps = 0;
  /** The number of the layer that is laid over the others now. */
  #layer = 0;

  constructor(
    private readonly refuse: Refuse,
    private readonly bounds = treeBounds(defaultRegistryLimits.entries),
  ) {}

  /**
   * Lays one layer over the existing ones. Whiteouts hide lower layers only, at any position in their own
   * layer.
   */
  apply(layer: readonly LayerEntry<C>[]): void {
    this.#layer += 1;
    for (const entry of layer) if (entry.kind === 'whiteout' || entry.kind === 'opaque') this.#hide(entry);
    for (const entry of layer) this.#add(entry);
  }

  /**
   * The wanted files, links followed inside the image, sorted by path. `missing` names files that a wanted
   * path turned out to link to and that were read past: read the layers again wanting these too.
   */
  files(wanted: (path: string) => boolean): { files: readonly TreeFile<C>[]; missing: readonly string[] } {
    const files: TreeFile<C>[] = [];
    const missing = new Set<string>();
    let count = 0;
    for (const { path, at, node } of this.#named(wanted)) {
      if (++count > this.bounds.entries) {
        throw this.refuse(
          'TooLarge',
          `the image has more than ${this.bounds.entries} files, counting each name of a file`,
        );
      }
      const { content, size, origin } = this.#followed(at, node);
      if (content === undefined) missing.add(origin);
      else files.push({ path, size, content });
    }
    return { files: files.toSorted((a, b) => byCodeUnit(a.path, b.path)), missing: [...missing] };
  }

  /**
   * Returns files with a wanted path, with the place of each. Wanted files of a directory may be behind a
   * link to one.
   */
  *#named(wanted: (path: string) => boolean): Generator<Named<C>> {
    for (const { path, node } of walk(this.#root)) {
      if (wanted(path)) yield { path, at: path, node };
      else if (node.kind === 'symlink' && wanted(`${path}/x`)) yield* this.#behind(path, node, wanted);
    }
  }

  /** The wanted files of the directory behind a link; nothing if there is none. */
  *#behind(path: string, link: Link, wanted: (path: string) => boolean): Generator<Named<C>> {
    const target = linkTarget(path, link.target, this.refuse);
    const directory = target === '' ? '' : this.#throughLinks(`${target}/`, path).slice(0, -1);
    const node = this.#at(directory);
    if (node?.kind !== 'directory') return;
    for (const inner of walk(node)) {
      this.#step(1);
      const name = `${path}/${inner.path}`;
      if (wanted(name)) yield { path: name, at: below(directory, inner.path), node: inner.node };
    }
  }

  #hide({ kind, path }: Whiteout | Opaque): void {
    if (kind === 'opaque') this.#parent(below(path, '.'))?.children.clear();
    else this.#parent(path)?.children.delete(nameOf(path));
  }

  #add(entry: LayerEntry<C>): void {
    if (entry.path === '' || entry.kind === 'whiteout' || entry.kind === 'opaque') return;
    const name = nameOf(entry.path);
    const parent = this.#directory(entry.path);
    if (entry.kind !== 'directory') parent.children.set(name, this.#nodeOf(entry));
    else if (parent.children.get(name)?.kind !== 'directory') parent.children.set(name, newDirectory());
  }

  #nodeOf(entry: FileEntry<C>): Node<C> {
    if (entry.kind === 'symlink') return { kind: 'symlink', target: entry.target, layer: this.#layer };
    if (entry.kind === 'file') {
      const { path, size, content } = entry;
      return { kind: 'file', origin: path, size, ...(content === undefined ? {} : { content }) };
    }
    const target = this.#parent(entry.target)?.children.get(nameOf(entry.target));
    if (target !== undefined && target.kind !== 'directory') return target;
    const why = target ? 'a directory' : 'not in the image';
    throw this.refuse(
      'Malformed',
      `hard link "${shown(entry.path)}" points to "${shown(entry.target)}", which is ${why}`,
    );
  }

  /**
   * The directory of an entry, made if there is none. Container runtimes unpack each layer by itself: a link
   * to a directory is followed, within the image, if it came with the same layer. Whatever else is in the
   * way, a link of a lower layer too, is replaced.
   */
  #directory(path: string): Directory<C> {
    return this.#walked(path, (directory, part, depth) => {
      const made = newDirectory<C>();
      directory.children.set(part, made);
      if (depth > MAX_DEPTH) {
        throw this.refuse('TooLarge', `the image has directories deeper than ${MAX_DEPTH}, at "${shown(path)}"`);
      }
      if (++this.#directories <= MAX_DIRECTORIES) return made;
      throw this.refuse('TooLarge', `the image has more than ${MAX_DIRECTORIES} directories`);
    }) as Directory<C>;
  }

  /** The directory of an entry, links followed. Returns undefined if there is none. */
  #parent(path: string): Directory<C> | undefined {
    return this.#walked(path, () => undefined);
  }

  /** Goes from the root to the directory of an entry; `make` gives the directories that are missing. */
  #walked(path: string, make: MakeDirectory<C>): Directory<C> | undefined {
    const way: Directory<C>[] = [this.#root];
    let names = path.split('/').slice(0, -1);
    this.#step(names.length);
    for (let at = 0, links = 0; at < names.length; at += 1) {
      const name = names[at] ?? '';
      const link = way.at(-1)?.children.get(name);
      if (link?.kind !== 'symlink' || link.layer !== this.#layer) {
        if (!this.#enter(way, name, make)) return undefined;
        continue;
      }
      if (++links > MAX_LINKS) throw this.#circle(path);
      if (link.target.startsWith('/')) way.splice(1);
      names = [...namesIn(link.target), ...names.slice(at + 1)];
      this.#step(names.length);
      at = -1;
    }
    return way.at(-1);
  }

  /** Adds the directory of that name to the way from the root. Above the root is the root. */
  #enter(way: Directory<C>[], name: string, make: MakeDirectory<C>): boolean {
    if (name === '..') {
      if (way.length > 1) way.pop();
      return true;
    }
    const directory = way.at(-1) ?? this.#root;
    const child = directory.children.get(name);
    const next = child?.kind === 'directory' ? child : make(directory, name, way.length);
    if (next !== undefined) way.push(next);
    return next !== undefined;
  }

  #at(path: string): Node<C> | undefined {
    if (path === '') return this.#root;
    let node: Node<C> | undefined = this.#root;
    for (const part of path.split('/')) {
      this.#step(1);
      if (node?.kind !== 'directory') return undefined;
      node = node.children.get(part);
    }
    return node;
  }

  /**
   * The file behind a path; symbolic links are resolved inside the image root, those in
   * the middle of a path too.
   */
  #followed(path: string, start: File<C> | Link): File<C> {
    let node: Node<C> | undefined = start;
    let at = path;
    for (let hops = 0; node?.kind === 'symlink'; hops++) {
      if (hops === MAX_LINKS) throw this.#circle(path);
      at = this.#throughLinks(linkTarget(at, node.target, this.refuse), path);
      node = this.#at(at);
    }
    if (node?.kind === 'file') return node;
    const target = start.kind === 'symlink' ? start.target : '';
    const link = `link "${shown(path)}" points to "${shown(target)}", which is`;
    if (node !== undefined) throw this.refuse('Malformed', `${link} a directory`);
    throw this.refuse(target.startsWith('/') ? 'UnsafePath' : 'Malformed', `${link} not in the image`);
  }

  /** Returns `path` with linked directories in its middle replaced by their targets. */
  #throughLinks(path: string, origin: string): string {
    let current = path;
    for (let hops = 0; hops < MAX_LINKS; hops++) {
      const found = this.#firstLink(current);
      if (found === undefined) return current;
      current = below(linkTarget(found.at, found.link.target, this.refuse), current.slice(found.at.length + 1));
    }
    throw this.#circle(origin);
  }

  /** The first link in the middle of a path. */
  #firstLink(path: string): Readonly<{ at: string; link: Link }> | undefined {
    let directory = this.#root;
    for (let from = 0, slash = path.indexOf('/'); slash >= 0; from = slash + 1, slash = path.indexOf('/', from)) {
      this.#step(1);
      const node = directory.children.get(path.slice(from, slash));
      if (node?.kind === 'symlink') return { at: path.slice(0, slash), link: node };
      if (node?.kind !== 'directory') return undefined;
      directory = node;
    }
    return undefined;
  }

  #circle(path: string): Error {
    return this.refuse('Malformed', `link "${shown(path)}" goes round in circles`);
  }

  /** Entries that each go a long way, and links that each lead far, must not take the time of all others. */
  #step(count: number): void {
    this.#steps += count;
    const { steps } = this.bounds;
    if (this.#steps <= steps) return;
    throw this.refuse('TooLarge', `the paths and links of the image take more than ${steps} steps through directories`);
  }
}

/** Gives a directory that is missing in another one. Returns undefined if there is to be none. */
type MakeDirectory<C> = (directory: Directory<C>, name: string, depth: number) => Directory<C> | undefined;

const namesIn = (target: string): string[] => target.split('/').filter((name) => name !== '' && name !== '.');
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const below = (directory: string, path: string): string => (directory === '' ? path : `${directory}/${path}`);

/** The files and links below a directory. Holds one path at a time, however many directories there are. */
function* walk<C>(directory: Directory<C>): Generator<Readonly<{ path: string; node: File<C> | Link }>> {
  const open = [{ path: '', children: directory.children.entries() }];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { done, value } = last.children.next();
    if (done) {
      open.pop();
      continue;
    }
    const [name, node] = value;
    const path = below(last.path, name);
    if (node.kind === 'directory') open.push({ path, children: node.children.entries() });
    else yield { path, node };
  }
}
