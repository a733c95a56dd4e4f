import { foldCase } from '../../kernel/json/go-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { parseRange } from '../../kernel/versions/blang-range.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { TYPED_ITEM_FORM } from '../bundle/untyped-items.js';
import type { Property } from '../model/catalog.js';
import { constraintFindings } from './strict-constraint.js';
import { nearest } from './strict-nearest.js';
import type { StrictFinding } from './strict-warning.js';

type Rule = (value: unknown) => StrictFinding[];

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns a field by its name in any case, as Go reads it. */
function fieldOf(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined;
  const key = Object.keys(value).find((one) => foldCase(one) === foldCase(name));
  return key === undefined ? undefined : value[key];
}

/** Fields that OLM reads for nothing, or that are missing. */
function formFindings(value: unknown, names: readonly string[], form: string): StrictFinding[] {
  if (!isRecord(value)) return [{ message: 'is not an object', advice: `write ${form}` }];
  const folded = names.map(foldCase);
  const unknown = Object.keys(value).filter((key) => !folded.includes(foldCase(key)));
  const missing = names.filter((name) => !isText(fieldOf(value, name)));
  const advice = `write ${form}`;
  if (unknown.length > 0) return [{ message: `OLM does not know ${unknown.map(goQuote).join(', ')}`, advice }];
  return missing.length === 0 ? [] : [{ message: `${missing.join(', ')} missing or empty`, advice }];
}

const GVK_FORM = '{group: <group>, version: <version>, kind: <Kind>}';
const GROUP = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const VERSION = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const KIND = /^[A-Za-z][A-Za-z0-9]*$/;

const gvkRule: Rule = (value) => {
  const wrong = (name: string, pattern: RegExp, example: string): StrictFinding[] => {
    const text = fieldOf(value, name);
    if (!isText(text) || pattern.test(text)) return [];
    return [
      {
        message: `${name} ${goQuote(text)} is not possible in Kubernetes`,
        advice: `write for example ${goQuote(example)}`,
      },
    ];
  };
  return [
    ...formFindings(value, ['group', 'version', 'kind'], GVK_FORM),
    ...wrong('group', GROUP, 'example.com'),
    ...wrong('version', VERSION, 'v1alpha1'),
    ...wrong('kind', KIND, 'Database'),
  ];
};

const packageRequiredRule: Rule = (value) => {
  const range = fieldOf(value, 'versionRange');
  const parsed = isText(range) ? parseRange(range) : undefined;
  return [
    ...formFindings(value, ['packageName', 'versionRange'], '{packageName: <name>, versionRange: ">=1.0.0 <2.0.0"}'),
    ...(parsed && 'error' in parsed
      ? [
          {
            message: `versionRange ${goQuote(String(range))} cannot be read: ${parsed.error}`,
            advice: 'compare with =, !=, <, <=, > and >=; a blank is "and", || is "or": ">=1.0.0 <2.0.0"',
          },
        ]
      : []),
  ];
};

const maxOpenShiftRule: Rule = (value) => {
  if (typeof value === 'string' && /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$/.test(value)) return [];
  const why = typeof value === 'number' ? 'is a number, so that 4.10 would be 4.1' : 'is not <major>.<minor>';
  return [{ message: `${JSON.stringify(value) ?? 'nothing'} ${why}`, advice: 'write a text such as "4.20"' }];
};

const nothing: Rule = () => [];

/** The property types of OLM with the rules for their values. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['olm.package', nothing],
  ['olm.gvk', gvkRule],
  ['olm.gvk.required', gvkRule],
  ['olm.package.required', packageRequiredRule],
  ['olm.constraint', constraintFindings],
  ['olm.maxOpenShiftVersion', maxOpenShiftRule],
  ['olm.label', (value) => formFindings(value, ['label'], '{label: <text>}')],
  ['olm.label.required', (value) => formFindings(value, ['label'], '{label: <text>}')],
  ['olm.csv.metadata', nothing],
  ['olm.bundle.object', nothing],
  ['olm.bundle.mediatype', nothing],
  ['olm.channel', nothing],
  ['olm.deprecated', nothing],
  // OLM ignores it, but its documentation has it as an example of a property that constraints may test.
  ['olm.kubeversion', nothing],
]);

/** Types that a bundle has at most once, and the effect of a second one. */
const ONCE: readonly Readonly<{ type: string; otherwise: string }>[] = [
  { type: 'olm.csv.metadata', otherwise: 'a catalog with two cannot be served over gRPC' },
  { type: 'olm.maxOpenShiftVersion', otherwise: 'with two, OLM blocks every upgrade of the cluster' },
];

/** Returns the properties of a bundle that OLM cannot use. */
export function propertyFindings(properties: readonly Property[]): StrictFinding[] {
  const inEach = properties.flatMap(({ type, value }, index) =>
    valueFindings(type, value).map(({ message, advice }) => ({
      message: `properties[${index}] (${type}): ${message}`,
      advice,
    })),
  );
  const repeated = ONCE.flatMap(({ type, otherwise }) => {
    const count = properties.filter((property) => property.type === type).length;
    return count < 2 ? [] : [{ message: `has ${count} ${type} properties: ${otherwise}`, advice: 'keep one' }];
  });
  return [...inEach, ...repeated];
}

function valueFindings(type: string, value: unknown): StrictFinding[] {
  if (type === '') return [{ message: 'has no type: no rule ever matches it', advice: TYPED_ITEM_FORM }];
  const rule = RULES.get(type);
  if (rule !== undefined) return rule(value);
  if (!type.startsWith('olm.')) return [];
  const meant = nearest(type, [...RULES.keys()]);
  const edge = ['olm.skips', 'olm.skipRange', 'olm.replaces'].includes(type);
  const instead = edge
    ? 'put edges into the entries of olm.channel'
    : `types beginning with "olm." are OLM's own: name yours after your domain`;
  return [
    {
      message: 'OLM knows no property of this type',
      advice: meant === undefined || edge ? instead : `write ${goQuote(meant)}`,
    },
  ];
}
