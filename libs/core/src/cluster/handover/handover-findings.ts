import { COPIED_FROM_LABEL } from '../../classic/csv/copies/copy-content.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { asRecord, asText } from '../../kernel/crd/loose-value.js';

/** Facts about a cluster before OLM hands it over to a hub. */
export type HandoverFacts = Readonly<{
  isOpenShift: boolean;
  plans: readonly KubernetesObject[];
  csvs: readonly KubernetesObject[];
  catalogs: readonly KubernetesObject[];
  /** Definitions of the cluster with versions or fields that the hub's definitions lack. They stay. */
  newerDefinitions: readonly string[];
  /** Bundles that the hub would install at once, by namespace. OLM has not chosen them. */
  choices: ReadonlyMap<string, readonly string[]>;
  /** Catalogs that could not be read from here, each with the reason. */
  unread: readonly string[];
}>;

/** Something that speaks against the hand-over (`refusal`), or that should be known before (`note`). */
export type HandoverFinding = Readonly<{ kind: 'refusal' | 'note'; text: string }>;

/** Phases of plans in progress. */
const PLANS_UNDER_WAY: ReadonlySet<string> = new Set(['', 'Planning', 'Installing']);
const CSVS_UNDER_WAY: ReadonlySet<string> = new Set(['', 'InstallReady', 'Installing', 'Replacing', 'Deleting']);

/** Returns findings about the removal of OLM from a cluster: refusals first, each group in a fixed order. */
export function handoverFindings(facts: HandoverFacts): readonly HandoverFinding[] {
  if (facts.isOpenShift) {
    const text = 'OLM is a part of OpenShift, which restores it: use the hub in this cluster only for reports';
    return [{ kind: 'refusal', text }];
  }
  const refusals = [...underWay(facts), ...catalogsOutOfReach(facts), ...otherChoices(facts)];
  return [
    ...refusals.toSorted(byCodeUnit).map((text) => ({ kind: 'refusal' as const, text })),
    ...notes(facts)
      .toSorted(byCodeUnit)
      .map((text) => ({ kind: 'note' as const, text })),
  ];
}

function underWay({ plans, csvs }: HandoverFacts): string[] {
  return [
    ...plans
      .filter((plan) => PLANS_UNDER_WAY.has(phaseOf(plan)))
      .map(
        (plan) => `${titleOf('InstallPlan', plan)} is under way (${phaseOf(plan) || 'no phase'}): wait until it ends`,
      ),
    ...csvs
      .filter((csv) => !isCopy(csv) && CSVS_UNDER_WAY.has(phaseOf(csv)))
      .map(
        (csv) => `${titleOf('ClusterServiceVersion', csv)} is ${phaseOf(csv) || 'new'}: wait until OLM has finished`,
      ),
  ];
}

/** Names that only the cluster resolves. */
const INSIDE = /^[^./:]+(?::\d+)?$|\.svc(?:\.|:|$)|\.cluster\.local(?::|$)/;

function catalogsOutOfReach({ catalogs, unread }: HandoverFacts): string[] {
  const inside = catalogs.flatMap((catalog) => {
    const { address, image } = asRecord(catalog['spec']);
    if (asText(image) !== '' || !INSIDE.test(asText(address))) return [];
    return `${titleOf('CatalogSource', catalog)} has address ${asText(address)}, a name inside the cluster: use an address that the hub can reach`;
  });
  return [...inside, ...unread.map((one) => `a catalog could not be read from here: ${one}`)];
}

function otherChoices({ choices }: HandoverFacts): string[] {
  return [...choices].map(
    ([namespace, names]) => `the hub would at once install in namespace ${namespace}: ${names.join(', ')}`,
  );
}

function notes({ plans, csvs, newerDefinitions }: HandoverFacts): string[] {
  const inPhase = (phase: string) => plans.filter((plan) => phaseOf(plan) === phase);
  return [
    ...inPhase('RequiresApproval').map((plan) => `${titleOf('InstallPlan', plan)} waits for approval, and will`),
    ...inPhase('Failed').map((plan) => `${titleOf('InstallPlan', plan)} has failed: the hub retries its step`),
    ...csvs
      .filter((csv) => !isCopy(csv) && ['Failed', 'Pending', 'Unknown'].includes(phaseOf(csv)))
      .map((csv) => `${titleOf('ClusterServiceVersion', csv)} is ${phaseOf(csv)}: the hub continues its installation`),
    ...newerDefinitions.map((name) => `${name} is newer than the definition of the hub and stays`),
  ];
}

const isCopy = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[COPIED_FROM_LABEL] !== undefined;
const phaseOf = (object: KubernetesObject): string => asText(asRecord(object['status'])['phase']);
const titleOf = (kind: string, { metadata: { namespace = '', name = '' } }: KubernetesObject): string =>
  `${kind} ${namespace}/${name}`;
