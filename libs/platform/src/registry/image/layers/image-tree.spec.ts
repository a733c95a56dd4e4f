import { describe, expect, it } from 'vitest';
import type { Refuse } from '../../client/image-manifest.js';
import { RegistryError } from '../../client/registry-client.port.js';
import { ImageTree, type LayerEntry } from './image-tree.js';

type Entry = LayerEntry<string>;
const file = (path: string, content?: string): Entry => ({
  kind: 'file',
  path,
  size: content?.length ?? 9,
  ...(content === undefined ? {} : { content }),
});
const directory = (path: string): Entry => ({ kind: 'directory', path });
const symlink = (path: string, target: string): Entry => ({ kind: 'symlink', path, target });
const hardlink = (path: string, target: string): Entry => ({
  kind: 'hardlink',
  path,
  target,
});
const whiteout = (path: string): Entry => ({ kind: 'whiteout', path });
const opaque = (path: string): Entry => ({ kind: 'opaque', path });

function treeOf(layers: readonly (readonly Entry[])[], entries = 300, steps = 1_000_000): ImageTree<string> {
  const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', message);
  const tree = new ImageTree<string>(refuse, { entries, steps });
  for (const layer of layers) tree.apply(layer);
  return tree;
}
const everything = () => true;
const shown = (layers: readonly (readonly Entry[])[], wanted: (path: string) => boolean = everything) =>
  treeOf(layers)
    .files(wanted)
    .files.map(({ path, content }) => `${path}=${content}`);

describe('layers over each other', () => {
  it.each([
    { because: 'a file', layers: [[file('a/b', '1')]], files: ['a/b=1'] },
    { because: 'a later layer replaces a file', layers: [[file('a', '1')], [file('a', '2')]], files: ['a=2'] },
    { because: 'so does a later entry of a layer', layers: [[file('a', '1'), file('a', '2')]], files: ['a=2'] },
    { because: 'a whiteout hides a file', layers: [[file('a', '1'), file('b', '2')], [whiteout('a')]], files: ['b=2'] },
    {
      because: 'a whiteout hides a directory with all that is in it',
      layers: [[file('a/b/c', '1'), file('a/d', '2')], [whiteout('a/b')]],
      files: ['a/d=2'],
    },
    {
      because: 'a whiteout hides nothing of its own layer, not even behind the file',
      layers: [[file('a', '1')], [file('a', '2'), whiteout('a')]],
      files: ['a=2'],
    },
    {
      because: 'a whiteout of nothing',
      layers: [[file('a', '1')], [whiteout('b/c'), whiteout('a/b')]],
      files: ['a=1'],
    },
    {
      because: 'what a whiteout hid may come again',
      layers: [[file('a', '1')], [whiteout('a')], [file('a', '3')]],
      files: ['a=3'],
    },
    {
      because: 'an opaque directory hides what lower layers have in it',
      layers: [[file('d/a', '1'), file('d/e/b', '2'), file('c', '3')], [opaque('d')]],
      files: ['c=3'],
    },
    {
      because: 'and nothing of its own layer',
      layers: [[file('d/a', '1')], [file('d/b', '2'), opaque('d')]],
      files: ['d/b=2'],
    },
    {
      because: 'an opaque root',
      layers: [
        [file('a', '1'), file('b/c', '2')],
        [opaque(''), file('d', '3')],
      ],
      files: ['d=3'],
    },
    { because: 'opaque where no directory is', layers: [[file('a', '1')], [opaque('a'), opaque('b')]], files: ['a=1'] },
    {
      because: 'a directory that comes again keeps what it holds',
      layers: [[file('d/a', '1')], [directory('d'), file('d/b', '2')]],
      files: ['d/a=1', 'd/b=2'],
    },
    { because: 'a file replaces a directory', layers: [[file('d/a', '1')], [file('d', '2')]], files: ['d=2'] },
    { because: 'a directory replaces a file', layers: [[file('d', '1')], [directory('d')]], files: [] },
    { because: 'so does one that only a path needs', layers: [[file('d', '1')], [file('d/a', '2')]], files: ['d/a=2'] },
    {
      because: 'an entry below a link to a directory of its layer is in that directory',
      layers: [[file('v1/a', '1')], [symlink('d', 'v1'), file('d/b', '2')]],
      wanted: (path: string) => path.startsWith('v1/'),
      files: ['v1/a=1', 'v1/b=2'],
    },
    {
      because: 'whose directory may not be there yet',
      layers: [[symlink('d', '/v1/../v2'), file('d/b', '2')]],
      wanted: (path: string) => path.startsWith('v'),
      files: ['v2/b=2'],
    },
    {
      because: 'also a link that climbs above the root, which is the root',
      layers: [[symlink('a/d', '../../v1'), file('a/d/b', '2')]],
      wanted: (path: string) => path.startsWith('v1/'),
      files: ['v1/b=2'],
    },
    {
      because: 'a directory of an upper layer replaces a link of a lower one, as layers are unpacked one by one',
      layers: [[file('v1/a', '1'), symlink('d', 'v1')], [file('d/b', '2')]],
      files: ['d/b=2', 'v1/a=1'],
    },
    {
      because: 'a directory replaces a link to one',
      layers: [
        [file('v1/a', '1'), symlink('d', 'v1')],
        [directory('d'), file('d/b', '2')],
      ],
      files: ['d/b=2', 'v1/a=1'],
    },
    {
      because: 'what is wanted of a directory may be behind a link to one',
      layers: [[file('v1/a', '1'), file('v1/b/c', '2'), file('e', '3'), symlink('d', 'v1'), symlink('v1/l', '../e')]],
      wanted: (path: string) => path.startsWith('d/'),
      files: ['d/a=1', 'd/b/c=2', 'd/l=3'],
    },
    { because: 'an entry for the root itself', layers: [[directory(''), file('a', '1')]], files: ['a=1'] },
    {
      because: 'order of code units',
      layers: [[file('b', '1'), file('a/z', '2'), file('a-b', '3'), file('B', '4'), file('é', '5')]],
      files: ['B=4', 'a-b=3', 'a/z=2', 'b=1', 'é=5'],
    },
  ])('$because', ({ layers, files, wanted = everything }) => {
    expect(shown(layers, wanted)).toEqual(files);
  });

  it('refuses an entry below a link that goes round in circles', () => {
    expect(() => treeOf([[symlink('d', 'd'), file('d/a', '1')]])).toThrow('link "d/a" goes round in circles');
  });

  it('gives only what is wanted', () => {
    expect(shown([[file('a/b', '1'), file('c', '2')]], (path) => path.startsWith('a/'))).toEqual(['a/b=1']);
  });
});

describe('links', () => {
  const base = [file('real/a', '1'), file('real/deep/b', '2')];
  it.each([
    { because: 'beside it', links: [symlink('real/l', 'a')], path: 'real/l', content: '1' },
    { because: 'relative to its directory', links: [symlink('x/l', '../real/a')], path: 'x/l', content: '1' },
    { because: 'from the image root', links: [symlink('x/l', '/real/a')], path: 'x/l', content: '1' },
    { because: 'over another link', links: [symlink('l', 'm'), symlink('m', 'real/a')], path: 'l', content: '1' },
    {
      because: 'through a linked directory',
      links: [symlink('dir', 'real/deep'), symlink('l', 'dir/b')],
      path: 'l',
      content: '2',
    },
    {
      because: 'through a directory that is linked twice',
      links: [symlink('one', 'two'), symlink('two', '/real'), symlink('l', 'one/deep/b')],
      path: 'l',
      content: '2',
    },
    { because: 'a hard link', links: [hardlink('h', 'real/a')], path: 'h', content: '1' },
    { because: 'a hard link to a link', links: [symlink('s', 'real/a'), hardlink('h', 's')], path: 'h', content: '1' },
  ])('are followed: $because', ({ links, path, content }) => {
    expect(shown([base, links], (name) => name === path)).toEqual([`${path}=${content}`]);
  });

  it('lead to what the finished image has, not to what the layer of the link saw', () => {
    expect(shown([[symlink('l', 'a')], [file('a', '1')], [file('a', '2')]], (name) => name === 'l')).toEqual(['l=2']);
  });

  it('that are hard keep their file when its other name goes', () => {
    expect(shown([[file('a', '1')], [hardlink('h', 'a')], [whiteout('a')]])).toEqual(['h=1']);
  });

  it.each([
    {
      because: 'out of the image',
      links: [symlink('l', '../x')],
      failure: 'UnsafePath',
      says: 'points out of the image',
    },
    {
      because: 'to an absolute path that is not there',
      links: [symlink('l', '/etc/shadow')],
      failure: 'UnsafePath',
      says: 'link "l" points to "/etc/shadow", which is not in the image',
    },
    {
      because: 'to a path that is not there',
      links: [symlink('l', 'gone')],
      failure: 'Malformed',
      says: 'link "l" points to "gone", which is not in the image',
    },
    { because: 'to a directory', links: [symlink('l', 'real')], failure: 'Malformed', says: 'which is a directory' },
    { because: 'to itself', links: [symlink('l', 'l')], failure: 'Malformed', says: 'link "l" goes round in circles' },
    {
      because: 'to each other',
      links: [symlink('l', 'm'), symlink('m', 'l')],
      failure: 'Malformed',
      says: 'goes round in circles',
    },
    {
      because: 'through a directory that is linked to itself',
      links: [symlink('d', 'd'), symlink('l', 'd/a')],
      failure: 'Malformed',
      says: 'link "l" goes round in circles',
    },
    {
      because: 'out of the image through a linked directory',
      links: [symlink('d', '../../etc'), symlink('l', 'd/passwd')],
      failure: 'UnsafePath',
      says: 'points out of the image',
    },
  ])('that lead nowhere are refused where they are wanted: $because', ({ links, failure, says }) => {
    const tree = treeOf([base, links]);
    expect(() => tree.files((path) => path === 'l')).toThrow(
      expect.objectContaining({ failure, message: expect.stringContaining(says) }),
    );
    expect(tree.files((path) => path === 'real/a').files).toHaveLength(1);
  });

  it.each([
    { target: 'gone', says: 'hard link "h" points to "gone", which is not in the image' },
    { target: 'real', says: 'hard link "h" points to "real", which is a directory' },
    { target: 'real/a/b', says: 'which is not in the image' },
  ])('that are hard need a file: $says', ({ target, says }) => {
    expect(() => treeOf([base, [hardlink('h', target)]])).toThrow(
      expect.objectContaining({ failure: 'Malformed', message: expect.stringContaining(says) }),
    );
  });

  it('name the files that were read past, each once, under the name that they came with', () => {
    const layers = [
      [file('real/a'), hardlink('h', 'real/a'), symlink('s', 'h'), symlink('t', 'real/a'), file('k', '1')],
    ];
    const { files, missing } = treeOf(layers).files((path) => path !== 'real/a');
    expect(files.map(({ path }) => path)).toEqual(['k']);
    expect(missing).toEqual(['real/a']);
  });

  it('that show one large directory many times are refused at the number of files (R4)', () => {
    const links = Array.from({ length: 10 }, (_, at) => symlink(`l${at}`, 'real'));
    const tree = treeOf([base, links], 19);
    expect(() => tree.files((path) => /^l\d\//.test(path))).toThrow(
      expect.objectContaining({ failure: 'TooLarge', message: expect.stringContaining('more than 19 files') }),
    );
    expect(treeOf([base, links], 20).files((path) => /^l\d\//.test(path)).files).toHaveLength(20);
  });

  it('make no directory deeper than a path may be (R5)', () => {
    const deep = 'a/'.repeat(200);
    expect(() => treeOf([[symlink('l', deep), file(`l/${deep}x`, '1')]])).toThrow(
      expect.objectContaining({ failure: 'TooLarge', message: expect.stringContaining('deeper than 255') }),
    );
  });

  it.each([
    {
      because: 'that each entry goes through',
      layer: [symlink('l', 'd'.repeat(4)), file('l/a'), file('l/b')],
      steps: 3,
    },
    {
      because: 'that wanted links lead through',
      layer: [symlink('d', 'e'), symlink('m', 'd/x'), file('e/x', '1')],
      steps: 2,
    },
  ])('are followed for so many steps: $because (R5)', ({ layer, steps }) => {
    const open = (most: number) => treeOf([layer], 300, most).files((path) => path === 'm');
    expect(() => open(steps)).toThrow(
      expect.objectContaining({ failure: 'TooLarge', message: expect.stringContaining('steps') }),
    );
    expect(() => open(50)).not.toThrow();
  });

  it('carry the size of the file', () => {
    const { files } = treeOf([[file('a', 'four'), symlink('l', 'a')]]).files((path) => path === 'l');
    expect(files).toEqual([{ path: 'l', size: 4, content: 'four' }]);
  });
});
