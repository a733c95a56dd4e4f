import { describe, expect, it } from 'vitest';
import { imageReferenceProblem } from './image-reference.js';

const HEX = 'a'.repeat(64);

describe('imageReferenceProblem', () => {
  it.each([
    'busybox',
    'a/b',
    'localhost/a',
    'localhost:5000/a/b:t',
    'registry.example/a/b__c/d-e.f:v1.0.0_1',
    `registry.example/a@sha256:${HEX}`,
    `registry.example:5000/a:t@sha256:${HEX}`,
    'a_b.example/c',
    'Registry.example/ant',
  ])('accepts %s', (text) => expect(imageReferenceProblem(text)).toBeUndefined());

  it.each([
    ['registry.example/Ant/x:v1', 'invalid reference format: repository name must be lowercase'],
    ['Registry/ant', 'invalid reference format: repository name must be lowercase'],
    ['A_b.example/ant', 'repository name must be lowercase'],
    ['[2001:db8::1]:5000/a:t', 'invalid reference format'],
    ['x/y:a:b', 'invalid reference format'],
    ['registry.example/ant@sha256:abc', 'invalid reference format'],
    [`registry.example/ant@sha256:${HEX.slice(1)}`, 'invalid checksum digest length'],
    [`registry.example/ant@md5:${HEX.slice(32)}`, 'unsupported digest algorithm'],
    [`registry.example/ant@sha256:${HEX.toUpperCase()}`, 'invalid checksum digest format'],
    [HEX, `invalid repository name (${HEX}), cannot specify 64-byte hexadecimal strings`],
    [`${'a/'.repeat(140)}b`, 'repository name must not be more than 255 characters'],
    ['https://registry.example/a', 'invalid reference format'],
    [' a', 'invalid reference format'],
    ['a/', 'invalid reference format'],
    [`a${'-'.repeat(100_000)}`, 'invalid reference format'],
  ])('%s: %s', (text, problem) => expect(imageReferenceProblem(text)).toBe(problem));
});
