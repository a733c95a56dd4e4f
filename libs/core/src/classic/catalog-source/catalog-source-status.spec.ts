import { describe, expect, it } from 'vitest';
import { diagnoseCatalogSource } from '../../cluster/diagnosis/diagnose-catalog-source.js';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { originOf, pollSchedule } from './catalog-source-spec.js';
import {
  type CatalogState,
  isServing,
  type StatusSettings,
  catalogSourceStatus as statusAt,
} from './catalog-source-status.js';
import { resolveImageTemplate } from './image-template.js';

const digest = `sha256:${'a'.repeat(64)}`;
const settings = { contentUrl: 'http://hub:8080', strict: false };
const NOW = '2026-01-03T00:00:00.123Z';
const source = (spec: Partial<CatalogSource['spec']>, status?: CatalogSource['status']): CatalogSource => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name: 'shelf', namespace: 'olm' },
  spec: { sourceType: 'grpc', ...spec },
  ...(status ? { status } : {}),
});
const catalogSourceStatus = (of: CatalogSource, state: CatalogState, set: StatusSettings) =>
  statusAt(of, state, set, NOW);
const content = `sha256:${'c'.repeat(64)}`;
const held = { digest, since: '2026-01-01T00:00:00Z', content };
const failure = {
  reason: 'RegistryServerError' as const,
  message: 'manifest unknown',
  since: '2026-01-02T00:00:00Z',
  nextTry: '2026-01-02T00:01:00Z',
};

describe('catalog-sources.md §1.1, validateSourceType', () => {
  it.each([
    { spec: {}, gives: 'image and address unset: at least one must be set for sourcetype: grpc' },
    { spec: { sourceType: 'configmap' }, gives: 'configmap name unset: must be set for sourcetype: configmap' },
    { spec: { sourceType: 'internal' }, gives: 'configmap name unset: must be set for sourcetype: internal' },
    { spec: { sourceType: 'ftp' }, gives: 'unknown sourcetype: ftp' },
  ])('refuses $spec in OLM’s words', ({ spec, gives }) => {
    expect(originOf(source(spec))).toEqual({ kind: 'invalid', message: gives });
    expect(catalogSourceStatus(source(spec), {}, settings)).toEqual({ reason: 'SpecInvalidError', message: gives });
  });
  it('names the template that gives no image, and what in it is no variable', () => {
    const template = 'registry.example/shelf:v{kube_major_version}.{kube_minor}';
    const bare = source({});
    const templated = {
      ...bare,
      metadata: { ...bare.metadata, annotations: { 'olm.catalogImageTemplate': template } },
    };
    const outcome = resolveImageTemplate(template, 'v1.34.4');
    expect(catalogSourceStatus(templated, { template: outcome }, settings)).toMatchObject({
      reason: 'SpecInvalidError',
      message:
        `annotation olm.catalogImageTemplate "${template}": cannot construct catalog image reference, because one or more ` +
        'template(s) has improper syntax; {kube_minor} is not a variable: the variables are {kube_major_version}, ' +
        '{kube_minor_version} and {kube_patch_version} (image and address unset: at least one must be set for sourcetype: grpc)',
    });
    expect(diagnoseCatalogSource({ ...templated, status: { reason: 'SpecInvalidError' } }).todo.join()).toContain(
      'Correct annotation olm.catalogImageTemplate',
    );
  });
  it('lets image win over address', () => {
    expect(originOf(source({ image: 'a/b:c', address: 'x:1' }))).toEqual({ kind: 'image', image: 'a/b:c' });
  });
});

const DEFAULTED =
  'error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error:';

describe('catalog-sources.md §1.3, registryPoll', () => {
  it.each([
    { interval: '10m', everyMs: 600_000, problem: undefined },
    { interval: 'often', everyMs: 900_000, problem: `${DEFAULTED} time: invalid duration "often"` },
    { interval: '', everyMs: 900_000, problem: `${DEFAULTED} time: invalid duration ""` },
    { interval: undefined, everyMs: 900_000, problem: `${DEFAULTED} time: invalid duration ""` },
  ])('interval $interval → InvalidIntervalError: $problem', ({ interval, everyMs, problem }) => {
    const registryPoll = interval === undefined ? {} : { interval };
    const schedule = pollSchedule(source({ image: 'a/b:c', updateStrategy: { registryPoll } }));
    expect(schedule?.everyMs).toBe(everyMs);
    expect(schedule?.problem).toBe(problem);
  });
  it('does not poll an address, nor a source without registryPoll', () => {
    expect(pollSchedule(source({ address: 'x:1', updateStrategy: { registryPoll: {} } }))).toBeUndefined();
    expect(pollSchedule(source({ image: 'a/b:c', updateStrategy: {} }))).toBeUndefined();
  });
});

describe('catalog-sources.md §2 and §8, the status of a CatalogSource', () => {
  const image = source({ image: 'a/b:c' });
  it.each([
    { state: {}, observed: 'CONNECTING', because: 'nothing was heard yet' },
    { state: { held }, observed: 'READY', because: 'content is held' },
    { state: { failure }, observed: 'TRANSIENT_FAILURE', because: 'nothing was ever loaded' },
    { state: { held, failure }, observed: 'READY', because: 'the last good content stays in use' },
  ])('$observed: $because', ({ state, observed }) => {
    expect(catalogSourceStatus(image, state, settings).connectionState?.lastObservedState).toBe(observed);
  });
  it('says what failed, since when, when the next check is, and what stays in use', () => {
    expect(catalogSourceStatus(image, { held, failure }, settings)).toMatchObject({
      reason: 'RegistryServerError',
      message: `manifest unknown; failing since 2026-01-02T00:00:00Z, next check 2026-01-02T00:01:00Z. The last good content (${digest}, held since 2026-01-01T00:00:00Z) stays in use.`,
    });
  });
  it('names what was left out of content that is served', () => {
    const leftOut = ['1', '2', '3', '4', '5', '6', '7'].map((name) => `package a: bundle a.v${name}: no`);
    expect(catalogSourceStatus(image, { held, leftOut: leftOut.slice(0, 1) }, settings)).toMatchObject({
      reason: 'BundlesLeftOut',
      message: 'left out: package a: bundle a.v1: no',
      connectionState: { lastObservedState: 'READY' },
    });
    const { message } = catalogSourceStatus(image, { held, leftOut }, settings);
    expect(message).toMatch(/^left out: package a: bundle a\.v1: no; .*bundle a\.v5: no; and 2 more$/);
    expect(catalogSourceStatus(image, { held, failure, leftOut }, settings).reason).toBe('RegistryServerError');
  });
  it('drops an old complaint once it no longer holds', () => {
    const before = source({ image: 'a/b:c' }, { reason: 'RegistryServerError', message: 'old' });
    expect(catalogSourceStatus(before, { held }, settings)).toEqual({
      connectionState: {
        address: `http://hub:8080/content/${content}`,
        lastObservedState: 'READY',
        lastConnect: held.since,
      },
    });
  });
  it('is strict when set so: a failed refresh takes the catalog out of resolution', () => {
    expect(isServing({ held, failure }, true)).toBe(false);
    expect(isServing({ held, failure }, false)).toBe(true);
  });
  it('writes the same status again from its own result', () => {
    const once = catalogSourceStatus(image, { held, failure }, settings);
    expect(catalogSourceStatus({ ...image, status: once }, { held, failure }, settings)).toEqual(once);
  });

  it('of a missing ConfigMap has OLM’s reason', () => {
    const gone = { ...failure, reason: 'ConfigMapError' as const, message: 'failed to get catalog config map x: gone' };
    const status = catalogSourceStatus(
      source({ sourceType: 'configmap', configMap: 'x' }),
      { failure: gone },
      settings,
    );
    expect(status).toMatchObject({
      reason: 'ConfigMapError',
      message: gone.message,
      connectionState: { lastObservedState: 'TRANSIENT_FAILURE' },
    });
  });

  it('of a ConfigMap that went says what stays in use', () => {
    const gone = { ...failure, reason: 'ConfigMapError' as const, message: 'failed to get catalog config map x: gone' };
    const status = catalogSourceStatus(
      source({ sourceType: 'configmap', configMap: 'x' }),
      { held, failure: gone },
      settings,
    );
    expect(status.message).toBe(
      `${gone.message}. The last good content (${digest}, held since ${held.since}) stays in use.`,
    );
  });

  it('names the ConfigMap that was read, and forgets the Service of the pod that another OLM ran', () => {
    const read = { name: 'x', namespace: 'olm', uid: 'u', resourceVersion: '7', readAt: held.since };
    const before = { registryService: { serviceName: 'old' } };
    const status = catalogSourceStatus(
      source({ sourceType: 'internal', configMap: 'x' }, before),
      { held, configMap: read },
      settings,
    );
    expect(status).toMatchObject({
      configMapReference: { name: 'x', namespace: 'olm', uid: 'u', resourceVersion: '7', lastUpdateTime: held.since },
    });
    expect(status.registryService).toBeUndefined();
  });

  it('says for an address that it is gRPC, and since when, once and for all', () => {
    const address = source({ address: 'shelf.example:50051' });
    const first = catalogSourceStatus(address, {}, settings);
    expect(first.registryService).toEqual({ protocol: 'grpc', createdAt: '2026-01-03T00:00:00Z' });
    const later = statusAt({ ...address, status: first }, { held }, settings, '2027-01-01T00:00:00Z');
    expect(later.registryService).toEqual(first.registryService);
    expect(later.connectionState?.address).toBe('shelf.example:50051');
  });
});
