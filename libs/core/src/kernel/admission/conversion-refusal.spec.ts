import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import {
  conversionIn,
  definesConverted,
  likelyCrdNames,
  namedConversions,
  whoseConversion,
} from './conversion-refusal.js';

const FAILED = 'conversion webhook for shop.example.com/v1alpha1, Kind=Cart failed: Post';
const SAID = `${FAILED} "https://carts.shop.svc:443/convert?timeout=30s": service "carts" not found`;
const cart = { group: 'shop.example.com', kind: 'Cart', service: { namespace: 'shop', name: 'carts' } };

const crd = (clientConfig: object, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'carts.shop.example.com', ...metadata },
  spec: {
    group: 'shop.example.com',
    names: { kind: 'Cart', plural: 'carts' },
    conversion: { strategy: 'Webhook', webhook: { clientConfig } },
  },
});
const served = crd({ service: { namespace: 'shop', name: 'carts', path: '/convert' } });
const OF = 'the conversion webhook is of CustomResourceDefinition carts.shop.example.com';

describe('an answer of the API server', () => {
  it.each([
    [SAID, cart],
    [`${FAILED} "https://carts.shop.svc/convert": EOF`, cart],
    [`${FAILED} "https://hooks.example.com/x": EOF`, { ...cart, service: undefined }],
    [
      'Internal error occurred: error resolving resource: conversion webhook for shop.example.com/v1, Kind=Cart returned 0 objects, expected 1',
      { ...cart, service: undefined },
    ],
    ['Internal error occurred: failed calling webhook "a.example.com": EOF', undefined],
    ['carts.shop.example.com "x" not found', undefined],
  ])('%s', (said, expected) => {
    expect(conversionIn(said)).toEqual(expected);
  });
});

describe('a conversion webhook that stopped a request', () => {
  it.each([
    ['of nobody', served, `${OF} (service shop/carts)`],
    ['at a URL', crd({ url: 'https://hooks.example.com' }), `${OF} (service shop/carts)`],
    [
      'of a Helm release',
      crd(
        { service: { namespace: 'shop', name: 'other' } },
        { annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'ops' } },
      ),
      `${OF} (service shop/other), and belongs to Helm release ops/shop`,
    ],
    [
      'whose CRD cannot be read',
      undefined,
      'the conversion webhook is of kind Cart of group shop.example.com (service shop/carts)',
    ],
  ])('%s is named', (_, definition, text) => {
    expect(whoseConversion(cart, definition)).toBe(text);
  });

  it('is found again in a message', () => {
    const message = `${SAID}; ${whoseConversion(cart, served)}`;
    expect(namedConversions(message)).toEqual([{ crd: 'carts.shop.example.com', service: cart.service }]);
    const atUrl = whoseConversion({ ...cart, service: undefined }, crd({ url: 'https://hooks.example.com' }));
    expect(namedConversions(atUrl)).toEqual([{ crd: 'carts.shop.example.com', service: undefined }]);
    expect(namedConversions(SAID)).toEqual([]);
  });

  it('has a CRD of a likely name, which is compared', () => {
    expect(likelyCrdNames(cart)).toContain('carts.shop.example.com');
    expect(likelyCrdNames({ ...cart, kind: 'Policy' })).toContain('policies.shop.example.com');
    expect(likelyCrdNames({ ...cart, kind: 'Mesh' })).toContain('meshes.shop.example.com');
    expect(definesConverted(cart, served)).toBe(true);
    expect(definesConverted({ ...cart, kind: 'Shelf' }, served)).toBe(false);
    expect(definesConverted({ ...cart, group: 'other.example.com' }, served)).toBe(false);
  });
});
