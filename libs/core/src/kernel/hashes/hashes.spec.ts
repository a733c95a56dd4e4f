import { describe, expect, it } from 'vitest';
import { escapedGoJson } from '../json/go-json-text.js';
import { base62, deepHash, fnv1a64Hex } from './digest.js';
import { alongsideAnnotationKey, apiHash, operatorGroupClusterRoleName } from './object-names.js';
import { bindingHash, clusterRoleName, MAX_RBAC_NAME_LENGTH, roleName, rulesHash } from './rbac-names.js';

const CSV = 'gear-operator.v2.3.4';
const rules = [{ verbs: ['list', 'watch'], apiGroups: ['apps'], resources: ['deployments'] }];
const permission = { serviceAccountName: 'gear-sa', rules };
const role = 'gear-operator.v2.3.4-gea-cil0owkzp7OE3blT3QSGd7XzGHjomdUyo8EuT7';

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

const published: readonly [what: string, computed: string, expected: string][] = [
  ['Role name, base cut to the limit of 63', roleName(CSV, permission), role],
  [
    'ClusterRole name, the namespace is hashed too',
    clusterRoleName(CSV, 'mill', permission),
    'gear-operator.v2.3.4-bx3W2T3Rwn3r0cMj3zozsmQe7fG9JAxTD8ZZAL',
  ],
  ['permissions hash of a Role', rulesHash(rules), 'BdS3iJcKd4YNUDEovrZIgKXVJnIFoLVuHZW1Y'],
  [
    'permissions hash of a RoleBinding',
    bindingHash({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role },
      subjects: [{ kind: 'ServiceAccount', name: 'gear-sa', namespace: 'mill' }],
    }),
    '9nlyfHqHotqixXYYmVnqiCWh1e3GowCArdpREz',
  ],
  ['API label', apiHash('Gear', 'v1alpha1', 'parts.example.org'), 'ee1dc1a9e47bf57e'],
  [
    'alongside annotation',
    alongsideAnnotationKey('mill', CSV),
    'operatorframework.io/installed-alongside-939a31b11017c3f1',
  ],
  [
    'ClusterRole of a group',
    operatorGroupClusterRoleName('mill', 'millers', 'view'),
    'olm.og.millers.view-62c4wTh5lJpu8eh0thrzz005HdPh78CogYBLIY',
  ],
];

describe('names and hashes that OLM gives', () => {
  it.each(published)('%s equals what the Go code computes', (_what, computed, expected) => {
    expect(computed).toBe(expected);
  });

  it('keeps every RBAC name within the limit, whatever the length of the parts', () => {
    const long = 'operator-with-a-very-long-name-that-goes-on.v10.20.30-rc.1';
    const name = roleName(long, { serviceAccountName: 'an-account-with-a-long-name', rules: [] });
    expect(name.length).toBeLessThanOrEqual(MAX_RBAC_NAME_LENGTH);
    expect(name.startsWith('operator-with-a-very-lon')).toBe(true);
  });

  it('does not depend on the key order of a rule, as a Go struct has its own', () => {
    const turned = [{ resources: ['deployments'], apiGroups: ['apps'], verbs: ['list', 'watch'] }];
    expect(rulesHash(turned)).toBe(rulesHash(rules));
  });
});

describe('the parts of a hash', () => {
  it('escapes what Go escapes in JSON strings', () => {
    expect(escapedGoJson({ a: '<b>&\u2028' })).toBe('{"a":"\\u003cb\\u003e\\u0026\\u2028"}');
  });

  it('writes base62 without padding, zero as one digit', () => {
    expect(base62(Uint8Array.of(0, 0))).toBe('0');
    expect(base62(Uint8Array.of(61))).toBe('Z');
    expect(base62(Uint8Array.of(1, 0))).toBe('48');
    expect(base62(new Uint8Array())).toBe('0');
  });

  it.each([1n, 61n, 62n ** 8n - 1n, 62n ** 8n, 62n ** 8n + 1n, 62n ** 16n, 62n ** 16n - 62n ** 8n, 62n ** 37n + 62n])(
    'writes %s in base62 digit by digit',
    (value) => {
      const hex = value.toString(16);
      const text = base62(Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex'));
      const digits = [...text].map((digit) => BigInt(DIGITS.indexOf(digit)));
      expect(digits.reduce((sum, digit) => sum * 62n + digit, 0n)).toBe(value);
      expect(text.startsWith('0')).toBe(false);
    },
  );

  it('writes digits in the order 0-9a-zA-Z', () => {
    expect([...DIGITS].map((_, value) => base62(Uint8Array.of(value))).join('')).toBe(DIGITS);
  });

  it('knows the offset basis of FNV-1a as the hash of nothing', () => {
    expect(fnv1a64Hex('')).toBe('cbf29ce484222325');
    expect(fnv1a64Hex('a')).toBe('af63dc4c8601ec8c');
  });

  it('tells values apart by key order, as the caller promises Go order', () => {
    expect(deepHash({ a: 1, b: 2 })).not.toBe(deepHash({ b: 2, a: 1 }));
  });
});
