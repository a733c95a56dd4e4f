import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { problemText } from '../../kernel/go-types/decoded.js';
import { recordAt, recordsAt, textAt, textsAt } from '../../kernel/json/json-access.js';
import { verdictLine } from '../../kernel/verdict/verdict-line.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { Bundle } from './bundle.js';
import { csvProblems } from './csv-problems.js';
import { objectFaults } from './object-faults.js';

const STRATEGY = ['spec', 'install', 'spec'] as const;

type Check = (object: KubernetesObject, bundle: Bundle) => readonly string[];

/**
 * Returns the problems that keep the objects of a bundle from being installed, one line each with file,
 * object and field. Every install refuses some before it applies anything; the cluster refuses the others
 * afterwards.
 */
export const objectProblems = (bundle: Bundle): string[] =>
  bundle.objects.flatMap((object) => {
    const places = [bundle.paths?.get(object) ?? '', `${object.kind} ${object.metadata.name ?? ''}`.trim()];
    // Faults of its metadata are reported already.
    if (bundle.refusals.some((line) => line.startsWith(`${places.join(': ')}: `))) return [];
    return CHECKS.flatMap((check) => check(object, bundle)).map((problem) => verdictLine(places, problem));
  });

/** Lists the values of a CSV that OLM's typed decoder refuses, with ErrorPreventedUnpacking. */
const undecodable: Check = (object) => {
  if (object.kind !== 'ClusterServiceVersion') return [];
  const problems = csvProblems(object);
  return problems.length === 0 ? [] : [problemText(problems)];
};

const deployments: Check = (object) => {
  if (object.kind !== 'ClusterServiceVersion') return [];
  const seen = new Set<string>();
  return recordsAt(object, ...STRATEGY, 'deployments').flatMap((deployment, index) => {
    const field = `${STRATEGY.join('.')}.deployments[${index}]`;
    const name = textAt(deployment, 'name');
    const problems = seen.has(name) && name !== '' ? [`${field}.name ${goQuote(name)} is used twice`] : [];
    seen.add(name);
    const { containers } = recordAt(deployment, 'spec', 'template', 'spec');
    const isEmpty = Array.isArray(containers) && containers.length === 0;
    return isEmpty ? [...problems, `${field}.spec.template.spec.containers is empty`] : problems;
  });
};

/** Checks the rules of a Role or ClusterRole: reports those that an API server refuses. */
const rules: Check = (object) => {
  if (object.kind === 'Role' || object.kind === 'ClusterRole') {
    return ruleProblems('rules', recordsAt(object, 'rules'), object.kind === 'ClusterRole');
  }
  if (object.kind !== 'ClusterServiceVersion') return [];
  return (['permissions', 'clusterPermissions'] as const).flatMap((list) =>
    recordsAt(object, ...STRATEGY, list).flatMap((permission, index) => {
      const field = `${STRATEGY.join('.')}.${list}[${index}]`;
      const account = textAt(permission, 'serviceAccountName');
      const problems = account === '' ? [`${field}.serviceAccountName is missing`] : [];
      const isWide = list === 'clusterPermissions';
      return [...problems, ...ruleProblems(`${field}.rules`, recordsAt(permission, 'rules'), isWide)];
    }),
  );
};

const ruleProblems = (field: string, list: readonly Readonly<Record<string, unknown>>[], isWide: boolean): string[] =>
  list.flatMap((rule, index) => {
    const where = `${field}[${index}]`;
    // Those of a CSV that leaves them out are missing for every install.
    const isEmpty = textsAt(rule, 'verbs').length === 0 && (field === 'rules' || Array.isArray(rule['verbs']));
    const verbs = isEmpty ? [`${where}.verbs is empty`] : [];
    const urls = textsAt(rule, 'nonResourceURLs');
    if (urls.length > 0) {
      return isWide
        ? verbs
        : [...verbs, `${where}.nonResourceURLs is allowed in cluster permissions only: move it there`];
    }
    const lacking = ['apiGroups', 'resources'].filter((key) => textsAt(rule, key).length === 0);
    return [...verbs, ...lacking.map((key) => `${where}.${key} is missing or empty`)];
  });

/** Checks the rule of operator-framework/api: the CSV alone brings the account of its Deployments. */
const accounts: Check = ({ kind, metadata }, { csv }) => {
  if (kind !== 'ServiceAccount' || !metadata.name) return [];
  const own = recordsAt(csv, ...STRATEGY, 'deployments').map((deployment) =>
    textAt(deployment, 'spec', 'template', 'spec', 'serviceAccountName'),
  );
  if (!own.includes(metadata.name)) return [];
  return [
    'invalid service account found in bundle: the CSV names it for a Deployment, and OLM creates it: remove it from the bundle',
  ];
};

const versions: Check = (object) => {
  if (
    object.kind !== KIND.CustomResourceDefinition.kind ||
    object.apiVersion !== KIND.CustomResourceDefinition.apiVersion
  )
    return [];
  const list = recordsAt(object, 'spec', 'versions');
  if (list.length === 0) return ['spec.versions is missing or empty'];
  const stored = list.filter((version) => version['storage'] === true).length;
  const schemas = list.flatMap((version, index) =>
    Object.keys(recordAt(version, 'schema', 'openAPIV3Schema')).length > 0
      ? []
      : [`spec.versions[${index}].schema.openAPIV3Schema is missing`],
  );
  return [...(stored === 1 ? [] : [`spec.versions: ${stored} have storage: true; exactly one must`]), ...schemas];
};

const CHECKS: readonly Check[] = [objectFaults, undecodable, deployments, rules, accounts, versions];
