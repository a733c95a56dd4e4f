import { describe, expect, it } from 'vitest';
import type { Subscription } from '../../kernel/api/subscription.js';
import { configFor, type PodSpec, type SubscriptionConfig, withConfig } from './subscription-config.js';

const pod = (extra: Record<string, unknown> = {}): PodSpec => ({
  containers: [{ name: 'manager', env: [{ name: 'MODE', value: 'default' }] }],
  ...extra,
});
const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } };
const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] };

describe('a Subscription config put into a pod', () => {
  it.each<{
    config: SubscriptionConfig;
    base?: Record<string, unknown>;
    result: Record<string, unknown>;
    because: string;
  }>([
    {
      config: {
        env: [
          { name: 'LEVEL', value: 'debug' },
          { name: 'MODE', value: 'mine' },
        ],
      },
      result: {
        containers: [
          {
            name: 'manager',
            env: [
              { name: 'MODE', value: 'mine' },
              { name: 'LEVEL', value: 'debug' },
            ],
          },
        ],
      },
      because: 'env of the same name is replaced in place, new ones follow',
    },
    {
      config: { envFrom: [{ configMapRef: { name: 'a' } }] },
      base: { containers: [{ name: 'manager', envFrom: [{ configMapRef: { name: 'a' } }] }] },
      result: { containers: [{ name: 'manager', envFrom: [{ configMapRef: { name: 'a' } }] }] },
      because: 'an equal envFrom is not added twice',
    },
    {
      config: {
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'more', emptyDir: {} },
        ],
      },
      base: { volumes: [{ name: 'data', hostPath: { path: '/' } }] },
      result: {
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'more', emptyDir: {} },
        ],
      },
      because: 'a volume of the same name is replaced whole',
    },
    {
      config: {
        volumeMounts: [
          { name: 'data', mountPath: '/a' },
          { name: 'data', mountPath: '/b' },
        ],
      },
      result: {
        containers: [
          {
            name: 'manager',
            env: [{ name: 'MODE', value: 'default' }],
            volumeMounts: [
              { name: 'data', mountPath: '/a' },
              { name: 'data', mountPath: '/b' },
            ],
          },
        ],
      },
      because: 'a volume may be mounted twice',
    },
    {
      config: {
        volumes: [
          { name: 'more', emptyDir: {} },
          { name: 'data', emptyDir: {} },
        ],
      },
      base: { volumes: [{ name: 'data', hostPath: { path: '/' } }] },
      result: {
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'more', emptyDir: {} },
        ],
      },
      because: 'a volume is replaced also where it stands behind a new one, which OLM forgets',
    },
    {
      config: { volumeMounts: [{ name: 'data', mountPath: '/mine' }] },
      base: {
        containers: [
          {
            name: 'manager',
            volumeMounts: [
              { name: 'data', mountPath: '/a' },
              { name: 'data', mountPath: '/b' },
            ],
          },
        ],
      },
      result: {
        containers: [
          {
            name: 'manager',
            volumeMounts: [
              { name: 'data', mountPath: '/mine' },
              { name: 'data', mountPath: '/b' },
            ],
          },
        ],
      },
      because: 'of several mounts of a volume the first is replaced',
    },
    {
      config: { tolerations: [{ key: 'sea', operator: 'Exists' }] },
      base: { tolerations: [{ operator: 'Exists', key: 'sea' }] },
      result: { tolerations: [{ operator: 'Exists', key: 'sea' }] },
      because: 'key order makes no toleration a new one',
    },
    {
      config: { resources: { limits: { memory: '64Mi' } } },
      base: { containers: [{ name: 'manager', resources: { requests: { cpu: '1' } } }] },
      result: { containers: [{ name: 'manager', resources: { limits: { memory: '64Mi' } } }] },
      because: 'resources are replaced whole, not merged',
    },
    {
      config: { nodeSelector: {} },
      base: { nodeSelector: { disk: 'ssd' } },
      result: { nodeSelector: {} },
      because: 'an empty node selector still replaces',
    },
    {
      config: { affinity: { nodeAffinity } },
      base: { affinity: { podAffinity } },
      result: { affinity: { podAffinity, nodeAffinity } },
      because: 'one sub-field of the affinity leaves the others',
    },
    {
      config: { affinity: { nodeAffinity: {} } },
      base: { affinity: { podAffinity, nodeAffinity } },
      result: { affinity: { podAffinity } },
      because: 'an empty sub-field clears its own',
    },
    {
      config: { affinity: { nodeAffinity: {} } },
      base: { affinity: { nodeAffinity } },
      result: { affinity: undefined },
      because: 'an affinity of which nothing is left goes',
    },
    {
      config: { affinity: { nodeAffinity: {}, podAffinity } },
      result: { affinity: { nodeAffinity: {}, podAffinity } },
      because: 'where there is none, the affinity is taken as it stands',
    },
    {
      config: { affinity: { podAntiAffinity: {} } },
      base: { affinity: { podAffinity, nodeAffinity } },
      result: { affinity: undefined },
      because: 'an empty podAntiAffinity clears everything, as measured in OLM',
    },
    {
      config: { affinity: {} },
      base: { affinity: { podAffinity } },
      result: { affinity: undefined },
      because: 'so does {}',
    },
    {
      config: { env: [{ name: 'A', value: '1' }] },
      base: { initContainers: [{ name: 'init' }] },
      result: { initContainers: [{ name: 'init' }] },
      because: 'init containers are left alone',
    },
  ])('$because', ({ config, base, result }) => {
    const configured: Record<string, unknown> = withConfig(pod(base), config);
    for (const [field, value] of Object.entries(result)) expect(configured[field]).toEqual(value);
  });
});

describe('whose config counts', () => {
  const subscription = (name: string, installedCSV: string, env: unknown): Subscription => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name, namespace: 'mill' },
    spec: { name: 'gear', source: 'shelf', sourceNamespace: 'mill', config: { env } },
    status: { installedCSV },
  });

  it('is that of the Subscription that installed the CSV, the first by name', () => {
    const configs = [
      subscription('b', 'gear.v1', []),
      subscription('a', 'gear.v1', [{ name: 'A' }]),
      subscription('0', 'other.v1', []),
    ];
    expect(configFor('gear.v1', configs)).toEqual({ env: [{ name: 'A' }] });
  });

  it('is empty when none did, or when it is no config at all', () => {
    expect(configFor('gear.v2', [subscription('a', 'gear.v1', [])])).toEqual({});
    expect(configFor('gear.v1', [subscription('a', 'gear.v1', 'not a list')])).toEqual({});
  });
});
