import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { AssignmentReport, countsOf } from '../../kernel/api/fleet/fleet-assignment.js';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import { ALL_FLEET_KINDS, type AnyFleetKind, type FleetObject, HUB_KINDS } from '../../kernel/api/fleet/fleet-kinds.js';
import { fleetCrd } from './custom-resource.js';
import { readFleetObject, specSchema } from './read-fleet-object.js';
import { brokenRules } from './rule-check.js';

const KINDS = Object.keys(ALL_FLEET_KINDS) as AnyFleetKind[];
const named = (kind: string, spec: object, metadata: object = { name: 'a', namespace: 'n' }) => ({
  apiVersion: FLEET_API,
  kind,
  metadata,
  spec,
});
const cluster = (spec: object) => named('FleetCluster', spec, { name: 'a' });
const operator = (spec: object) =>
  named('FleetOperator', { package: 'p', namespace: 'n', catalog: { name: 'c' }, ...spec });
const catalog = (spec: object) => named('FleetCatalog', { image: 'i', clusterCatalog: { name: 'c' }, ...spec });
const wave = (...waves: readonly object[]) =>
  named('FleetStrategy', { waves: waves.map((one, at) => ({ name: `w${at}`, ...one })) });
const gate = (spec: object) => wave({ gates: [{ name: 'g', ...spec }] });
const window = (spec: object) => named('FleetWindow', spec, { name: 'a' });
const webhook = { webhook: { url: 'https://gate.example/' } };
const schedule = { cron: '0 1 * * *', duration: '1h' };

const problem = (value: object, before?: FleetObject) => {
  const read = readFleetObject(value, before);
  return 'problem' in read ? read.problem : undefined;
};

describe('readFleetObject', () => {
  it.each([
    { value: cluster({ access: {} }), says: 'spec: access needs exactly one of secretRef and context' },
    { value: cluster({}), says: /^spec\.access: / },
    { value: cluster({ access: { context: 'a', secretRef: { name: 's' } } }), says: /exactly one/ },
    { value: operator({ v1: {} }), says: 'spec: classic goes with api Classic, v1 with api V1' },
    { value: operator({ api: 'V1', classic: {} }), says: /classic goes with api Classic/ },
    { value: operator({ catalog: {} }), says: /^spec\.catalog: catalog needs either fleetCatalog/ },
    { value: operator({ drift: 'Sometimes' }), says: /^spec\.drift: / },
    {
      value: named('FleetOperator', {}, { name: 'catalog-x', namespace: 'n' }),
      says: /must not begin with "catalog-"/,
    },
    { value: catalog({ clusterCatalog: undefined }), says: /at least one of catalogSource and clusterCatalog/ },
    { value: catalog({ promotion: 'Staged' }), says: 'spec: promotion Staged needs strategyRef' },
    { value: catalog({ pollInterval: '10s' }), says: 'spec.pollInterval: must be at least 1m' },
    { value: wave({ percent: 5, count: 5 }), says: 'spec.waves[0]: only one of percent and count may be given' },
    { value: wave({ name: 'rest' }), says: /^spec\.waves\[0\]\.name: must not be "rest"/ },
    { value: wave({ name: 'x' }, { name: 'x' }), says: 'spec.waves: waves need different names' },
    { value: wave({ maxConcurrent: 0 }), says: /^spec\.waves\[0\]\.maxConcurrent: must be an integer from 1/ },
    { value: wave({ maxConcurrent: '101%' }), says: /must be an integer from 1/ },
    { value: wave({ failureThreshold: -1 }), says: /must be an integer from 0/ },
    { value: gate({}), says: 'spec.waves[0].gates[0]: exactly one of cel, prometheus and webhook is needed' },
    { value: gate({ ...webhook, prometheus: { url: 'https://p/', query: 'q', max: 1 } }), says: /exactly one of cel/ },
    { value: gate({ prometheus: { url: 'https://p/', query: 'q' } }), says: /exactly one of max and min/ },
    {
      value: gate({ scope: 'Wave', cel: { apiVersion: 'v1', kind: 'Pod', name: 'p', expression: 'true' } }),
      says: 'spec.waves[0].gates[0]: cel goes with scope Cluster',
    },
    { value: window({ type: 'Allow' }), says: 'spec: an Allow needs schedule or period' },
    {
      value: window({ type: 'Deny', schedule, period: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' } }),
      says: 'spec: only one of schedule and period may be given',
    },
    {
      value: window({ type: 'Deny', period: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } }),
      says: 'spec.period.to: must be after from',
    },
    { value: window({ type: 'Deny', schedule: { ...schedule, duration: '169h' } }), says: /must be at most 168h/ },
    {
      value: { ...window({ type: 'Deny' }), metadata: { name: 'a', namespace: 'n' } },
      says: /this kind has no namespace/,
    },
  ])('refuses: $says', ({ value, says }) => {
    expect(problem(JSON.parse(JSON.stringify(value)) as object)).toMatch(
      says instanceof RegExp ? says : new RegExp(`^${says.replaceAll(/[.[\]]/g, '\\$&')}$`),
    );
  });

  it('compares with the object that it replaces', () => {
    const read = readFleetObject(operator({}));
    const before = 'object' in read ? read.object : undefined;
    expect(problem(operator({ package: 'q' }), before)).toBe('spec.package: package is immutable');
    expect(problem(operator({ paused: true }), before)).toBeUndefined();
  });

  it('passes over kinds that people do not write', () => {
    expect(readFleetObject(named('FleetRollout', {}))).toEqual({ other: true });
  });
});

describe('kinds that people do not write', () => {
  const by = { user: 'anna' };
  const decision = { rollout: 'kafka-1', action: 'Pause', reason: 'CHG-1', by };
  const rollout = {
    subject: { kind: 'FleetOperator', name: 'a' },
    number: 1,
    trigger: 'SpecChange',
    target: { bundle: 'b' },
  };
  const row = { subject: 'FleetOperator/n/a', order: 'Go' };
  const broken = (kind: keyof typeof HUB_KINDS, spec: object, before?: object) => {
    const read = (value: object) => HUB_KINDS[kind].shape.spec.safeParse(value);
    const parsed = read(spec);
    if (!parsed.success) return parsed.error.issues[0]?.message;
    return brokenRules(specSchema(kind), parsed.data, before === undefined ? undefined : read(before).data, 'spec')[0];
  };

  it.each([
    { kind: 'FleetDecision', spec: { ...decision, action: 'Approve' }, says: 'spec: Approve and Reject need a class' },
    { kind: 'FleetDecision', spec: { ...decision, action: 'BreakGlass' }, says: /^spec: BreakGlass needs expiresAt/ },
    {
      kind: 'FleetDecision',
      spec: decision,
      before: { ...decision, action: 'Resume' },
      says: 'spec: a decision is immutable',
    },
    { kind: 'FleetDecision', spec: { ...decision, reason: 'ok' }, says: /3/ },
    {
      kind: 'FleetRollout',
      spec: { ...rollout, strategy: {} },
      before: { ...rollout, number: 2, strategy: {} },
      says: /immutable/,
    },
    { kind: 'FleetPlan', spec: { hash: 'h', path: [], changes: [] }, says: /1/ },
    { kind: 'FleetAssignment', spec: { rows: [row, row] }, says: 'spec.rows: a subject has one row' },
    { kind: 'FleetAssignment', spec: { rows: [{ ...row, subject: 'Pod/n/a' }] }, says: 'must be KIND/NAMESPACE/NAME' },
  ] as const)('$kind is refused: $says', ({ kind, spec, says, ...more }) => {
    const text = broken(kind, spec, 'before' in more ? more.before : undefined);
    expect(text).toMatch(says instanceof RegExp ? says : new RegExp(`^${says}$`));
  });

  it('are taken where they follow the rules', () => {
    expect(broken('FleetDecision', decision, decision)).toBeUndefined();
    expect(broken('FleetRollout', { ...rollout, strategy: {} })).toBeUndefined();
    expect(broken('FleetAssignment', { rows: [row] })).toBeUndefined();
  });
});

describe('the CustomResourceDefinitions', () => {
  it.each(KINDS)('of %s in k8s/crds/fleet is what its schema gives (write-fleet-crds writes it)', (kind) => {
    const crd = fleetCrd(kind);
    const [plural, ...group] = (crd.metadata.name ?? '').split('.');
    const file = join(import.meta.dirname, '../../../../../k8s/crds/fleet', `${group.join('.')}_${plural}.yaml`);
    expect(parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(crd)));
  });

  it.each(KINDS)('of %s is structural: an API server takes no map that has named fields, too', (kind) => {
    const wrong: string[] = [];
    const walk = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const { properties, additionalProperties } = node as Readonly<Record<string, unknown>>;
      if (additionalProperties !== undefined && properties !== undefined) wrong.push(path);
      if (additionalProperties !== undefined && Object(additionalProperties).type === undefined) wrong.push(path);
      for (const [key, inner] of Object.entries(node)) walk(inner, `${path}.${key}`);
    };
    walk(fleetCrd(kind)['spec'], 'spec');
    expect(wrong).toEqual([]);
  });

  it('have columns for the counts of a FleetAssignment', () => {
    const report = (state: string) => AssignmentReport.parse({ subject: 'FleetOperator/p/k', state });
    const counts = countsOf(['Planned', 'Running', 'Failed', 'Failed'].map(report));
    expect(counts).toEqual({ rows: 4, active: 1, failed: 2 });
    const { versions } = fleetCrd('FleetAssignment')['spec'] as {
      versions: { additionalPrinterColumns: { jsonPath: string }[] }[];
    };
    const paths = versions[0]?.additionalPrinterColumns.map(({ jsonPath }) => jsonPath);
    expect(paths).toEqual(expect.arrayContaining(Object.keys(counts).map((name) => `.status.counts.${name}`)));
  });

  it('declare the fields of statuses, so that kubectl explain shows them', () => {
    const fieldsOf = (kind: AnyFleetKind) => {
      const { versions } = fleetCrd(kind)['spec'] as {
        versions: { schema: { openAPIV3Schema: { properties: { status: { properties: object } } } } }[];
      };
      return Object.keys(versions[0]?.schema.openAPIV3Schema.properties.status.properties ?? {});
    };
    expect(fieldsOf('FleetRollout')).toEqual(expect.arrayContaining(['wave', 'failures', 'conditions', 'waves']));
    expect(fieldsOf('FleetCluster')).toEqual(expect.arrayContaining(['uid', 'version', 'facts', 'conditions']));
    expect(fieldsOf('FleetOperator')).toEqual(expect.arrayContaining(['denied', 'versions', 'conditions']));
  });
});
