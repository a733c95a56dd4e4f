import { originOf } from '../../classic/catalog-source/catalog-source-spec.js';
import { BUNDLES_LEFT_OUT } from '../../classic/catalog-source/catalog-source-status.js';
import { IMAGE_TEMPLATE_ANNOTATION } from '../../classic/catalog-source/image-template.js';
import { DISABLED_CONDITION, DISABLED_TEXT } from '../../classic/catalog-source/operator-hub.js';
import { readableSource } from '../../classic/catalog-source/readable-source.js';
import { isHealthy } from '../../classic/subscription/catalog-health.js';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { isPaused, pausedDigest, pausedText } from '../../kernel/api/paused-catalog.js';
import { specProblem } from '../../kernel/verdict/unreadable-spec.js';
import { ADVICE, type Advice } from '../advice/advice.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';
import { endedAdvice, pullAdvice } from './pull-trouble.js';

/**
 * Diagnoses a CatalogSource by its status, with advice (spec: catalog-sources.md §8; why: catalogs.md
 * "A failed refresh", "`connectionState` without a pod").
 */
export function diagnoseCatalogSource(found: CatalogSource): Diagnosis {
  const source = readableSource(found);
  const { status } = source;
  const said = status?.message ? [sentence(status.message)] : [];
  const problem = specProblem(source);
  if (problem !== undefined)
    return diagnosis(
      'catalog-spec-invalid',
      'failed',
      ['Its spec cannot be read.', sentence(problem)],
      correction(source),
    );
  if (isHealthy(source)) return diagnoseServing(source, said);
  if (status?.reason === 'SpecInvalidError') {
    return diagnosis('catalog-spec-invalid', 'failed', ['Its spec is not valid.', ...said], correction(source));
  }
  if (isDisabled(source)) {
    return diagnosis('well', 'well', sentence(DISABLED_TEXT), ADVICE.enableDefaultSource());
  }
  const state = status?.connectionState?.lastObservedState;
  if (state === undefined && said.length === 0) {
    return diagnosis('not-read-yet', 'under-way', 'The hub has not read it yet.', ADVICE.checkHub());
  }
  if (state === 'CONNECTING' && said.length === 0) {
    return diagnosis('catalog-first-fetch', 'under-way', 'Its content is being fetched for the first time.');
  }
  const seen = `It is ${state ?? 'not READY'}, and blocks resolution in every namespace that sees it.`;
  return diagnosis('catalog-not-ready', 'failed', [seen, ...said], remedy(source));
}

/** A catalog that can be installed from: whether its content is whole and fresh. */
function diagnoseServing(source: CatalogSource, said: readonly string[]): Diagnosis {
  const { status } = source;
  const paused = isPaused(source) ? [sentence(`It is paused: ${pausedText(pausedDigest(status ?? {}))}`)] : [];
  if (said.length === 0 || status?.reason === 'InvalidIntervalError') {
    return diagnosis('well', 'well', ['It is READY: operators can be installed from its content.', ...paused, ...said]);
  }
  if (status?.reason === BUNDLES_LEFT_OUT) {
    const seen = 'It is READY without its unreadable bundles.';
    return diagnosis('catalog-incomplete', 'under-way', [seen, ...paused, ...said], leftOutRemedy(source));
  }
  const seen = 'It is READY, but its content could not be renewed.';
  return diagnosis('catalog-not-renewed', 'under-way', [seen, ...said], remedy(source));
}

const isDisabled = ({ status }: CatalogSource): boolean =>
  (status?.conditions ?? []).some((condition) => Object(condition).type === DISABLED_CONDITION);

const correction = ({ metadata }: CatalogSource): Advice =>
  metadata.annotations?.[IMAGE_TEMPLATE_ANNOTATION]
    ? ADVICE.correctImageTemplate(IMAGE_TEMPLATE_ANNOTATION)
    : ADVICE.correctCatalogSpec();

/** The owner of a registry server corrects its lists; there is no command for that. */
function leftOutRemedy(source: CatalogSource): readonly Advice[] {
  const origin = originOf(source);
  return origin.kind === 'configMap' ? [ADVICE.correctConfigMap(source.metadata.namespace ?? '', origin.name)] : [];
}

function remedy(source: CatalogSource): readonly Advice[] {
  const origin = originOf(source);
  const { name = '', namespace = '' } = source.metadata;
  const message = source.status?.message ?? '';
  const leave = ADVICE.deleteCatalogSource(namespace, name);
  switch (origin.kind) {
    case 'image':
      return [
        ...(endedAdvice(message, name, namespace) ??
          loginRemedy(source) ??
          pullAdvice(message) ?? [ADVICE.validateCatalogImage(origin.image)]),
        leave,
      ];
    case 'grpc':
      return [...(pullAdvice(message) ?? [ADVICE.startRegistryServer(origin.address)]), leave];
    case 'configMap':
      return [rightToConfigMap(source) ?? ADVICE.correctConfigMap(namespace, origin.name), leave];
    case 'invalid':
      return [ADVICE.correctCatalogSpec()];
  }
}

const CONFIG_MAP_FORBIDDEN = /configmaps "[^"]*" is forbidden: User "([^"]+)"/;

function rightToConfigMap({ metadata: { namespace = '' }, status }: CatalogSource): Advice | undefined {
  const user = CONFIG_MAP_FORBIDDEN.exec(status?.message ?? '')?.[1];
  return user === undefined ? undefined : ADVICE.allowConfigMaps(namespace, user);
}

const SECRET_MISSING = /pull secret [^ /]+\/([^ ,]+), named by CatalogSource/;
const SECRET_FORBIDDEN = /secrets "[^"]*" is forbidden: User "([^"]+)"/;
const LOGIN_REFUSED = /asks for a login and no credentials were given|the credentials given for .* were refused/;

/**
 * Returns advice if the registry could not be asked for the image. Returns undefined if it could, or if no
 * login is at fault.
 */
function loginRemedy({ metadata: { namespace = '' }, status }: CatalogSource): readonly Advice[] | undefined {
  const message = status?.message ?? '';
  const missing = SECRET_MISSING.exec(message)?.[1];
  if (missing !== undefined) return [ADVICE.createPullSecret(namespace, missing)];
  const user = SECRET_FORBIDDEN.exec(message)?.[1];
  if (user !== undefined) return [ADVICE.allowPullSecrets(namespace, user)];
  return LOGIN_REFUSED.test(message) ? [ADVICE.namePullSecret()] : undefined;
}
