import { checkCrdUpgrade, existingCrsPrefix, versionsToList } from '../../classic/crd-upgrade/check-crd-upgrade.js';
import { lostStoredVersions } from '../../classic/crd-upgrade/stored-versions.js';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { csvName, groupOfCrd, providedApis, requiredApiServices, requiredCrds } from '../../kernel/api/csv-facts.js';
import type { GroupVersionKind, KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { convertsByWebhook, crdVersions } from '../../kernel/crd/crd-versions.js';

/** Obstacles to a return of a cluster to its previous bundle. */
type ReturnObstacle =
  | 'NothingBefore'
  | 'StoredVersionRemoved'
  | 'StorageVersionUnknown'
  | 'ObjectsDoNotFit'
  | 'ConversionLost'
  | 'NeededByOthers'
  | 'NotUpgradeable'
  | 'ContentGone';

/** A definition as it is in the cluster, and as the earlier bundle has it. */
export type DefinitionPair = Readonly<{
  live: KubernetesObject;
  earlier: KubernetesObject;
  /** Objects of each version that {@link readForReturn} names; undefined: they cannot be read. */
  instances: ReadonlyMap<string, readonly KubernetesObject[]> | undefined;
}>;

/** Facts about a cluster that a return depends on. */
export type ReturnFacts = Readonly<{
  /** The bundle that the cluster had before the rollout. */
  previous: string | null;
  /** True if the earlier bundle can be read and installed. */
  hasContent: boolean;
  /** The reason why it cannot be, if known. */
  whyGone?: string | undefined;
  definitions: readonly DefinitionPair[];
  /** The operator as it is now, and as it was. */
  current: ClusterServiceVersion | undefined;
  earlier: ClusterServiceVersion | undefined;
  /** All other operators that are installed in the cluster. */
  others: readonly ClusterServiceVersion[];
  /** The operator's reason against being replaced. */
  notUpgradeable: string | undefined;
}>;

/** One obstacle, with a message that locates it. */
export type ObstacleFound = Readonly<{ reason: ReturnObstacle; message: string }>;

/**
 * Returns the versions for which all custom resources must be listed before {@link checkReturn} can judge.
 */
export const readForReturn = (live: KubernetesObject, earlier: KubernetesObject): string[] =>
  versionsToList(live, earlier);

/**
 * Returns all obstacles to a return to the earlier bundle. Empty means that it may return. A return does not
 * change definitions. Each must therefore suit the earlier operator, and the earlier operator must know the
 * stored versions.
 */
export function checkReturn(facts: ReturnFacts): readonly ObstacleFound[] {
  if (facts.previous === null) {
    return [{ reason: 'NothingBefore', message: 'nothing was installed before this rollout' }];
  }
  return RULES.flatMap(([reason, rule]) => {
    const message = rule(facts);
    return message === undefined ? [] : [{ reason, message }];
  });
}

type ReturnRule = (facts: ReturnFacts) => string | undefined;

/** The first text that one of the definitions gives. */
const amongDefinitions =
  (rule: (pair: DefinitionPair, name: string) => string | undefined): ReturnRule =>
  ({ definitions }) => {
    for (const pair of definitions) {
      const message = rule(pair, pair.live.metadata.name ?? '');
      if (message !== undefined) return message;
    }
    return undefined;
  };

const storageOf = (crd: KubernetesObject): string => crdVersions(crd).find(({ storage }) => storage)?.name ?? '';

const RULES: readonly (readonly [ReturnObstacle, ReturnRule])[] = [
  [
    'StoredVersionRemoved',
    amongDefinitions(({ live, earlier }, name) => {
      const [lost] = lostStoredVersions(live, earlier);
      return lost === undefined
        ? undefined
        : `objects of ${name} may be stored in ${lost}, and the earlier CRD does not have it`;
    }),
  ],
  [
    'StorageVersionUnknown',
    amongDefinitions(({ live, earlier }, name) => {
      const storage = storageOf(live);
      const isServed = crdVersions(earlier).some((version) => version.name === storage && version.served);
      return isServed ? undefined : `${name} is stored in ${storage}, and the earlier CRD does not serve it`;
    }),
  ],
  ['ObjectsDoNotFit', amongDefinitions(misfit)],
  [
    'ConversionLost',
    amongDefinitions(({ live, earlier, instances }, name) => {
      if (convertsByWebhook(live) && !convertsByWebhook(earlier)) {
        return `${name} uses a conversion webhook, and the earlier operator does not have it`;
      }
      return instances === undefined ? `objects of ${name} cannot be read` : undefined;
    }),
  ],
  ['NeededByOthers', neededByOthers],
  ['NotUpgradeable', ({ notUpgradeable }) => notUpgradeable],
  [
    'ContentGone',
    ({ hasContent, whyGone, previous }) =>
      hasContent ? undefined : (whyGone ?? `neither catalog nor registry still has ${previous ?? ''}`),
  ],
];

/** Checks CRD changes from new to old. Its findings about versions that vanish have reasons of their own. */
function misfit({ live, earlier, instances }: DefinitionPair, name: string): string | undefined {
  if (instances === undefined) return undefined;
  const upgrade = { current: live, next: earlier, instances, otherOwners: [], migrate: false };
  const { refusal, warnings } = checkCrdUpgrade(upgrade);
  if (refusal?.startsWith(existingCrsPrefix(name)) === true) return refusal;
  return warnings[0];
}

const keyOf = ({ group, version, kind }: GroupVersionKind): string => `${kind}.${version}.${group}`;

const neededApis = (csv: ClusterServiceVersion): readonly GroupVersionKind[] => [
  ...requiredCrds(csv).map(({ name, version, kind }) => ({ group: groupOfCrd(name), version, kind })),
  ...requiredApiServices(csv).map(({ group, version, kind }) => ({ group, version, kind })),
];

/** An installed operator needs an API that only the newer version provides. */
function neededByOthers({ current, earlier, others }: ReturnFacts): string | undefined {
  if (current === undefined || earlier === undefined) return undefined;
  const before = new Set(providedApis(earlier).map(keyOf));
  const lost = new Set(
    providedApis(current)
      .map(keyOf)
      .filter((key) => !before.has(key)),
  );
  for (const other of others) {
    const needed = neededApis(other)
      .map(keyOf)
      .find((key) => lost.has(key));
    if (needed === undefined) continue;
    return `${other.metadata.namespace ?? ''}/${csvName(other)} needs ${needed}, and the earlier version does not provide it`;
  }
  return undefined;
}
