import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { labelKeyProblems, labelValueProblems } from '../../kernel/labels/label-syntax.js';
import { textWithoutSecrets } from '../../kernel/secrets/secret-texts.js';

type Texts = Readonly<Record<string, string>>;
/** The labels or annotations that a FleetCluster gets. `notes` names those that it does not get. */
type Copied = Readonly<{ copied: Texts; notes: readonly string[] }>;

/** Two more labels than these are left for the source and for people. */
const MOST_LABELS = 48;
const MOST_ANNOTATIONS = 32;
const LONGEST_ANNOTATION = 1_024;
const MOST_NOTES = 10;

/**
 * Domains of keys by which tools find their own objects. A FleetCluster with such a key could be pruned or
 * changed by that tool, and `kubectl.kubernetes.io/last-applied-configuration` repeats a whole Secret.
 */
const OWN_DOMAINS = [
  ...['kubernetes.io', 'k8s.io', 'x-k8s.io', 'helm.sh', 'argoproj.io', 'fluxcd.io', 'cattle.io', 'flotilla.dev'],
  ...['feature.open-cluster-management.io', 'addon.open-cluster-management.io'],
];
/** A domain below these that says something about the cluster itself. */
const KEPT_DOMAINS = new Set(['topology.kubernetes.io']);

function isOfTool(key: string): boolean {
  const [domain = '', ...rest] = key.split('/');
  if (rest.length === 0 || KEPT_DOMAINS.has(domain)) return false;
  return OWN_DOMAINS.some((own) => domain === own || domain.endsWith(`.${own}`));
}

const sorted = (texts: Texts | undefined) =>
  Object.entries(texts ?? {})
    .filter(([key]) => !isOfTool(key))
    .sort(([a], [b]) => byCodeUnit(a, b));

/** Returns the labels of an object of another tool that its FleetCluster gets. */
export function copiedLabels(labels: Texts | undefined): Copied {
  return taken('label', MOST_LABELS, sorted(labels), (key, value) => {
    if (labelKeyProblems(key).length > 0) return 'its key is none of a label';
    return typeof value === 'string' && labelValueProblems(value).length === 0
      ? undefined
      : 'its value is none of a label';
  });
}

/** Returns the annotations of an object of another tool that its FleetCluster gets. */
export function copiedAnnotations(annotations: Texts | undefined): Copied {
  return taken('annotation', MOST_ANNOTATIONS, sorted(annotations), (key, value) => {
    if (labelKeyProblems(key.toLowerCase()).length > 0) return 'its key is none of an annotation';
    if (typeof value !== 'string' || value.length > LONGEST_ANNOTATION) {
      return `its value is longer than ${LONGEST_ANNOTATION} characters`;
    }
    return textWithoutSecrets(`${key}: ${value}`) === `${key}: ${value}` ? undefined : 'its value may hold a secret';
  });
}

function taken(
  what: string,
  most: number,
  entries: readonly (readonly [string, string])[],
  refusal: (key: string, value: unknown) => string | undefined,
): Copied {
  const copied: Record<string, string> = {};
  const notes: string[] = [];
  for (const [key, value] of entries) {
    const why = Object.keys(copied).length >= most ? `more than ${most} are not copied` : refusal(key, value);
    if (why === undefined) copied[key] = value;
    else notes.push(`${what} ${JSON.stringify(key.slice(0, 80))} is not copied: ${why}`);
  }
  const more = notes.length > MOST_NOTES ? [`${notes.length - MOST_NOTES} more ${what}s are not copied`] : [];
  return { copied, notes: [...notes.slice(0, MOST_NOTES), ...more] };
}
