import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, equal, isObject, type JsonObject, objectAt } from '../objects/json.js';
import { invalidValue, required, type StatusCause } from '../objects/refusal.js';
import type { KindStrategy } from './kind-strategy.js';
import { podSpecDefaults, templateDefaults } from './pod-defaults.js';

const specOf = (object: ApiObject): JsonObject => objectAt(object, 'spec') ?? {};

const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } };

function rollingDefaults(strategy: unknown): unknown {
  if (!isObject(strategy) || strategy.type === undefined) return ROLLING;
  if (strategy.type !== 'RollingUpdate') return strategy;
  return { ...strategy, rollingUpdate: { ...ROLLING.rollingUpdate, ...objectAt(strategy, 'rollingUpdate') } };
}

function templateFaults(object: ApiObject, live: ApiObject | undefined): StatusCause[] {
  const spec = specOf(object);
  const faults: StatusCause[] = [];
  const selector = objectAt(spec, 'selector');
  const labels = objectAt(spec, 'template', 'metadata', 'labels') ?? {};
  const wanted = Object.entries(objectAt(selector, 'matchLabels') ?? {});
  if (selector === undefined) faults.push(required('spec.selector'));
  else if (wanted.some(([key, value]) => labels[key] !== value)) {
    faults.push(invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  if (arrayAt(spec, 'template', 'spec', 'containers').length === 0)
    faults.push(required('spec.template.spec.containers'));
  if (live !== undefined && !equal(specOf(live).selector, selector)) {
    faults.push(invalidValue('spec.selector', selector ?? null, 'field is immutable'));
  }
  return faults;
}

export const deployments: KindStrategy = {
  defaults: (object) => ({
    ...object,
    spec: {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...templateDefaults(specOf(object)),
      strategy: rollingDefaults(specOf(object).strategy),
    },
  }),
  prepare: (object, live) => (live === undefined ? { ...object, status: {} } : object),
  validate: templateFaults,
};

export const replicaSets: KindStrategy = {
  defaults: (object) => ({ ...object, spec: { replicas: 1, ...templateDefaults(specOf(object)) } }),
  validate: templateFaults,
};

export const statefulSets: KindStrategy = {
  defaults: (object) => ({
    ...object,
    spec: {
      replicas: 1,
      revisionHistoryLimit: 10,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...templateDefaults(specOf(object)),
    },
  }),
  validate: templateFaults,
};

export const daemonSets: KindStrategy = {
  defaults: (object) => ({
    ...object,
    spec: {
      revisionHistoryLimit: 10,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...templateDefaults(specOf(object)),
    },
  }),
  validate: templateFaults,
};

export const pods: KindStrategy = {
  defaults: (object) => ({ ...object, spec: { enableServiceLinks: true, ...podSpecDefaults(specOf(object)) } }),
  prepare: (object, live) =>
    live === undefined ? { ...object, status: { phase: 'Pending', qosClass: 'BestEffort' } } : object,
};
