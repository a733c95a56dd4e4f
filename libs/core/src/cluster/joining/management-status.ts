import { contextOption } from '../../kernel/text/shell-word.js';
import { type OlmSign, signText } from './olm-signs.js';

/**
 * Annotation of the global catalog namespace by which the owner of a cluster lets Flotilla act beside OLM.
 */
const BESIDE_OLM_ANNOTATION = 'flotilla.dev/beside-olm';
const ACT = 'act';

/** Whether Flotilla acts in a cluster. Where it does not, nothing at all is written there. */
export type ManagementStatus =
  | Readonly<{ acts: true; signs: readonly OlmSign[] }>
  /** `because` says what was found and how to go on. */
  | Readonly<{ acts: false; signs: readonly OlmSign[]; because: string }>;

export type ManagementFacts = Readonly<{
  cluster: string;
  globalCatalogNamespace: string;
  signs: readonly OlmSign[];
  /** Why the hub could not check whether OLM runs there. */
  unseen?: string;
  /** Clusters in which the hub's owner lets Flotilla act beside OLM; `*`: in all. */
  consentedClusters: readonly string[];
  /** Annotations of the global catalog namespace. */
  annotations?: Readonly<Record<string, string>> | undefined;
  /** Options by which commands reach the cluster. Default: its context. */
  access?: string | undefined;
}>;

/**
 * Two managers that act on the same objects undo each other's work: beside OLM Flotilla does nothing unless
 * the owner of the cluster says so.
 */
export function managementStatus(facts: ManagementFacts): ManagementStatus {
  const { signs, unseen } = facts;
  if ((signs.length === 0 && unseen === undefined) || hasConsent(facts)) return { acts: true, signs };
  const found =
    signs.length > 0
      ? `OLM itself is at work there (${signs.map(signText).join(', ')})`
      : `whether OLM itself is at work there could not be seen (${oneLine(unseen ?? '')})`;
  return { acts: false, signs, because: `${found}; nothing is written. ${wayOn(facts)}` };
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
      ? 'Scale OLM to nothing to hand over'
      : `Give its login the rights that "flotilla clusters check ${access}" lists`;
  return `${first}, or allow both: FLOTILLA_CLUSTERS_BESIDE_OLM=${cluster}, or annotation ${BESIDE_OLM_ANNOTATION}=${ACT} on namespace ${globalCatalogNamespace}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, '; ');
