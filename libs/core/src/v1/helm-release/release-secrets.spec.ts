import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { deployedRelease, furtherChunks, releaseBytes } from './release-secrets.js';

const index = (version: string, parts: { status?: string; uid?: string; type?: string; leaving?: boolean } = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: parts.type ?? 'operatorframework.io/index.v1',
  metadata: {
    name: `gear.v${version}`,
    labels: { status: parts.status ?? 'deployed', version },
    ownerReferences: [{ apiVersion: 'x/v1', kind: 'ClusterExtension', name: 'gear', uid: parts.uid ?? 'uid' }],
    ...(parts.leaving && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const secret = (data: object, type = 'operatorframework.io/chunk.v1'): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'first' }, type, data },
});

describe('the release that is taken over', () => {
  it.each([
    { because: 'the highest number wins, not the last text', of: [index('9'), index('10')], name: 'gear.v10' },
    { because: 'a later one that failed is passed over', of: [index('1'), index('2', { status: 'failed' })] },
    { because: 'one of an earlier extension is none', of: [index('1'), index('2', { uid: 'earlier' })] },
    { because: 'one that is being deleted is none', of: [index('1'), index('2', { leaving: true })] },
    { because: 'another Secret with these labels is none', of: [index('1'), index('2', { type: 'Opaque' })] },
  ])('$because', ({ of, name = 'gear.v1' }) => {
    expect(deployedRelease(of, 'uid')?.metadata.name).toBe(name);
  });

  it('is none where none is deployed', () => {
    expect(deployedRelease([index('1', { status: 'superseded' })], 'uid')).toBeUndefined();
    expect(deployedRelease([index('1')], undefined)).toBeUndefined();
  });
});

describe('the Secrets of a release', () => {
  it.each([
    { of: 'no list', data: {}, error: 'it does not list the Secrets with its other parts' },
    { of: 'no JSON', data: { extraChunks: 'x' }, error: 'it does not list the Secrets with its other parts' },
    {
      of: 'names that lead elsewhere',
      data: { extraChunks: base64('["../../other/x"]') },
      error: 'it does not list the Secrets with its other parts',
    },
    {
      of: 'more than OLM v1 writes',
      data: { extraChunks: base64(JSON.stringify(Array.from({ length: 11 }, () => 'more'))) },
      error: 'it has parts in 11 more Secrets, but OLM v1 writes at most 11 in all',
    },
  ])('$of is refused', ({ data, error }) => {
    expect(furtherChunks(secret(data))).toEqual({ error });
  });

  it('are put together in order', () => {
    const first = secret({ chunk: base64('one'), extraChunks: base64('["second"]') }, 'operatorframework.io/index.v1');
    expect(furtherChunks(first)).toEqual(['second']);
    const bytes = releaseBytes(first, [['second', secret({ chunk: base64('two') })]]);
    expect(Buffer.from(bytes as Uint8Array).toString()).toBe('onetwo');
  });

  it.each([
    { of: 'a missing one', further: undefined, error: 'Secret second is missing' },
    {
      of: 'one of another type',
      further: secret({ chunk: 'x' }, 'Opaque'),
      error: 'Secret second contains no part of a release',
    },
    { of: 'an empty one', further: secret({}), error: 'Secret second contains no part of a release' },
    {
      of: 'one that is too large',
      further: secret({ chunk: 'x'.repeat(1.5 * 2 ** 20) }),
      error: 'Secret second is larger than any Secret that OLM v1 writes',
    },
  ])('$of is named', ({ further, error }) => {
    expect(releaseBytes(secret({ chunk: base64('one') }), [['second', further]])).toEqual({ error });
  });
});
