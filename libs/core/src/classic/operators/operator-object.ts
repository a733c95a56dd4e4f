import { z } from 'zod';
import type { Action } from '../../kernel/actions/action.js';
import { CSV_API, CsvStatus } from '../../kernel/api/cluster-service-version.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { perObject } from '../../kernel/memo/per-object.js';
import { labelOfOperator } from './component-label.js';

export const OPERATOR_API = KIND.Operator;

/** The fields of a CSV that are read here: the whole is long, and parsed in each pass. */
const CsvWithStatus = z.looseObject({ status: CsvStatus.optional() });

const Conditions = z.looseObject({
  status: z.looseObject({
    conditions: z.array(
      z.looseObject({
        type: z.string(),
        status: z.string(),
        reason: z.string().optional(),
        message: z.string().optional(),
        lastUpdateTime: z.string().optional(),
        lastTransitionTime: z.string().optional(),
      }),
    ),
  }),
});

/**
 * Creates or updates the Operator object of that name from the objects that carry its component label.
 * Creates none if there are no such objects, and writes nothing if it is right already (spec:
 * csv-lifecycle.md §12).
 */
export function operatorObject(
  name: string,
  components: readonly KubernetesObject[],
  live: KubernetesObject | undefined,
): readonly Action[] {
  if (live === undefined) {
    return components.length === 0 ? [] : [{ do: 'create', object: { ...OPERATOR_API, metadata: { name }, spec: {} } }];
  }
  const key = labelOfOperator(name);
  const status = {
    components: {
      labelSelector: { matchExpressions: [{ key, operator: 'Exists' }] },
      refs: components.map(componentRef).sort((a, b) => byCodeUnit(orderOf(a), orderOf(b))),
    },
  };
  return sameJson(live['status'], status) ? [] : [{ do: 'updateStatus', object: { ...live, ...OPERATOR_API, status } }];
}

const Refs = z.looseObject({
  status: z.looseObject({ components: z.looseObject({ refs: z.array(z.looseObject({ kind: z.string() })) }) }),
});
const DESIRED_KINDS: ReadonlySet<string> = new Set(['Subscription', 'InstallPlan']);

/**
 * True if an Operator names more than Subscriptions and plans: something was installed once, and may still be
 * there.
 */
export function namesParts(operator: KubernetesObject | undefined): boolean {
  const parsed = Refs.safeParse(operator);
  return parsed.success && parsed.data.status.components.refs.some(({ kind }) => !DESIRED_KINDS.has(kind));
}

type ComponentRef = Readonly<{ kind: string; apiVersion: string; namespace?: string; name: string }>;

/** Kind, then apiVersion, then namespace, then name. */
const orderOf = ({ kind, apiVersion, namespace, name }: ComponentRef): string =>
  [kind, apiVersion, namespace ?? '', name].join('\u0000');

const componentRef = perObject((object: KubernetesObject): ComponentRef => {
  const { apiVersion, kind, metadata } = object;
  const conditions = conditionsOf(object);
  return {
    apiVersion,
    kind,
    name: metadata.name ?? '',
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
});

/** The conditions of the object's status; a CSV's phase becomes one condition. */
function conditionsOf(object: KubernetesObject): readonly Readonly<Record<string, unknown>>[] {
  const csv = object.kind === CSV_API.kind ? CsvWithStatus.safeParse(object) : undefined;
  if (csv?.success) {
    const { phase, reason, message, lastUpdateTime, lastTransitionTime } = csv.data.status ?? {};
    return phase ? [{ type: phase, status: 'True', reason, message, lastUpdateTime, lastTransitionTime }] : [];
  }
  const parsed = Conditions.safeParse(object);
  if (!parsed.success) return [];
  // Of a rollout only the result is shown (measured: no Operator ever named the
  // Progressing of a Deployment).
  const reported = parsed.data.status.conditions.filter(
    ({ type }) => object.kind !== 'Deployment' || type !== 'Progressing',
  );
  return reported.map(({ type, status, reason, message, lastUpdateTime, lastTransitionTime }) => ({
    type,
    status,
    reason,
    message,
    lastUpdateTime,
    lastTransitionTime,
  }));
}
