import { describe, expect, it } from 'vitest';
import type { Refuse } from '../../client/image-manifest.js';
import { RegistryError } from '../../client/registry-client.port.js';
import { entryPath, linkTarget } from './entry-path.js';

const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', message);
const refusal = (failure: string, says: string) =>
  expect.objectContaining({ failure, message: expect.stringContaining(says) });

describe('entryPath', () => {
  it.each([
    { name: 'a', path: 'a', because: 'a plain name' },
    { name: 'a/b/c.yaml', path: 'a/b/c.yaml', because: 'a path' },
    { name: './a/b', path: 'a/b', because: 'a leading "./" is dropped' },
    { name: 'a/./b', path: 'a/b', because: 'so is one in the middle' },
    { name: 'a/b/', path: 'a/b', because: 'and a closing slash' },
    { name: 'a//b', path: 'a/b', because: 'two slashes are one' },
    { name: '/etc/passwd', path: 'etc/passwd', because: 'an absolute path begins at the root of the image' },
    { name: '//a', path: 'a', because: 'with any number of slashes' },
    { name: 'a/../b', path: 'b', because: 'a path that leaves a directory again' },
    { name: 'a/..', path: '', because: 'up to the root' },
    { name: './', path: '', because: 'the root itself' },
    { name: '', path: '', because: 'no name at all' },
    { name: '..a/b../...', path: '..a/b../...', because: 'names that only begin or end with two dots' },
    { name: ' a\n', path: ' a\n', because: 'white space belongs to the name' },
    { name: 'a'.repeat(4096), path: 'a'.repeat(4096), because: 'as long as a path may be' },
    { name: 'd/'.repeat(255), path: Array<string>(255).fill('d').join('/'), because: 'as deep as a path may be' },
  ])('$because', ({ name, path }) => {
    expect(entryPath(name, refuse)).toBe(path);
  });

  it.each([
    { name: '../x', failure: 'UnsafePath', says: '"../x" climbs out of the image' },
    { name: '/../x', failure: 'UnsafePath', says: 'climbs out' },
    { name: 'a/../../x', failure: 'UnsafePath', says: 'climbs out' },
    { name: 'a\0b', failure: 'UnsafePath', says: 'has a NUL in its path' },
    { name: 'a'.repeat(4097), failure: 'UnsafePath', says: 'an entry name of 4097 characters' },
    { name: 'd/'.repeat(256), failure: 'TooLarge', says: '256 directories deep' },
  ])('refuses: $says', ({ name, failure, says }) => {
    expect(() => entryPath(name, refuse)).toThrow(refusal(failure, says));
  });

  it('quotes no overlong name', () => {
    expect(() => entryPath('x'.repeat(100_000), refuse)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('xxx') }),
    );
  });
});

describe('linkTarget', () => {
  it.each([
    { link: 'bin/sh', target: 'bash', path: 'bin/bash', because: 'beside the link' },
    { link: 'bin/sh', target: './bash', path: 'bin/bash', because: 'beside the link, with "./"' },
    { link: 'bin/sh', target: '../lib/x', path: 'lib/x', because: 'in another directory' },
    { link: 'a/b/c', target: '../../d', path: 'd', because: 'just at the root' },
    { link: 'a/b/c', target: '..', path: 'a', because: 'a directory above' },
    { link: 'sh', target: 'a//b/', path: 'a/b', because: 'slashes that say nothing' },
    { link: 'a/b', target: '/etc/x', path: 'etc/x', because: 'an absolute target begins at the image root' },
    { link: 'a/b', target: '/../../etc/x', path: 'etc/x', because: 'above "/" is "/" again, as in a container' },
    { link: 'a/b', target: '/', path: '', because: 'the root' },
    { link: 'a/b', target: 'c/../d', path: 'a/d', because: 'down and up again' },
  ])('$link -> $target: $because', ({ link, target, path }) => {
    expect(linkTarget(link, target, refuse)).toBe(path);
  });

  it.each([
    { link: 'sh', target: '../x', says: 'link "sh" points out of the image to "../x"' },
    { link: 'a/sh', target: '../../x', says: 'link "a/sh" points out of the image' },
    { link: 'a/sh', target: 'b/../../../x/y', says: 'points out of the image' },
    { link: 'a/sh', target: 'x'.repeat(4097), says: 'link "a/sh" has an overlong target' },
  ])('refuses: $says', ({ link, target, says }) => {
    expect(() => linkTarget(link, target, refuse)).toThrow(refusal('UnsafePath', says));
  });
});
