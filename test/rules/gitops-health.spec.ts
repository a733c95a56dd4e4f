import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ALL_FLEET_KINDS } from '#core/kernel/api/fleet/fleet-kinds';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { HEALTH_CASES, type HealthCase, WITHOUT_HEALTH } from './gitops-cases.js';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

const Expressions = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  inProgress: z.string().optional(),
  failed: z.string().optional(),
  current: z.string(),
});
const Flux = z.looseObject({ spec: z.looseObject({ healthCheckExprs: z.array(Expressions) }) });
const checks = Flux.parse(parse(read('k8s/gitops/flux-kustomization.yaml'))).spec.healthCheckExprs;
const ConfigMap = z.looseObject({ data: z.record(z.string(), z.string()) });
const { data } = ConfigMap.parse(parse(read('k8s/gitops/argocd-cm.yaml')));

const environment = new Environment({ unlistedVariablesAreDyn: true });

/** The state of an object in the order of Flux: another generation, inProgress, failed, current. */
function fluxState({ object }: HealthCase): HealthCase['flux'] {
  const found = checks.find(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind);
  if (found === undefined) throw new Error(`no expression for ${object.kind}`);
  const { observedGeneration } = Object(object['status']);
  if (observedGeneration !== undefined && observedGeneration !== object.metadata.generation) return 'InProgress';
  const { inProgress = 'false', failed = 'false', current } = found;
  const order = [
    [inProgress, 'InProgress'],
    [failed, 'Failed'],
    [current, 'Current'],
  ] as const;
  // Numbers of an API server are whole: integers of CEL.
  const whole = JSON.parse(JSON.stringify(object), (_key, value) =>
    typeof value === 'number' ? BigInt(value) : value,
  );
  return order.find(([expression]) => environment.evaluate(expression, whole) === true)?.[1] ?? 'InProgress';
}

const WATCHED = [
  ...Object.keys(ALL_FLEET_KINDS).filter((kind) => !WITHOUT_HEALTH.includes(kind)),
  ...['CatalogSource', 'ClusterExtension', 'Subscription'],
].toSorted();

describe('k8s/gitops', () => {
  it('has health of every kind for both tools, and a case of each health', () => {
    const scripts = Object.keys(data).filter((key) => key.startsWith('resource.customizations.health.'));
    expect(scripts.map((key) => key.split('_').at(-1)).toSorted()).toEqual(WATCHED);
    expect(checks.map(({ kind }) => kind).toSorted()).toEqual(WATCHED);
    for (const kind of WATCHED) {
      const cases = HEALTH_CASES.filter(({ object }) => object.kind === kind);
      expect(new Set(cases.map(({ flux }) => flux)), kind).toEqual(new Set(['Current', 'InProgress', 'Failed']));
      expect(
        cases.map(({ argo }) => argo),
        kind,
      ).toEqual(expect.arrayContaining(['Healthy', 'Progressing', 'Degraded']));
    }
  });

  it.each(HEALTH_CASES)('Flux takes for $flux: $what', (one) => {
    expect(fluxState(one)).toBe(one.flux);
  });

  it('names for Argo CD the field managers of the hub, whose fields are no difference', () => {
    const ignored = Object.entries(data).filter(([key]) => key.includes('.ignoreDifferences.'));
    expect(ignored.length).toBeGreaterThan(0);
    for (const [, text] of ignored) {
      expect(parse(text)).toEqual({
        managedFieldsManagers: ['flotilla-poller', 'flotilla-applier', 'flotilla-fleet-controller'],
      });
    }
  });
});
