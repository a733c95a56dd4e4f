import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { linkTarget } from './entry-path.js';
import type { Refuse } from './image-manifest.js';

type Path = Readonly<{ path: readonly string[] }>;
type FileEntry<C> = Path &
  (
    | Readonly<{ kind: 'file'; size: number; content?: C }>
    | Readonly<{ kind: 'symlink'; target: string }>
    | Readonly<{ kind: 'hardlink'; target: readonly string[] }>
  );

export type Whiteout = Path & Readonly<{ kind: 'whiteout' }>;
type Opaque = Path & Readonly<{ kind: 'opaque' }>;

/**
 * One entry of a layer, in the layer's order. A file's `content` says where its bytes are, in memory or on
 * disk; it is absent for files that are not wanted.
 */
export type LayerEntry<C> = FileEntry<C> | (Path & Readonly<{ kind: 'directory' }>) | Whiteout | Opaque;

/**
 * A wanted file of the finished image. Several may share one content: names that are links to the same file.
 */
export type TreeFile<C> = Readonly<{ path: string; size: number; content: C }>;

/** `origin` is the path under which a file came: two hard links share one file. */
type File<C> = Readonly<{ kind: 'file'; origin: string; size: number; content?: C }>;
/** `layer`: the number of the layer that brought it. */
type Link = Readonly<{ kind: 'symlink'; target: string; layer: number }>;
type Directory<C> = { readonly kind: 'directory'; readonly children: Map<string, Node<C>> };
type Node<C> = File<C> | Link | Directory<C>;

const MAX_LINKS = 40;
/**
 * Directories that entries bring along by their paths alone; a layer of long, distinct paths
 * must not fill the memory.
 */
const MAX_DIRECTORIES = 500_000;
const newDirectory = <C>(): Directory<C> => ({ kind: 'directory', children: new Map() });

/** The names of an image's file tree: layers are laid over each other, nothing is written to disk. */
export class ImageTree<C> {
  readonly #root = newDirectory<C>();
  #directories = 0;
  /** The number of the layer that is laid over the others now. */
  #layer = 0;

  constructor(private readonly refuse: Refuse) {}

  /**
   * Lays one layer over what is there. Whiteouts hide lower layers only, wherever they
   * stand in their own layer.
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
    for (const { path, at, node } of this.#named(wanted)) {
      const { content, size, origin } = this.#followed(at, node);
      if (content === undefined) missing.add(origin);
      else files.push({ path, size, content });
    }
    return { files: files.toSorted((a, b) => byCodeUnit(a.path, b.path)), missing: [...missing] };
  }

  /**
   * Files with a wanted path, and where each is. What is wanted of a directory may be behind a link to one.
   */
  *#named(wanted: (path: string) => boolean): Generator<{ path: string; at: readonly string[]; node: File<C> | Link }> {
    for (const { path: at, node } of walk(this.#root, [])) {
      const path = at.join('/');
      if (wanted(path)) yield { path, at, node };
      else if (node.kind === 'symlink' && wanted(`${path}/x`)) {
        for (const inner of this.#behind(at, node)) {
          const name = [path, ...inner.path].join('/');
          if (wanted(name)) yield { path: name, at: [...inner.directory, ...inner.path], node: inner.node };
        }
      }
    }
  }

  /** Lists the directory behind a link; nothing if there is none. */
  *#behind(
    path: readonly string[],
    link: Link,
  ): Generator<{ directory: readonly string[]; path: readonly string[]; node: File<C> | Link }> {
    const directory = this.#throughLinks([...linkTarget(path, link.target, this.refuse), ''], path).slice(0, -1);
    const node = this.#at(directory);
    if (node?.kind !== 'directory') return;
    for (const inner of walk(node, [])) yield { directory, ...inner };
  }

  #hide(entry: Whiteout | Opaque): void {
    if (entry.kind === 'opaque') this.#parent([...entry.path, ''])?.children.clear();
    else this.#parent(entry.path)?.children.delete(entry.path.at(-1) ?? '');
  }

  #add(entry: LayerEntry<C>): void {
    const name = entry.path.at(-1);
    if (name === undefined || entry.kind === 'whiteout' || entry.kind === 'opaque') return;
    const parent = this.#directory(entry.path);
    if (entry.kind !== 'directory') parent.children.set(name, this.#nodeOf(entry));
    else if (parent.children.get(name)?.kind !== 'directory') parent.children.set(name, newDirectory());
  }

  #nodeOf(entry: FileEntry<C>): Node<C> {
    if (entry.kind === 'symlink') return { kind: 'symlink', target: entry.target, layer: this.#layer };
    const path = entry.path.join('/');
    if (entry.kind === 'file') {
      const { size, content } = entry;
      return { kind: 'file', origin: path, size, ...(content === undefined ? {} : { content }) };
    }
    const target = this.#parent(entry.target)?.children.get(entry.target.at(-1) ?? '');
    if (target !== undefined && target.kind !== 'directory') return target;
    throw this.refuse(
      'Malformed',
      `hard link "${path}" points to "${entry.target.join('/')}", which is ${target ? 'a directory' : 'not in the image'}`,
    );
  }

  /**
   * The directory of an entry, made if there is none. Container runtimes unpack each layer by itself: a link
   * to a directory is followed, within the image, if it came with the same layer. Whatever else is in the
   * way, a link of a lower layer too, is replaced.
   */
  #directory(path: readonly string[]): Directory<C> {
    return this.#steps(path, (directory, part) => {
      const made = newDirectory<C>();
      directory.children.set(part, made);
      if (++this.#directories <= MAX_DIRECTORIES) return made;
      throw this.refuse('TooLarge', `the image has more than ${MAX_DIRECTORIES} directories`);
    }) as Directory<C>;
  }

  /** The directory of an entry, links followed. Returns undefined if there is none. */
  #parent(path: readonly string[]): Directory<C> | undefined {
    return this.#steps(path, () => undefined);
  }

  /** Goes from the root to the directory of an entry; `make` gives the directories that are missing. */
  #steps(path: readonly string[], make: MakeDirectory<C>): Directory<C> | undefined {
    let way: readonly Directory<C>[] = [this.#root];
    let names = path.slice(0, -1);
    for (let at = 0, links = 0; at < names.length; at += 1) {
      const link = way.at(-1)?.children.get(names[at] ?? '');
      if (link?.kind !== 'symlink' || link.layer !== this.#layer) {
        const next = this.#step(way, names[at] ?? '', make);
        if (next === undefined) return undefined;
        way = next;
        continue;
      }
      if (++links > MAX_LINKS) throw this.refuse('Malformed', `link "${path.join('/')}" goes round in circles`);
      if (link.target.startsWith('/')) way = [this.#root];
      names = [...namesIn(link.target), ...names.slice(at + 1)];
      at = -1;
    }
    return way.at(-1);
  }

  /** The directories from the root to the one of that name. Above the root is the root. */
  #step(way: readonly Directory<C>[], name: string, make: MakeDirectory<C>): readonly Directory<C>[] | undefined {
    if (name === '..') return way.slice(0, Math.max(way.length - 1, 1));
    const directory = way.at(-1) ?? this.#root;
    const child = directory.children.get(name);
    const next = child?.kind === 'directory' ? child : make(directory, name);
    return next && [...way, next];
  }

  #at(path: readonly string[]): Node<C> | undefined {
    let node: Node<C> | undefined = this.#root;
    for (const part of path) node = node?.kind === 'directory' ? node.children.get(part) : undefined;
    return node;
  }

  /**
   * The file behind a path; symbolic links are resolved inside the image root, those in
   * the middle of a path too.
   */
  #followed(path: readonly string[], start: File<C> | Link): File<C> {
    let node: Node<C> | undefined = start;
    let at = path;
    for (let hops = 0; node?.kind === 'symlink'; hops++) {
      if (hops === MAX_LINKS) throw this.refuse('Malformed', `link "${path.join('/')}" goes round in circles`);
      at = this.#throughLinks(linkTarget(at, node.target, this.refuse), path);
      node = this.#at(at);
    }
    if (node?.kind === 'file') return node;
    const shown = start.kind === 'symlink' ? start.target : '';
    if (node !== undefined) {
      throw this.refuse('Malformed', `link "${path.join('/')}" points to "${shown}", which is a directory`);
    }
    const failure = shown.startsWith('/') ? 'UnsafePath' : 'Malformed';
    throw this.refuse(failure, `link "${path.join('/')}" points to "${shown}", which is not in the image`);
  }

  /** `path` with linked directories in its middle replaced by what they point to. */
  #throughLinks(path: readonly string[], origin: readonly string[]): readonly string[] {
    let current = path;
    for (let hops = 0; hops < MAX_LINKS; hops++) {
      const cut = current.findIndex((_, at) => this.#at(current.slice(0, at))?.kind === 'symlink');
      const link = this.#at(current.slice(0, Math.max(cut, 0)));
      if (cut < 0 || link?.kind !== 'symlink') return current;
      current = [...linkTarget(current.slice(0, cut), link.target, this.refuse), ...current.slice(cut)];
    }
    throw this.refuse('Malformed', `link "${origin.join('/')}" goes round in circles`);
  }
}

/** Gives a directory that is missing in another one. Returns undefined if there is to be none. */
type MakeDirectory<C> = (directory: Directory<C>, name: string) => Directory<C> | undefined;

const namesIn = (target: string): string[] => target.split('/').filter((name) => name !== '' && name !== '.');

function* walk<C>(
  directory: Directory<C>,
  path: readonly string[],
): Generator<{ path: readonly string[]; node: File<C> | Link }> {
  const pending: { path: readonly string[]; directory: Directory<C> }[] = [{ path, directory }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [name, node] of next.directory.children) {
      const at = [...next.path, name];
      if (node.kind === 'directory') pending.push({ path: at, directory: node });
      else yield { path: at, node };
    }
  }
}
