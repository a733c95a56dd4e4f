import { contextOption } from '../../kernel/text/shell-word.js';
import { type OlmSign, signText } from './olm-signs.js';

/**
 * Annotation of the global catalog namespace. With it the owner of a cluster allows Flotilla to act next to
 * OLM.
 */
const BESIDE_OLM_ANNOTATION = 'flotilla.dev/beside-olm';
const ACT = 'act';

/** Says if Flotilla acts in a cluster. If not, it writes nothing there. */
export type ManagementStatus =
  | Readonly<{ acts: true; signs: readonly OlmSign[] }>
  /** `because` names the signs of OLM and the next step. */
  | Readonly<{ acts: false; signs: readonly OlmSign[]; because: string }>;

export type ManagementFacts = Readonly<{
  cluster: string;
  globalCatalogNamespace: string;
  signs: readonly OlmSign[];
  /** The reason why the hub could not check if OLM runs there. */
  unseen?: string;
  /** Clusters in which the hub's owner allows Flotilla to act next to OLM. `*` means all. */
  consentedClusters: readonly string[];
  /** Annotations of the global catalog namespace. */
  annotations?: Readonly<Record<string, string>> | undefined;
  /** Options with which commands reach the cluster. Default: its context. */
  access?: string | undefined;
}>;

/**
 * Decides if Flotilla acts in a cluster. Two managers that act on the same objects undo each other's work.
 * Next to OLM, Flotilla does nothing unless the owner of the cluster allows it.
 */
export function managementStatus(facts: ManagementFacts): ManagementStatus {
  const { signs, unseen } = facts;
  if ((signs.length === 0 && unseen === undefined) || hasConsent(facts)) return { acts: true, signs };
  const found =
    signs.length > 0
      ? `OLM itself runs there (${signs.map(signText).join(', ')})`
      : `could not determine if OLM itself runs there (${oneLine(unseen ?? '')})`;
  return { acts: false, signs, because: `${found}. Nothing is written. ${wayOn(facts)}` };
}

function hasConsent({ cluster, consentedClusters, annotations }: ManagementFacts): boolean {
  return (
    consentedClusters.includes('*') ||
    consentedClusters.includes(cluster) ||
    annotations?.[BESIDE_OLM_ANNOTATION] === ACT
  );
}

function wayOn({ cluster, globalCatalogNamespace, signs, access = contextOption(cluster) }: ManagementFacts): string {
  const first =
    signs.length > 0
      ? 'Scale OLM to zero to hand the cluster over'
      : `Give the hub’s login the rights that "flotilla clusters check ${access}" lists`;
  return `${first}, or allow both: FLOTILLA_CLUSTERS_BESIDE_OLM=${cluster}, or annotation ${BESIDE_OLM_ANNOTATION}=${ACT} on namespace ${globalCatalogNamespace}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, '; ');
