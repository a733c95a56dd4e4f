import { z } from 'zod';
import type { ProgressionProbe } from '../../kernel/api/cluster-object-set.js';
import { type KubernetesObject, splitApiVersion } from '../../kernel/api/kubernetes-object.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import { goQuote } from '../../kernel/versions/go-quote.js';

type Assertion = ProgressionProbe['assertions'][number];

const Status = z.looseObject({
  observedGeneration: z.number().optional(),
  conditions: z
    .array(
      z.looseObject({
        type: z.string(),
        status: z.string(),
        message: z.string().optional(),
        observedGeneration: z.number().optional(),
      }),
    )
    .optional(),
});

/**
 * Returns the problems that keep an object from being ready, according to the probes that select it. None: it
 * is ready (spec: v1-apply.md §7.6). `wanted` is the object as it was applied: its labels select the probes.
 */
export function probeObject(
  live: KubernetesObject,
  wanted: KubernetesObject,
  probes: readonly ProgressionProbe[],
): string[] {
  const selecting = probes.filter(({ selector }) => selects(selector, wanted));
  if (selecting.length === 0) return [];
  const { generation } = live.metadata;
  const observed = Status.safeParse(live['status']).data?.observedGeneration;
  if (observed !== undefined && observed !== generation) return ['.status outdated'];
  return selecting.flatMap(({ assertions }) => assertions.flatMap((assertion) => failureOf(live, assertion) ?? []));
}

function selects({ type, groupKind, label }: ProgressionProbe['selector'], object: KubernetesObject): boolean {
  if (type === 'GroupKind') {
    return groupKind?.kind === object.kind && groupKind.group === splitApiVersion(object.apiVersion).group;
  }
  const matches = type === 'Label' ? readSelector(label) : undefined;
  return typeof matches === 'function' && matches(object.metadata.labels ?? {});
}

function failureOf(live: KubernetesObject, assertion: Assertion): string | undefined {
  const { type, conditionEqual, fieldsEqual, fieldValue } = assertion;
  if (type === 'ConditionEqual' && conditionEqual !== undefined) return conditionFailure(live, conditionEqual);
  if (type === 'FieldsEqual' && fieldsEqual !== undefined) return fieldsFailure(live, fieldsEqual);
  if (type === 'FieldValue' && fieldValue !== undefined) return valueFailure(live, fieldValue);
  return `unknown probe type ${goQuote(type)}`;
}

function conditionFailure(live: KubernetesObject, wanted: NonNullable<Assertion['conditionEqual']>) {
  const { conditions } = Status.safeParse(live['status']).data ?? {};
  if (conditions === undefined) return 'missing .status.conditions';
  const found = conditions.find(({ type }) => type === wanted.type);
  const name = `.status.condition[${goQuote(wanted.type)}]`;
  if (found === undefined) return `missing ${name}`;
  if (found.observedGeneration !== undefined && found.observedGeneration !== live.metadata.generation) {
    return `${name} outdated`;
  }
  if (found.status === wanted.status) return undefined;
  const { message = '' } = found;
  return message === '' ? `${name} is ${found.status}` : `${name} is ${found.status}: ${message}`;
}

function fieldsFailure(live: KubernetesObject, { fieldA, fieldB }: NonNullable<Assertion['fieldsEqual']>) {
  const [a, b] = [valueAt(live, fieldA), valueAt(live, fieldB)];
  if (!a.found) return `${goQuote(fieldA)} missing`;
  if (!b.found) return `${goQuote(fieldB)} missing`;
  const [expected, got] = [JSON.stringify(a.value), JSON.stringify(b.value)];
  return expected === got ? undefined : `${goQuote(fieldA)} != ${goQuote(fieldB)} expected: ${expected} got: ${got}`;
}

function valueFailure(live: KubernetesObject, { fieldPath, value }: NonNullable<Assertion['fieldValue']>) {
  const found = valueAt(live, fieldPath);
  if (!found.found) return `missing key: ${goQuote(fieldPath)}`;
  if (found.value === value) return undefined;
  const [expected, got] = [JSON.stringify(value), JSON.stringify(found.value)];
  return `value at key ${goQuote(fieldPath)} != ${goQuote(value)}; expected: ${expected} got: ${got}`;
}

/** Returns the value at a path of names such as `status.phase`; `found: false` if one of them is missing. */
function valueAt(object: unknown, path: string): Readonly<{ found: boolean; value: unknown }> {
  let value = object;
  for (const name of path.split('.').filter((part) => part !== '')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return { found: false, value: undefined };
    }
    value = Reflect.get(value, name);
  }
  return { found: true, value };
}
