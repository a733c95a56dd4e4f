import { z } from 'zod';
import { PolicyRule, StrategyDeployment, StrategyPermission } from '../../kernel/api/cluster-service-version.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { changedFields } from './changed-fields.js';
import { permissionDifferences } from './permission-differences.js';
import { difference, type PlanDifference } from './plan-difference.js';

const Container = z.looseObject({ name: z.string().catch(''), image: z.string().catch('') });
const Pod = z.looseObject({
  spec: z
    .looseObject({
      containers: z.array(Container).catch([]),
      initContainers: z.array(Container).catch([]),
    })
    .catch({ containers: [], initContainers: [] }),
});

const Csv = z.looseObject({
  metadata: z.looseObject({ name: z.string().catch('') }),
  spec: z.looseObject({
    relatedImages: z.array(z.looseObject({ image: z.string().catch('') })).catch([]),
    install: z
      .looseObject({
        spec: z.looseObject({
          deployments: z.array(StrategyDeployment).catch([]),
          permissions: z.array(StrategyPermission).catch([]),
          clusterPermissions: z.array(StrategyPermission).catch([]),
        }),
      })
      .optional()
      .catch(undefined),
  }),
});
type Csv = z.infer<typeof Csv>;

type Install = Readonly<{
  deployments: readonly StrategyDeployment[];
  permissions: readonly StrategyPermission[];
  clusterPermissions: readonly StrategyPermission[];
}>;
const NOTHING: Install = { deployments: [], permissions: [], clusterPermissions: [] };

const parsed = (value: unknown): Csv | undefined => Csv.safeParse(value).data;
const installOf = (csv: Csv | undefined): Install => csv?.spec.install?.spec ?? NOTHING;

const podOf = ({ spec }: StrategyDeployment) => Pod.safeParse(spec['template']).data?.spec;
const containersOf = (deployment: StrategyDeployment) => {
  const pod = podOf(deployment);
  return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])];
};

/** All permissions that a ClusterServiceVersion asks for. */
export function permissionsOf(csv: unknown): readonly StrategyPermission[] {
  const { permissions, clusterPermissions } = installOf(parsed(csv));
  return [...permissions, ...clusterPermissions];
}

/** Every image that a ClusterServiceVersion names. */
export const imagesOfOperator = (csv: unknown): ReadonlySet<string> => imagesOf(parsed(csv));

/**
 * Returns the changes of a new version of an operator. `before` is the version that runs now, if there is
 * one.
 */
export function csvDifferences(after: unknown, before: unknown): readonly PlanDifference[] {
  const [now, was] = [parsed(after), parsed(before)];
  if (now === undefined) return [];
  return [
    ...imageDifferences(was, now),
    ...allRules(was, now).flatMap(([who, had, has]) => permissionDifferences(who, had, has)),
    ...workloadDifferences(installOf(was).deployments, installOf(now).deployments),
  ];
}

function imageDifferences(was: Csv | undefined, now: Csv): readonly PlanDifference[] {
  const [had, has] = [imagesOf(was), imagesOf(now)];
  const only = (of: ReadonlySet<string>, not: ReadonlySet<string>) =>
    [...of].filter((image) => image !== '' && !not.has(image)).toSorted(byCodeUnit);
  return [
    ...only(has, had).map((image) => difference('images', '+', image, '')),
    ...only(had, has).map((image) => difference('images', '-', image, '')),
  ];
}

const imagesOf = (csv: Csv | undefined): ReadonlySet<string> =>
  new Set([
    ...installOf(csv).deployments.flatMap((deployment) => containersOf(deployment).map(({ image }) => image)),
    ...(csv?.spec.relatedImages ?? []).map(({ image }) => image),
  ]);

type Rules = readonly [who: string, before: readonly PolicyRule[], after: readonly PolicyRule[]];

/** Returns the rules by service account: those in its namespace and those in the cluster. */
function allRules(was: Csv | undefined, now: Csv): readonly Rules[] {
  const scopes = [
    ['permissions', 'in its namespaces'],
    ['clusterPermissions', 'in the whole cluster'],
  ] as const;
  return scopes.flatMap(([field, where]) => {
    const [had, has] = [installOf(was)[field], installOf(now)[field]];
    const accounts = [...new Set([...had, ...has].map(({ serviceAccountName }) => serviceAccountName))];
    return accounts
      .toSorted(byCodeUnit)
      .map((account): Rules => [`${account}, ${where}`, rulesFor(had, account), rulesFor(has, account)]);
  });
}

const rulesFor = (all: readonly StrategyPermission[], account: string): readonly PolicyRule[] =>
  all.filter(({ serviceAccountName }) => serviceAccountName === account).flatMap(({ rules = [] }) => rules);

function workloadDifferences(
  had: readonly StrategyDeployment[],
  has: readonly StrategyDeployment[],
): readonly PlanDifference[] {
  const names = [...new Set([...had, ...has].map(({ name }) => name))].toSorted(byCodeUnit);
  return names.flatMap((name) => {
    const [was, now] = [had, has].map((all) => all.find((one) => one.name === name));
    const what = `Deployment ${name}`;
    if (now === undefined) return [difference('workloads', '-', what, 'goes')];
    const privileges = privilegesOf(now).filter((one) => was === undefined || !privilegesOf(was).includes(one));
    const risk = privileges.length > 0;
    const note = risk ? `: ${privileges.join(', ')}` : '';
    if (was === undefined) return [difference('workloads', '+', what, `is new${note}`, { risk })];
    const lines = changedFields(now.spec, was.spec);
    return lines.length === 0 ? [] : [difference('workloads', '~', what, `changes${note}`, { risk, lines })];
  });
}

const HOST_FIELDS = ['hostNetwork', 'hostPID', 'hostIPC'] as const;

/** Returns the privileges of a pod that reach beyond its containers. */
function privilegesOf(deployment: StrategyDeployment): readonly string[] {
  const pod: Readonly<Record<string, unknown>> = podOf(deployment) ?? {};
  const privileged = containersOf(deployment).filter(
    (container) => Object(container['securityContext']).privileged === true,
  );
  return [
    ...HOST_FIELDS.filter((field) => pod[field] === true),
    ...privileged.map(({ name }) => `container ${name} is privileged`),
  ];
}
