import type { CatalogSource } from '../api/catalog-source.js';
import { originOf } from '../catalog-source/catalog-source-spec.js';
import { IMAGE_TEMPLATE_ANNOTATION } from '../catalog-source/image-template.js';
import { isPaused, pausedDigest, pausedText } from '../catalog-source/paused-catalog.js';
import { DISABLED_CONDITION, DISABLED_TEXT } from '../openshift/operator-hub.js';
import { isHealthy } from '../subscription/catalog-health.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';

/** What a CatalogSource's status says of it, and what helps (spec: catalog-sources.md §8; decisions 11 and 12). */
export function diagnoseCatalogSource(source: CatalogSource): Diagnosis {
  const { status } = source;
  const said = status?.message ? [sentence(status.message)] : [];
  if (isHealthy(source)) {
    const fresh = said.length === 0 || status?.reason === 'InvalidIntervalError';
    const paused = isPaused(source) ? [sentence(`It is paused: ${pausedText(pausedDigest(status ?? {}))}`)] : [];
    if (fresh) return diagnosis('well', ['It is READY: its content can be installed from.', ...paused, ...said]);
    return diagnosis('under-way', ['It is READY with content that could not be renewed.', ...said], remedy(source));
  }
  if (status?.reason === 'SpecInvalidError') {
    return diagnosis('failed', ['Its spec is not valid.', ...said], correction(source));
  }
  if (isDisabled(source)) {
    return diagnosis(
      'well',
      sentence(DISABLED_TEXT),
      'Enable it in spec.sources of OperatorHub cluster, if it is wanted.',
    );
  }
  const state = status?.connectionState?.lastObservedState;
  if (state === undefined && said.length === 0) {
    return diagnosis(
      'under-way',
      'Nobody has looked at it yet.',
      'See that the hub runs and manages this cluster: flotilla status.',
    );
  }
  if (state === 'CONNECTING' && said.length === 0) {
    return diagnosis('under-way', 'Its content is being fetched for the first time.');
  }
  const seen = `It is ${state ?? 'not READY'}, and blocks resolution in every namespace that sees it.`;
  return diagnosis('failed', [seen, ...said], remedy(source));
}

const isDisabled = ({ status }: CatalogSource): boolean =>
  (status?.conditions ?? []).some((condition) => Object(condition).type === DISABLED_CONDITION);

const correction = ({ metadata }: CatalogSource): string =>
  metadata.annotations?.[IMAGE_TEMPLATE_ANNOTATION]
    ? `Correct annotation ${IMAGE_TEMPLATE_ANNOTATION}, or set spec.image, which counts while the template gives no image.`
    : 'Correct the spec of the CatalogSource.';

function remedy(source: CatalogSource): readonly string[] {
  const origin = originOf(source);
  const leave = 'Or delete the CatalogSource: then nobody waits for it.';
  switch (origin.kind) {
    case 'image':
      return [
        `See what is wrong with the image: flotilla catalog validate ${origin.image} (a private one needs spec.secrets).`,
        leave,
      ];
    case 'grpc':
      return [`See that a registry server answers at ${origin.address}, as the hub reaches it.`, leave];
    case 'configMap':
      return [`Correct ConfigMap ${origin.name} in namespace ${source.metadata.namespace ?? ''}.`, leave];
    case 'invalid':
      return ['Correct the spec of the CatalogSource.'];
  }
}
