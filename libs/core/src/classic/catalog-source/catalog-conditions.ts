import { z } from 'zod';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { isPaused, PAUSED_CONDITION, pausedDigest, pausedText } from '../../kernel/api/paused-catalog.js';
import { clipMessage } from '../../kernel/conditions/clip-message.js';
import { removeConditions, transitioned } from '../../kernel/conditions/condition-list.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import { ignoredFields, ignoredFieldsText } from './ignored-fields.js';
import { IMAGE_TEMPLATE_ANNOTATION, type TemplateOutcome } from './image-template.js';
import { DISABLED_CONDITION, DISABLED_TEXT } from './operator-hub.js';

/**
 * True while the spec asks for something that has no effect here; absent otherwise
 * (docs/differences-from-olm.md).
 */
const FIELDS_IGNORED = 'FieldsIgnored';
const TEMPLATES_RESOLVED = 'TemplatesHaveResolved';
const RESOLVED_IMAGE = 'ResolvedImage';
/** The conditions that Flotilla sets on a CatalogSource; those of other writers stay. */
export const CATALOG_SOURCE_CONDITIONS = [
  FIELDS_IGNORED,
  TEMPLATES_RESOLVED,
  RESOLVED_IMAGE,
  PAUSED_CONDITION,
  DISABLED_CONDITION,
];

const Condition = z.looseObject({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
});
type Condition = z.infer<typeof Condition>;
type Wanted = Readonly<{ type: string; status: 'True' | 'False'; reason: string; message: string }>;

/**
 * Returns `status.conditions`: those of the image template (spec: catalog-sources.md §7), Flotilla's on
 * ignored fields and on pausing, and those of other writers. `digest`: the content that is held. `template`
 * is undefined until the template is evaluated; until then its conditions stay unchanged. The transition time
 * moves only when the status does.
 */
export function catalogConditions(
  source: CatalogSource,
  template: TemplateOutcome | undefined,
  now: string,
  digest?: string,
): readonly Condition[] {
  const before = conditionsOf(source);
  const wanted = [
    ...templateConditions(source, template, before),
    ...ignoredCondition(source),
    ...pausedCondition(source, digest),
  ];
  return [
    ...removeConditions(before, CATALOG_SOURCE_CONDITIONS),
    ...wanted.map((condition) => stored(condition, before, now)),
  ];
}

/**
 * Returns the status of a default source that OpenShift's OperatorHub disables. It reports nothing about
 * content, since the content is not used.
 */
export function disabledStatus(source: CatalogSource, now: string): NonNullable<CatalogSource['status']> {
  const { connectionState: _state, message: _message, reason: _reason, ...kept } = source.status ?? {};
  const before = conditionsOf(source);
  const wanted = { type: DISABLED_CONDITION, status: 'True', reason: 'Disabled', message: DISABLED_TEXT } as const;
  return { ...kept, conditions: [...removeConditions(before, CATALOG_SOURCE_CONDITIONS), stored(wanted, before, now)] };
}

function conditionsOf({ status }: CatalogSource): readonly Condition[] {
  return (status?.conditions ?? []).flatMap((item) => Condition.safeParse(item).data ?? []);
}

function templateConditions(
  source: CatalogSource,
  template: TemplateOutcome | undefined,
  before: readonly Condition[],
): readonly Wanted[] {
  if (!source.metadata.annotations?.[IMAGE_TEMPLATE_ANNOTATION]) return [];
  if (template === undefined) {
    return before.flatMap(({ type, status, reason, message }) =>
      (type === TEMPLATES_RESOLVED || type === RESOLVED_IMAGE) && status !== 'Unknown'
        ? [{ type, status, reason, message }]
        : [],
    );
  }
  const [status, reason] = template.resolved
    ? (['True', 'AllTemplatesResolved'] as const)
    : (['False', 'UnableToResolve'] as const);
  const said = template.resolved ? 'catalog image reference was successfully resolved' : template.message;
  const image = template.resolved ? template.image : template.text;
  return [
    { type: TEMPLATES_RESOLVED, status, reason, message: said },
    { type: RESOLVED_IMAGE, status, reason, message: image },
  ];
}

function ignoredCondition(source: CatalogSource): readonly Wanted[] {
  const message = ignoredFieldsText(ignoredFields(source));
  return message === undefined ? [] : [{ type: FIELDS_IGNORED, status: 'True', reason: 'NoEffect', message }];
}

/**
 * Returns the condition of a paused source. Until a restarted process holds the content again, the condition
 * keeps the digest that it names.
 */
function pausedCondition(source: CatalogSource, digest: string | undefined): readonly Wanted[] {
  if (!isPaused(source)) return [];
  const message = pausedText(digest ?? pausedDigest(source.status ?? {}));
  return [{ type: PAUSED_CONDITION, status: 'True', reason: 'PausedByAnnotation', message }];
}

const stored = (wanted: Wanted, before: readonly Condition[], now: string): Condition =>
  transitioned({ ...wanted, message: clipMessage(wanted.message) }, before, kubernetesTime(now));
