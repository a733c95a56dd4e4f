import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { crdChanges } from './crd-changes.js';

type Version = Readonly<{ name: string; served?: boolean; storage?: boolean; schema?: object }>;

const crd = (versions: readonly Version[], conversion?: string): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tugs.port.example.com' },
  spec: {
    ...(conversion === undefined ? {} : { conversion: { strategy: conversion } }),
    versions: versions.map(({ name, served = true, storage = false, schema }) => ({
      ...{ name, served, storage },
      ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema } }),
    })),
  },
});

describe('what a new CRD changes', () => {
  it.each<[why: string, before: KubernetesObject, after: KubernetesObject, changes: string[]]>([
    ['nothing', crd([{ name: 'v1' }]), crd([{ name: 'v1' }]), []],
    ['conversion None is the default', crd([{ name: 'v1' }]), crd([{ name: 'v1' }], 'None'), []],
    ['a version comes', crd([{ name: 'v1' }]), crd([{ name: 'v1' }, { name: 'v2' }]), ['adds v2']],
    ['a version goes', crd([{ name: 'v1' }, { name: 'v2' }]), crd([{ name: 'v2' }]), ['removes v1']],
    ['unserved', crd([{ name: 'v1' }]), crd([{ name: 'v1', served: false }]), ['no longer serves v1']],
    ['served again', crd([{ name: 'v1', served: false }]), crd([{ name: 'v1' }]), ['serves v1']],
    [
      'a field more; the order of keys is no change',
      crd([
        { name: 'v1', schema: { type: 'object', nullable: true } },
        { name: 'v2', schema: { type: 'object' } },
      ]),
      crd([
        { name: 'v1', schema: { nullable: true, type: 'object' } },
        { name: 'v2', schema: { type: 'object', maxProperties: 1 } },
      ]),
      ['changes the schema of v2'],
    ],
    [
      'what the API server leaves out when it stores a schema is no change',
      crd([
        {
          name: 'v1',
          schema: { type: 'object', properties: { nullable: { type: 'string' }, size: { type: 'integer' } } },
        },
      ]),
      crd([
        {
          name: 'v1',
          schema: {
            ...{ type: 'object', required: [], nullable: false, description: '' },
            properties: { nullable: { type: 'string', enum: [] }, size: { type: 'integer', exclusiveMinimum: false } },
          },
        },
      ]),
      [],
    ],
    [
      'a default that is empty is one all the same; so is a required field more',
      crd([{ name: 'v1', schema: { properties: { a: { type: 'array' } } } }]),
      crd([{ name: 'v1', schema: { properties: { a: { type: 'array', default: [] } }, required: ['a'] } }]),
      ['changes the schema of v1'],
    ],
    [
      'another storage version',
      crd([{ name: 'v1', storage: true }, { name: 'v2' }]),
      crd([{ name: 'v1' }, { name: 'v2', storage: true }]),
      ['stores v2 instead of v1'],
    ],
    ['a webhook', crd([{ name: 'v1' }]), crd([{ name: 'v1' }], 'Webhook'), ['converts by Webhook instead of None']],
  ])('%s', (_why, before, after, changes) => {
    expect(crdChanges(before, after)).toEqual(changes);
  });
});
