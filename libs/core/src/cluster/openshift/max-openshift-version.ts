import { z } from 'zod';
import { parseTolerant } from '../../kernel/versions/blang-version.js';
import { formatVersion } from '../../kernel/versions/version.js';

/** A minor version of OpenShift. */
export type OpenShiftVersion = Readonly<{ major: bigint; minor: bigint }>;

/**
 * An operator's statement about the newest OpenShift that it supports: none, a version, or an unreadable
 * value.
 */
type MaxOpenShiftVersion = undefined | OpenShiftVersion | Readonly<{ error: string }>;

const MAX_OPENSHIFT_VERSION = 'olm.maxOpenShiftVersion';

const Properties = z.array(z.looseObject({ type: z.string(), value: z.unknown() })).nullable();

/**
 * The annotations that hold an operator's properties, and the form of each (why: classic.md
 * "`olm.maxOpenShiftVersion`").
 */
const ANNOTATIONS = [
  { key: 'olm.properties', form: Properties },
  {
    key: 'operatorframework.io/properties',
    form: z.looseObject({ properties: Properties.optional() }).transform(({ properties }) => properties ?? []),
  },
] as const;

/**
 * Returns the newest OpenShift that an operator supports, by the annotations of its CSV or of the revision
 * that installed it (spec: csv-lifecycle.md §12, v1-extension.md, "OpenShift gating"). If both annotations
 * come from the same bundle, they repeat each other. Two different answers are an error, as are several in
 * one annotation.
 */
export function maxOpenShiftVersion(annotations: Readonly<Record<string, string>>): MaxOpenShiftVersion {
  const said: OpenShiftVersion[] = [];
  for (const { key, form } of ANNOTATIONS) {
    const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    const one = text === undefined ? undefined : inAnnotation(key, text, form);
    if (one !== undefined && 'error' in one) return one;
    if (one !== undefined) said.push(one);
  }
  const [first, second] = said;
  if (first === undefined || second === undefined || sameVersion(first, second)) return first;
  return { error: SEVERAL };
}

const SEVERAL = `defining more than one "${MAX_OPENSHIFT_VERSION}" property is not allowed`;

const sameVersion = (a: OpenShiftVersion, b: OpenShiftVersion): boolean => a.major === b.major && a.minor === b.minor;

function inAnnotation(key: string, text: string, form: (typeof ANNOTATIONS)[number]['form']): MaxOpenShiftVersion {
  const properties = form.safeParse(jsonOf(text));
  if (!properties.success) return { error: `annotation ${key} holds no properties in JSON` };
  const values = (properties.data ?? []).filter(({ type }) => type === MAX_OPENSHIFT_VERSION).map(({ value }) => value);
  if (values.length === 0) return undefined;
  return values.length > 1 ? { error: SEVERAL } : versionOf(values[0]);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Major and minor only: a patch version cannot be compared with the newest patch of its minor. */
function versionOf(value: unknown): MaxOpenShiftVersion {
  const text = typeof value === 'string' ? value.replaceAll(/^"+|"+$/g, '') : JSON.stringify(value);
  if (text === '' || text === undefined) return { error: 'value cannot be "" (an empty string)' };
  const version = parseTolerant(text);
  if ('error' in version) return { error: `failed to parse "${text}" as semver: ${version.error}` };
  const { major, minor, patch, pre } = version;
  if (patch !== 0n || pre.length > 0) {
    return {
      error: `property ${MAX_OPENSHIFT_VERSION} must specify only <major>.<minor> version, got invalid value ${formatVersion(version)}`,
    };
  }
  return { major, minor };
}
