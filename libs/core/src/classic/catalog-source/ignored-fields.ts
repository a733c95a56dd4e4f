import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { recordAt } from '../../kernel/json/json-access.js';
import { originOf } from './catalog-source-spec.js';

const POD_ANNOTATION = 'operatorframework.io/priorityclass';
/** Fields of `spec` for the registry pod that OLM would run. */
const POD_FIELDS = ['runAsRoot', 'securityContext'];

/**
 * Fields of a CatalogSource without effect: `pod`, because there is no registry pod; `source`, because the
 * source type does not use the field.
 */
type IgnoredFields = Readonly<{ pod: readonly string[]; source: readonly string[] }>;

/**
 * Returns the fields without effect, as paths, sorted. Fields that OLM ignores too (an address next to an
 * image, polling of an address) are reported as well. Spec: catalog-sources.md §1, §3; api-types.md §2.
 */
export function ignoredFields(source: CatalogSource): IgnoredFields {
  const { spec, metadata } = source;
  const pod = [
    ...Object.keys(recordAt(spec, 'grpcPodConfig')).map((key) => `spec.grpcPodConfig.${key}`),
    ...POD_FIELDS.filter((key) => spec[key] !== undefined).map((key) => `spec.${key}`),
    ...(metadata.annotations?.[POD_ANNOTATION] ? [`metadata.annotations[${POD_ANNOTATION}]`] : []),
  ];
  return { pod: pod.toSorted(byCodeUnit), source: unusedOf(source).toSorted(byCodeUnit) };
}

function unusedOf({ spec, ...rest }: CatalogSource): string[] {
  const { kind } = originOf({ spec, ...rest });
  if (kind === 'invalid') return [];
  const polls = spec.updateStrategy?.registryPoll !== undefined;
  return [
    ...(kind !== 'image' && polls ? ['spec.updateStrategy.registryPoll'] : []),
    ...(kind === 'configMap' && (spec.secrets ?? []).some((name) => name !== '') ? ['spec.secrets'] : []),
    ...(kind !== 'grpc' && spec.address ? ['spec.address'] : []),
    ...(kind === 'configMap' && spec.image ? ['spec.image'] : []),
    ...(kind !== 'configMap' && spec.configMap ? ['spec.configMap'] : []),
  ];
}

/** Returns the sentence for users. Undefined if every field has its effect. */
export function ignoredFieldsText({ pod, source }: IgnoredFields): string | undefined {
  const sentences = [
    ...(pod.length > 0 ? [`no registry pod runs in the cluster, so these have no effect: ${pod.join(', ')}`] : []),
    ...(source.length > 0 ? [`a source of this kind ignores: ${source.join(', ')}`] : []),
  ];
  return sentences.length === 0 ? undefined : sentences.join('; ').slice(0, 4_096);
}
