import { z } from 'zod';
import type {
  ClusterServiceVersion,
  CrdDescription,
  RequirementStatus,
} from '../../../kernel/api/cluster-service-version.js';
import { allCrds, csvName, csvNamespace, ownedCrds } from '../../../kernel/api/csv-facts.js';
import { CRD_GROUP } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { isTrue } from '../../../kernel/conditions/condition-list.js';
import { ALONGSIDE_PREFIX } from '../../../kernel/hashes/object-names.js';
import { perObject } from '../../../kernel/memo/per-object.js';
import type { CsvWorld } from '../world/csv-world.js';
import { predecessors } from '../world/replacement-chain.js';

const CrdView = z.looseObject({
  spec: z.looseObject({ versions: z.array(z.looseObject({ name: z.string(), served: z.boolean() })) }),
  status: z
    .looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).nullish() })
    .optional(),
});

const viewOf = perObject((crd: KubernetesObject) => CrdView.safeParse(crd));

/** Message for a CRD that is missing in the cluster. */
export const CRD_ABSENT = 'CRD is not present';

type Verdict = Readonly<{ status: string; message: string; uuid?: string }>;

/** Returns one entry per owned or required CRD, by name (spec: csv-lifecycle.md §4). */
export const crdRequirements = (csv: ClusterServiceVersion, world: CsvWorld): readonly RequirementStatus[] =>
  allCrds(csv).map((description) => ({
    group: CRD_GROUP,
    version: 'v1',
    kind: 'CustomResourceDefinition',
    name: description.name,
    ...crdVerdict(csv, description, world),
  }));

function crdVerdict(csv: ClusterServiceVersion, description: CrdDescription, world: CsvWorld): Verdict {
  const crd = world.crds.get(description.name);
  if (crd === undefined) return { status: 'NotPresent', message: CRD_ABSENT };
  const others = ownedCrds(csv).some(({ name }) => name === description.name) ? stillOthers(csv, crd, world) : [];
  if (others.length > 0) {
    return {
      status: 'PresentNotSatisfied',
      message: `CRD installed alongside other CSV(s): ${others.join(', ')}`,
    };
  }
  const view = viewOf(crd);
  const versions = view.success ? view.data.spec.versions : [];
  if (!versions.some(({ name, served }) => name === description.version && served)) {
    return { status: 'NotPresent', message: 'CRD version not served' };
  }
  const conditions = (view.success && view.data.status?.conditions) || [];
  if (!isTrue(conditions, 'Established') || !isTrue(conditions, 'NamesAccepted')) {
    return {
      status: 'PresentNotAvailable',
      message: 'CRD is present but the Established condition is False (not available)',
    };
  }
  return {
    status: 'Present',
    message: 'CRD is present and Established condition is true',
    ...(crd.metadata.uid === undefined ? {} : { uuid: crd.metadata.uid }),
  };
}

/**
 * Returns the replaced CSVs that the CRD was installed alongside. Empty if this CSV is named there too: its
 * plan is not done.
 */
function stillOthers(csv: ClusterServiceVersion, crd: KubernetesObject, world: CsvWorld): readonly string[] {
  const prefix = `${csvNamespace(csv)}/`;
  const named = Object.entries(crd.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(ALONGSIDE_PREFIX) && value.startsWith(prefix))
    .map(([, value]) => value.slice(prefix.length));
  if (named.includes(csvName(csv))) return [];
  const replaced = new Set(predecessors(csv, world.csvs).map(csvName));
  return named.filter((name) => replaced.has(name)).sort(byCodeUnit);
}
