import type { ClusterServiceVersion, RequirementStatus } from '../api/cluster-service-version.js';
import { isCopied, originalNamespace } from '../csv/csv-facts.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';

const MET: ReadonlySet<string> = new Set(['Present', 'DeploymentFound']);

/** The phase of a ClusterServiceVersion and what keeps it there (spec: csv-lifecycle.md §3 and §4). */
export function diagnoseCsv(csv: ClusterServiceVersion): Diagnosis {
  const { phase = '', reason = '', message = '' } = csv.status ?? {};
  if (isCopied(csv)) return copied(csv, phase);
  const said = message === '' ? [] : [sentence(message)];
  switch (phase) {
    case 'Succeeded':
      return diagnosis('well', 'It is installed and its operator runs.');
    case 'Failed':
      return failed(csv, reason, said);
    case 'Pending':
      return pending(csv, said);
    case 'InstallReady':
    case 'Installing':
      return diagnosis('under-way', [`It is being installed (${phase}).`, ...said], lookAtPods(csv));
    case 'Replacing':
    case 'Deleting':
      return diagnosis('under-way', 'A newer version replaces it; it goes when that one has succeeded.');
    default:
      return diagnosis(
        'under-way',
        'Nobody has looked at it yet.',
        'See that the hub runs and manages this cluster: flotilla status.',
      );
  }
}

/** The status of a copy is that of its original, with a reason of its own. */
function copied(csv: ClusterServiceVersion, phase: string): Diagnosis {
  const [name, namespace] = [csv.metadata.name ?? '', originalNamespace(csv)];
  const seen = `It is a copy of ClusterServiceVersion ${namespace}/${name}: the operator runs in namespace ${namespace}, and watches this one.`;
  if (phase === 'Succeeded') return diagnosis('well', seen);
  const there = `Its original is ${phase === '' ? 'without a phase' : `in phase ${phase}`}.`;
  return diagnosis('under-way', [seen, there], `flotilla explain csv ${name} -n ${namespace}`);
}

function pending(csv: ClusterServiceVersion, said: readonly string[]): Diagnosis {
  const unmet = (csv.status?.requirementStatus ?? []).filter(({ status }) => !MET.has(status));
  if (unmet.length === 0) return diagnosis('under-way', ['It is pending: what it needs is looked at.', ...said]);
  const seen = `It is pending: ${unmet.length === 1 ? 'a requirement is' : `${unmet.length} requirements are`} not met.`;
  return diagnosis('blocked', [seen, ...unmet.flatMap(requirementTexts)], [...new Set(unmet.map(requirementTodo))]);
}

function requirementTexts({ kind, name, status, message, dependents = [] }: RequirementStatus): string[] {
  const head = sentence(`${kind} ${name}: ${status}${message === '' ? '' : `, ${message}`}`);
  const missing = dependents
    .filter((dependent) => !MET.has(dependent.status) && dependent.status !== 'Satisfied')
    .map((dependent) => sentence(`  ${dependent.kind}: ${dependent.message ?? dependent.status}`));
  return [head, ...missing];
}

function requirementTodo({ kind, name, status }: RequirementStatus): string {
  switch (kind) {
    case 'CustomResourceDefinition':
      return status === 'NotPresent'
        ? `Install the operator that brings the API ${name}, or create its CustomResourceDefinition.`
        : `See why the API server does not serve it: kubectl get crd ${name} -o yaml.`;
    case 'APIService':
      return `See why the API is not available: kubectl get apiservice ${name} -o yaml.`;
    case 'ServiceAccount':
      return status === 'NotPresent'
        ? `The InstallPlan brings ServiceAccount ${name}: see whether it is complete.`
        : `Give ServiceAccount ${name} the rules named above; the InstallPlan of the operator brings them.`;
    case 'ClusterServiceVersion':
      return 'Upgrade the cluster, or choose a version of the operator for this version of Kubernetes.';
    default:
      return `See what is there: kubectl get ${kind} ${name} -o yaml.`;
  }
}

/** Keyed by the reason that OLM gives a failed CSV (spec: csv-lifecycle.md §3). */
const ADVICE: Readonly<Record<string, string>> = {
  NoOperatorGroup: 'Create an OperatorGroup in this namespace.',
  TooManyOperatorGroups: 'Delete all OperatorGroups of this namespace but one.',
  UnsupportedOperatorGroup:
    'Change what the OperatorGroup targets to one of the install modes that the operator supports (spec.installModes).',
  InterOperatorGroupOwnerConflict:
    'Another operator provides the same API to the same namespaces: remove one of the two, or narrow an OperatorGroup.',
  CannotModifyStaticOperatorGroupProvidedAPIs:
    'The OperatorGroup has staticProvidedAPIs: add the APIs to its annotation olm.providedAPIs, or unset it.',
  OwnerConflict: 'Another ClusterServiceVersion of this namespace owns the same API: delete one of the two.',
  InvalidInstallModes: 'The bundle is at fault: ask its publisher, or choose another version.',
  InvalidStrategy: 'The bundle is at fault: ask its publisher, or choose another version.',
};

function failed(csv: ClusterServiceVersion, reason: string, said: readonly string[]): Diagnosis {
  const advice = Object.hasOwn(ADVICE, reason) ? ADVICE[reason] : undefined;
  const seen = sentence(`It failed${reason === '' ? '' : ` (${reason})`}`);
  return diagnosis('failed', [seen, ...said], advice ?? lookAtPods(csv));
}

/** Deployments are what is waited for, whatever else may be wrong. */
function lookAtPods({ metadata: { name = '', namespace = '' } }: ClusterServiceVersion): string {
  return `Look at its Deployments and their Pods: kubectl -n ${namespace} get deployments,pods -l olm.owner=${name}`;
}
